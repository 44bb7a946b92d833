import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barring, barringPixels } from './barred.js';
import { Division } from './division.js';
import { fromRecords, NO_REPAIRS } from './repairs.js';
import { VOID } from './protocol.js';

/** Superpixel 1 of 3 has another part. */
const division = new Division(3, [7], [1]);

/** @param {number[]} labels @param {number[]} locked */
const present = (labels, locked, repairs = NO_REPAIRS) => ({ labels: Uint8Array.from(labels), said: { boxes: [], excluded: [], locked, objects: [] }, repairs });

test('what lies in locked classes alone is barred', () => {
  const now = present([1, 2, 3, 1], [1, 2]);
  const bars = (/** @type {number} */ label, /** @type {number[]} */ superpixels, point = false) => barring(now, { label, superpixels, point }, division);
  assert.deepEqual(bars(3, [0]), [1]);
  assert.deepEqual(bars(VOID, [0, 1]), [1, 2], 'clearing is painting');
  assert.deepEqual(bars(1, [0]), [], 'its own class');
  assert.deepEqual(bars(3, [0, 2]), [], 'the rest can be painted');
  assert.deepEqual(bars(1, [1]), [2], 'a stroke writes whole superpixels');
  assert.deepEqual(bars(1, [1], true), [], 'which part a click hits only the server knows');
  assert.deepEqual(bars(3, [1], true), [2, 1]);
  assert.deepEqual(barring(present([1, 2, 3, 1], []), { label: 3, superpixels: [0], point: true }, division), []);
});

test('so are pixels, by their own class where they have one', () => {
  const repairs = fromRecords([{ class: 2, runs: [4, 2] }]);
  const bars = (/** @type {number} */ label, /** @type {number[]} */ runs) => barringPixels(present([1, 3, 3, 3], [1, 2], repairs), { label, runs }, division, (pixel) => (pixel < 4 ? 0 : 1));
  assert.deepEqual(bars(3, [0, 4]), [1]);
  assert.deepEqual(bars(3, [2, 4]), [1, 2]);
  assert.deepEqual(bars(3, [2, 5]), [], 'pixel 6 is of class 3');
  assert.deepEqual(bars(2, [4, 2]), []);
  assert.deepEqual(bars(VOID, [0, 1]), [1]);
});
