import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { classKey } from '../classes/classkey.js';
import { BINDINGS, bindingsFor, commandOf, keeps } from './keys.js';

const press = (key, code = '', mods = '') => ({
  key, code,
  ctrlKey: mods.includes('c'), metaKey: mods.includes('m'), shiftKey: mods.includes('s'), altKey: mods.includes('a'),
});

test('keys give their commands', () => {
  /** @type {[ReturnType<typeof press>, string | undefined][]} */
  const cases = [
    [press('1', 'Digit1'), 'class 0'],
    [press('&', 'Digit1'), 'class 0'], // French layout
    [press('0', 'Numpad0'), 'class 9'],
    [press('!', 'Digit1', 's'), 'class 10'],
    [press(')', 'Digit0', 's'), 'class 19'],
    [press('z', 'KeyZ', 'c'), 'undo'],
    [press('z', 'KeyZ', 'm'), 'undo'],
    [press('Z', 'KeyZ', 'cs'), 'redo'],
    [press('y', 'KeyY', 'c'), 'redo'],
    [press('?', 'Slash', 's'), 'help'],
    [press('?', 'Minus', 's'), 'help'], // German layout
    [press('.', 'Period'), 'walk-on'],
    [press('Enter', 'Enter'), 'accept'],
    [press('Enter', 'Enter', 's'), 'accept-region'],
    [press('Enter', 'Enter', 'c'), 'accept-next'],
    [press('Enter', 'Enter', 'cs'), 'approve-next'],
    [press('0', 'Digit0', 'c'), 'fit'],
    [press('1', 'Digit1', 'c'), 'full-size'],
    [press('H', 'KeyH'), 'overlay'], // caps lock
    [press('h', 'KeyH', 'a'), undefined],
    [press('c', 'KeyC', 'c'), undefined],
    [press('-', 'Minus'), 'coarser'],
    [press('=', 'Equal'), 'finer'],
    [press('+', 'BracketRight'), 'finer'], // German layout
    [press('-', 'Minus', 'c'), undefined], // the browser's own
    [press('[', 'BracketLeft'), 'thinner'],
    [press(']', 'Digit9'), 'wider'], // German layout, Linux
    [press('[', 'Digit8', 'ca'), 'thinner'], // Windows
    [press('[', 'Digit5', 'a'), 'thinner'], // Mac
    [press('[', 'BracketLeft', 'm'), undefined], // the browser's own
    [press('w', 'KeyW'), 'next-click'],
    [press('o', 'KeyO'), 'tool box'],
    [press('z', 'KeyZ'), 'exclude'],
    [press('L', 'KeyL', 's'), 'lock-class'],
    [press('t', 'KeyT'), 'tool objects'],
    [press('t', 'KeyT', 'c'), undefined],
    [press('ArrowUp', 'ArrowUp'), 'move up'],
    [press('ArrowLeft', 'ArrowLeft', 's'), 'move-far left'],
    [press('ArrowDown', 'ArrowDown', 'a'), 'pan down'],
    [press('ArrowDown', 'ArrowDown', 'c'), undefined],
  ];
  for (const [e, want] of cases) assert.equal(commandOf(e), want, `${e.key} (${e.code})`);
});

test('keyboards of other alphabets have the keys at their places', () => {
  /** @type {[ReturnType<typeof press>, string | undefined][]} */
  const cases = [
    [press('ы', 'KeyS'), 'tool superpixel'],
    [press('Р', 'KeyH', 's'), 'outlines'],
    [press('я', 'KeyZ', 'c'), 'undo'],
    [press('Я', 'KeyZ', 'cs'), 'redo'],
    [press('х', 'BracketLeft'), 'thinner'],
    [press('Х', 'BracketLeft', 's'), undefined], // a brace on an English keyboard
    [press('ъ', 'BracketRight', 'c'), undefined], // the browser's own
    [press('б', 'Comma'), 'walk-back'],
    [press('.', 'Slash'), 'walk-on'], // as written
    [press('ф', 'KeyA', 'a'), undefined],
    [press('لا', 'KeyB'), 'tool brush'],
    [press('أ', 'KeyH', 's'), 'outlines'],
    [press(']', 'KeyD', 's'), 'copy-next'],
    [press('/', 'KeyL', 's'), 'lock-class'],
    [press('؟', 'Slash', 's'), 'help'],
    [press('/', 'KeyQ'), 'exact'], // Hebrew layout
    [press("'", 'KeyW'), 'next-click'],
    [press(';', 'KeyQ'), 'exact'], // Greek
    [press('λ', 'KeyL'), 'find'],
    [press('ち', 'KeyA'), 'previous'],
    [press('ㅁ', 'KeyA'), 'previous'],
    [press('็', 'KeyH', 's'), 'outlines'], // Thai
    [press('ช', 'Equal'), 'finer'],
    [press('ซ', 'Equal', 's'), undefined],
  ];
  for (const [e, want] of cases) assert.equal(commandOf(e), want, `${e.key} (${e.code})`);
});

