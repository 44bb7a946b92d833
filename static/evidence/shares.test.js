import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Division } from './division.js';
import { Parts } from './parts.js';
import { shares, undecided } from './shares.js';

test('repaired pixels count for their own class and not for that of their superpixel', () => {
  const map = { area: [8, 8], ids: Uint16Array.from([0, 0, 1, 1]), width: 2, height: 2 }; // 4 pixels of the image each
  const all = shares(Uint8Array.of(3, 255), map, Uint32Array.of(1, 3, 5));
  assert.deepEqual([all[3], all[5], all[255]], [0.25, 0.5, 0.25]);
});

test('erased pixels are undecided, painted ones are not', () => {
  const map = /** @type {any} */ ({ n: 2, area: [2, 2], ids: Uint16Array.of(0, 0, 1, 1), width: 2, height: 2, fullWidth: 2, fullHeight: 2, first: [0, 2], start: [0, 2], end: [2, 4] });
  const parts = Object.assign(Object.create(Parts.prototype), { map, division: new Division(2), last: {} });
  const share = (/** @type {number[]} */ labels, /** @type {number[]} */ ...repairs) => undecided({ labels: Uint8Array.from(labels), repairs: Uint32Array.from(repairs) }, parts);
  assert.equal(share([3, 4]), 0);
  assert.equal(share([3, 4], 1, 2, 255), 0.25);
  assert.equal(share([3, 255], 2, 4, 5), 0);
  assert.equal(share([255, 255], 0, 3, 255), 1);
});
