import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOf } from '../ui/api.js';
import { statusOf } from './chrome.js';
import { ink, pixels, vocColor } from '../canvas/colour.js';
import { note, undecided } from '../transfer/export.js';
import { matches } from '../classes/find.js';
import { Hypotheses } from '../evidence/hypotheses.js';
import { after, backoff } from '../exchange/socket.js';
import { isolated } from '../ui/names.js';
import { percent } from '../ui/numbers.js';
import { statusLine } from '../choosing/status.js';
import { short } from '../choosing/strip.js';

const classes = [{ id: 0, name: 'background' }, { id: 1, name: 'object' }];

/** @param {number[]} clicks @param {(h: Hypotheses) => void} [prepare] @param {number} [rest] */
function line(clicks, prepare = () => {}, rest = -1) {
  const hypotheses = new Hypotheses();
  prepare(hypotheses);
  return statusLine({ clicks: Uint8Array.from(clicks), classes, rest, hypotheses, touch: false });
}

test('the status line says what is missing or how the search stands', () => {
  assert.match(line([255, 255]), /^Press 1, then click a piece of background$/);
  assert.match(line([0, 255]), /^To get hypotheses, press 2, then click a piece of object$/);
  assert.match(line([255, 1]), /press 1, then click a piece of background$/);
  const run = (h) => h.start({ type: 'run', run: 1, seq: 2, count: 20, classes: [0, 1] });
  const add = (h, rank, digest) => h.add({ run: 1, seq: 2, rank, energy: 0, digest, labels: new Uint8Array(2) });
  assert.equal(line([0, 1], run), 'Searching for hypotheses');
  assert.equal(line([0, 1], (h) => (run(h), add(h, 0, 'a'))), '1 hypothesis so far, 1 of 20 tried');
  const end = (h, reason, detail) => h.finish({ type: 'done', run: 1, reason, detail });
  assert.equal(line([0, 1], (h) => (run(h), add(h, 0, 'a'), add(h, 1, 'b'), end(h, 'complete'))), '2 hypotheses');
  assert.equal(line([0, 1], (h) => (run(h), add(h, 0, 'a'), add(h, 1, 'a'), end(h, 'complete'))), '1 hypothesis (1 duplicate)');
  const boxed = new Hypotheses();
  assert.match(statusLine({ clicks: Uint8Array.of(255), boxed: true, classes, hypotheses: boxed, touch: false }), /^Press 1/);
  run(boxed);
  assert.equal(statusLine({ clicks: Uint8Array.of(255), boxed: true, classes, hypotheses: boxed, touch: false }), 'Searching for hypotheses');
  assert.equal(line([0, 1], (h) => (run(h), end(h, 'failed', 'Broken.'))), 'Broken.');
  assert.equal(line([0, 1], (h) => (run(h), end(h, 'busy', 'They have to wait.'))), 'They have to wait.');
});

test('the status line asks for no click of the rest', () => {
  const run = (/** @type {Hypotheses} */ h) => h.start({ type: 'run', run: 1, seq: 1, count: 20, classes: [0, 1] });
  assert.equal(line([255, 255], undefined, 0), 'Press 2, then click a piece of object');
  assert.equal(line([255, 255], undefined, 1), 'Press 1, then click a piece of background');
  assert.equal(line([255, 1], undefined, 0), 'Searching for hypotheses');
  assert.equal(line([255, 1], run, 0), 'Searching for hypotheses');
  assert.equal(line([255, 0], undefined, 0), 'To get hypotheses, press 2, then click a piece of object');
  const alone = (/** @type {Hypotheses} */ h) => {
    h.start({ type: 'run', run: 1, seq: 1, count: 20, classes: [1] });
    h.finish({ type: 'done', run: 1, reason: 'one-class' });
  };
  assert.equal(line([255, 1], alone, 0), 'To get hypotheses, press 1, then click a piece of background', 'when the server says so');
});

