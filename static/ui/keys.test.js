import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composing, keyOf } from './keys.js';

test('a key is what it writes, or its place on keyboards of other alphabets', () => {
  /** @type {[string, string, string][]} key, place, what it is */
  const cases = [
    ['H', 'KeyH', 'h'], ['Р', 'KeyH', 'h'], ['z', 'KeyY', 'z'], ['я', 'KeyZ', 'z'], ['İ', 'Quote', 'i̇'], ['ö', 'Semicolon', 'ö'],
    ['ж', 'Semicolon', 'ж'], ['ф', '', 'ф'], ['Enter', 'Enter', 'enter'], ['Dead', 'BracketLeft', 'dead'], ['😀', 'KeyA', '😀'],
  ];
  for (const [key, code, want] of cases) assert.equal(keyOf({ key, code }), want, `${key} (${code})`);
});

test('keys of an input method are told apart', () => {
  assert.ok(composing({ isComposing: true, keyCode: 13 }));
  assert.ok(composing({ isComposing: false, keyCode: 229 })); // Safari
  assert.ok(!composing({ isComposing: false, keyCode: 13 }));
});
