import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hypotheses } from '../evidence/hypotheses.js';
import { statusLine } from './status.js';

const classes = [{ id: 0, name: 'background' }, { id: 1, name: 'object' }];

/** @param {number[]} clicks @param {(h: Hypotheses) => void} [prepare] @param {number} [rest] @param {{active?: number, touch?: boolean, labels?: number[]}} [also] */
function line(clicks, prepare = () => {}, rest = -1, { active, touch = false, labels = clicks } = {}) {
  const hypotheses = new Hypotheses();
  prepare(hypotheses);
  return statusLine({ clicks: Uint8Array.from(clicks), labels: Uint8Array.from(labels), classes, active, rest, hypotheses, touch });
}

test('the status line says what is missing or how the search stands', () => {
  assert.match(line([255, 255]), /^Press 1, then click a piece of background$/);
  assert.match(line([0, 255]), /^To get hypotheses, press 2, then click a piece of object$/);
  assert.match(line([255, 1]), /press 1, then click a piece of background$/);
  const run = (h) => h.start({ type: 'run', run: 1, seq: 2, count: 20, classes: [0, 1] });
  const add = (h, rank, digest) => h.add({ run: 1, seq: 2, rank, energy: 0, digest, labels: new Uint8Array(2) });
  assert.equal(line([0, 1], run), 'Searching for hypotheses');
  assert.equal(line([0, 1], (h) => (run(h), add(h, 0, 'a'))), '1 hypothesis, 1 of 20 tried');
  const end = (h, reason, detail) => h.finish({ type: 'done', run: 1, reason, detail });
  assert.equal(line([0, 1], (h) => (run(h), add(h, 0, 'a'), add(h, 1, 'b'), end(h, 'complete'))), '2 hypotheses');
  assert.equal(line([0, 1], (h) => (run(h), add(h, 0, 'a'), add(h, 1, 'a'), end(h, 'complete'))), '1 hypothesis (1 duplicate)');
  const boxed = new Hypotheses();
  assert.match(statusLine({ clicks: Uint8Array.of(255), labels: Uint8Array.of(255), boxed: true, classes, hypotheses: boxed, touch: false }), /^Press 1/);
  run(boxed);
  assert.equal(statusLine({ clicks: Uint8Array.of(255), labels: Uint8Array.of(255), boxed: true, classes, hypotheses: boxed, touch: false }), 'Searching for hypotheses');
  assert.equal(line([0, 1], (h) => (run(h), end(h, 'failed', 'Broken.'))), 'Broken.');
  assert.equal(line([0, 1], (h) => (run(h), end(h, 'busy', 'They have to wait.'))), 'They have to wait.');
});

test('the status line asks for corrections of what is labelled without clicks', () => {
  assert.equal(line([255, 255], undefined, -1, { active: 1, labels: [0, 1] }), 'Labelled without clicks. Click where it is wrong.');
  assert.equal(line([255, 255], undefined, 0, { labels: [255, 1], touch: true }), 'Labelled without clicks. Tap where it is wrong.');
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

test('the status line asks fingers to tap', () => {
  const accepted = (/** @type {Hypotheses} */ h) => {
    h.start({ type: 'run', run: 1, seq: 2, count: 20, classes: [0, 1] });
    h.finish({ type: 'done', run: 1, reason: 'complete', detail: 'Everything is accepted. Click where it is wrong.' });
  };
  assert.equal(line([0, 1], accepted), 'Everything is accepted. Click where it is wrong.');
  assert.equal(line([0, 1], accepted, -1, { touch: true }), 'Everything is accepted. Tap where it is wrong.');
  assert.equal(line([0, 255], undefined, -1, { touch: true }), 'Now choose a second class, such as object, and tap a piece of it', 'a tap alone would be of the first class');
});

test('the status line asks for no key of the class that is active', () => {
  assert.equal(line([255, 255], undefined, 0, { active: 1 }), 'Click a piece of object');
  assert.equal(line([255, 255], undefined, 0, { active: 1, touch: true }), 'Tap a piece of object');
  assert.equal(line([255, 255], undefined, 0, { active: 0 }), 'Press 2, then click a piece of object', 'nobody need click the rest');
  assert.equal(line([255, 0], undefined, -1, { active: 1 }), 'To get hypotheses, click a piece of object');
  assert.equal(line([255, 0], undefined, -1, { active: 0 }), 'To get hypotheses, press 2, then click a piece of object');
});
