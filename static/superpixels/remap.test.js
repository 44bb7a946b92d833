import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renumbered, sources } from './remap.js';

/** A map of 4×2 pixels. @param {number[]} ids */
function mapOf(ids) {
  const n = Math.max(...ids) + 1;
  const first = [0];
  const start = [];
  for (let s = 0; s < n; s++) {
    ids.forEach((id, i) => id === s && start.push(i));
    first.push(start.length);
  }
  return {
    n, width: 4, height: 2, fullWidth: 8, fullHeight: 4, ids: Uint16Array.from(ids), area: new Float64Array(n),
    first: Uint32Array.from(first), start: Uint32Array.from(start), length: new Uint32Array(start.length).fill(1),
  };
}
const fine = mapOf([0, 1, 2, 3, 0, 1, 2, 3]);
const coarse = mapOf([0, 0, 1, 1, 0, 0, 1, 1]);

test('each superpixel finds the one that it comes from', () => {
  assert.deepEqual([...sources(coarse, fine)], [0, 0, 1, 1]);
  assert.ok([...sources(fine, coarse)].every((s, i) => s >> 1 === i));
});

test('a stroke keeps its points', () => {
  assert.deepEqual(renumbered([1, 2], [[3, 1], [5, 3]], fine, coarse), [0, 1]);
  assert.deepEqual(renumbered([1], [[7, 1]], coarse, fine), [3]);
});

test('a stroke without points keeps what it covers', () => {
  assert.deepEqual(renumbered([1], [], coarse, fine), [2, 3]);
  assert.deepEqual(renumbered([2], [], fine, coarse), [1]);
});