test('Latin keyboards keep what their keys write', () => {
  /** @type {[ReturnType<typeof press>, string | undefined][]} */
  const cases = [
    [press('a', 'KeyQ'), 'previous'], // French
    [press('?', 'KeyM', 's'), 'help'],
    [press(',', 'KeyM'), 'walk-back'],
    [press('é', 'Digit2'), 'class 1'],
    [press('z', 'KeyY', 'c'), 'undo'], // German
    [press('ü', 'BracketLeft'), undefined],
    [press('µ', 'KeyM'), undefined], // with AltGr
    [press('ı', 'KeyI'), undefined], // Turkish
    [press('i', 'Quote'), 'pick'],
    [press('ğ', 'BracketLeft'), undefined],
    [press('ś', 'KeyS'), undefined], // Polish, with AltGr on Linux
    [press('ś', 'KeyS', 'ca'), undefined], // and on Windows
    [press('å', 'BracketLeft'), undefined], // Swedish
    [press("'", 'KeyQ'), undefined], // Dvorak
    [press(',', 'KeyW'), 'walk-back'],
    [press('.', 'KeyE'), 'walk-on'],
    [press('-', 'Quote'), 'coarser'],
    [press('Ω', 'KeyZ', 'a'), undefined], // Option on a Mac
  ];
  for (const [e, want] of cases) assert.equal(commandOf(e), want, `${e.key} (${e.code})`);
});

// Characters that are shortcuts, where each keyboard has them. A digit and a character that
// share a key go by the digit, as the classes show it, except '?', which the help needs.
test('characters give their commands on every layout', () => {
  /** @type {Record<string, [ReturnType<typeof press>, string | undefined][]>} */
  const layouts = {
    US: [
      [press('&', 'Digit7', 's'), 'class 16'], [press('?', 'Slash', 's'), 'help'], [press('/', 'Slash'), undefined],
      [press('+', 'Equal', 's'), 'finer'], [press('=', 'Equal'), 'finer'], [press('_', 'Minus', 's'), undefined],
      [press('{', 'BracketLeft', 's'), undefined], [press('<', 'Comma', 's'), undefined],
    ],
    German: [
      [press('/', 'Digit7', 's'), 'class 16'], [press('=', 'Digit0', 's'), 'class 19'], [press('?', 'Minus', 's'), 'help'],
      [press('+', 'BracketRight'), 'finer'], [press('-', 'Slash'), 'coarser'], [press(';', 'Comma', 's'), undefined],
      [press('[', 'Digit8', 'ca'), 'thinner'], [press(']', 'Digit9', 'ca'), 'wider'], [press(']', 'Digit6', 'a'), 'wider'], // Windows, Mac
    ],
    French: [
      [press('7', 'Digit7', 's'), 'class 16'], [press('-', 'Digit6'), 'class 5'], [press('-', 'NumpadSubtract'), 'coarser'],
      [press('?', 'KeyM', 's'), 'help'], [press('=', 'Equal'), 'finer'], [press('+', 'Equal', 's'), 'finer'],
      [press(',', 'KeyM'), 'walk-back'], [press('.', 'Comma', 's'), 'walk-on'], [press('/', 'Period', 's'), undefined],
      [press('[', 'Digit5', 'ca'), 'thinner'], [press(']', 'Minus', 'ca'), 'wider'], [press('[', 'Digit5', 'as'), 'thinner'], // on a Mac
    ],
    Spanish: [
      [press('/', 'Digit7', 's'), 'class 16'], [press('=', 'Digit0', 's'), 'class 19'], [press('?', 'Minus', 's'), 'help'],
      [press('¿', 'Equal', 's'), undefined], [press('+', 'BracketRight'), 'finer'], [press('-', 'Slash'), 'coarser'],
      [press('[', 'BracketLeft', 'ca'), 'thinner'], [press(']', 'BracketRight', 'ca'), 'wider'],
      [press('[', 'BracketLeft', 'a'), 'thinner'], [press(']', 'BracketRight', 'a'), 'wider'], // on a Mac
    ],
    Russian: [
      [press('?', 'Digit7', 's'), 'help'], [press(':', 'Digit6', 's'), 'class 15'], [press('*', 'Digit8', 's'), 'class 17'],
      [press('7', 'Digit7'), 'class 6'], [press('+', 'Equal', 's'), 'finer'], [press('=', 'Equal'), 'finer'], [press('-', 'Minus'), 'coarser'],
      [press('.', 'Slash'), 'walk-on'], [press(',', 'Slash', 's'), 'walk-back'], [press('/', 'Backslash', 's'), undefined],
      [press('х', 'BracketLeft'), 'thinner'], [press('ъ', 'BracketRight'), 'wider'],
    ],
    Bulgarian: [[press('?', 'Digit2', 's'), 'help'], [press('+', 'Digit3', 's'), 'class 12']],
  };
  for (const [layout, cases] of Object.entries(layouts)) {
    for (const [e, want] of cases) assert.equal(commandOf(e), want, `${layout}: ${e.key} (${e.code})`);
  }
});