test('the status line asks nothing of people who can only view', () => {
  const session = (/** @type {number} */ click, readOnly = true) => ({
    save: 'saved', readOnly, guess: null, hypotheses: new Hypotheses(), evidence: { pending: [], present: { clicks: Uint8Array.of(255, click), said: { boxes: [] } } },
  });
  const says = (/** @type {any} */ of) => statusOf({ session: of, classes, rest: 0, lasting: true, touch: false });
  assert.equal(says(session(255)), 'Nobody has labelled this image yet');
  assert.equal(says(session(1)), 'Searching for hypotheses');
  assert.equal(says(session(255, false)), 'Press 2, then click a piece of object');
});

test('percentages are 0 and 100 only when they are', () => {
  assert.deepEqual([0, 0.001, 0.234, 0.999, 1].map(percent), ['0\u00a0%', '<\u00a01\u00a0%', '23\u00a0%', '99\u00a0%', '100\u00a0%']);
});

test('gaps are short', () => assert.deepEqual([123.4, 12.34, 1.234, 0.0004].map(short), ['123', '12.3', '1.23', '0.0004']));

test('the export says what is undecided', () => {
  const share = undecided(Uint8Array.of(0, 255, 1), [50, 25, 25]);
  assert.equal(share, 0.25);
  assert.equal(note('', share), '25\u00a0% undecided.');
  assert.equal(note('', 0), 'Everything is labelled.');
  assert.match(note('hypothesis 1 of 12', 1), /^This preview, hypothesis 1 of 12, is not accepted yet\. Your saved labelling is still empty\.$/);
});

test('problems are read from any body', () => {
  const p = problemOf('{"title":"Too large","detail":"60 MB; 50 MB is the limit."}', 413);
  assert.deepEqual([p.title, p.detail], ['Too large', '60 MB; 50 MB is the limit.']);
  assert.match(problemOf('<html>502</html>', 502).detail, /status 502/);
});

test('waiting grows, is spread out and ends', () => {
  for (let attempt = 0; attempt < 40; attempt++) {
    const [least, most] = [backoff(attempt, 0), backoff(attempt, 1)];
    assert.ok(least >= 200 && most >= least && most <= 15000);
  }
  assert.ok(backoff(4, 1) > backoff(1, 1));
  assert.ok(backoff(after(0, 1012), 1) >= 3000); // a restart loses all pages at once
  assert.deepEqual([after(0, 1006), after(5, 1012)], [0, 5]);
});

test('classes are found by part of the name, starts first', () => {
  assert.deepEqual(matches(['Sea', 'seal', 'chelsea', 'sky'], 'sea'), [0, 1, 2]);
  assert.deepEqual(matches(['a', 'b'], ''), [0, 1]);
});

test('colours become pixels, void stays clear, ink can be read', () => {
  const table = pixels(['#102030', '#ffffff']);
  assert.deepEqual([...new Uint8Array(table.buffer, 0, 4)], [0x10, 0x20, 0x30, 255]);
  assert.equal(table[255], 0);
  assert.equal(table[2], 0);
  assert.deepEqual([ink('#ffffff'), ink('#000000'), ink('#f5d547')], ['#000000', '#ffffff', '#000000']);
});

test('names written from right to left turn nothing beside them', () => {
  assert.deepEqual(['cup', 'Tasse 2', 'été', '杯', 'כוס', 'كوب 2'].map(isolated), ['cup', 'Tasse 2', 'été', '杯', '\u2068כוס\u2069', '\u2068كوب 2\u2069']);
});

test('the palette of VOC', () => {
  const color = (r, g, b) => r | (g << 8) | (b << 16);
  assert.deepEqual([0, 1, 2, 3, 20, 255].map(vocColor), [0, color(128, 0, 0), color(0, 128, 0), color(128, 128, 0), color(0, 64, 128), color(224, 224, 192)]);
  assert.equal(new Set(Array.from({ length: 256 }, (_, i) => vocColor(i))).size, 256);
});