test('controls keep the keys that work on them, and no others', () => {
  /** @type {[string, ReturnType<typeof press>, boolean][]} */
  const cases = [
    ['text', press('b'), true],
    ['text', press('z', 'KeyZ', 'c'), true], // the field's own undo
    ['checkbox', press(' '), true],
    ['checkbox', press('Enter'), false],
    ['checkbox', press('b'), false],
    ['checkbox', press('ArrowUp'), false],
    ['radio', press('ArrowUp'), true],
    ['button', press('Enter'), true],
    ['button', press(' '), true],
    ['button', press('Enter', 'Enter', 'c'), false], // accepts and goes on
    ['button', press('Enter', 'Enter', 'm'), false],
    ['button', press('PageDown'), false],
    ['range', press('Enter'), false], // accepts what the slider has chosen
    ['range', press(' '), false],
    ['range', press('ArrowLeft'), true],
    ['range', press('PageDown'), true],
    ['list', press('o', 'KeyO'), true], // a letter chooses
    ['list', press('e', 'KeyE', 'c'), false],
    ['', press('Enter'), false],
  ];
  for (const [kind, e, want] of cases) assert.equal(keeps(kind, e), want, `${e.key} on ${kind || 'the image'}`);
});

test('no key is listed twice', () => {
  const keys = BINDINGS.flatMap((b) => b.commands.map(([key]) => key));
  assert.deepEqual(keys, [...new Set(keys)]);
});

test('the help lists only keys that do something for the person', () => {
  const shown = (/** @type {import('./keys.js').Right[]} */ ...rights) => bindingsFor(rights).map((b) => b.shown);
  assert.equal(shown('annotate', 'review').length, BINDINGS.length);
  const [looking, reviewing, labelling] = [shown(), shown('review'), shown('annotate')];
  for (const key of ['.  ,', 'Wheel', 'H', 'Arrow keys', 'Y', 'Ctrl + E', 'D, PageDown']) assert.ok(looking.includes(key), key);
  for (const key of ['Click, drag', '1 … 9, 0', 'Z + click', 'N', 'B', 'Q', 'Enter', 'X', 'Shift + D', '-  +', 'Space', 'Ctrl + Z']) assert.ok(!looking.includes(key), key);
  const approve = 'Ctrl + Shift + Enter';
  assert.deepEqual(reviewing.filter((key) => !looking.includes(key)), [approve]);
  assert.ok(!labelling.includes(approve));
});

test('classes have keys as far as they go', () => {
  assert.deepEqual([0, 8, 9, 10, 19, 20].map(classKey), ['1', '9', '0', '⇧1', '⇧0', '']);
});

test('the page for annotators says what the keys do', () => {
  const page = readFileSync(new URL('../../docs/annotators.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(.+?)` \| (.+?) \|$/gm)].map(([, shown, does]) => ({ shown, does }));
  const known = BINDINGS.map(({ shown, does }) => ({ shown, does }));
  assert.ok(rows.length >= 20);
  for (const row of rows) assert.ok(known.some((b) => b.shown === row.shown && b.does === row.does), JSON.stringify(row));
});
