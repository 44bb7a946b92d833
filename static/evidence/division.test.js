import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Division } from './division.js';

const V = 255;
/** Superpixel 1 of 3 has two more parts, superpixel 2 one. */
const division = new Division(3, [7, 9, 11], [1, 1, 2]);

test('numbers after the map are parts of its superpixels', () => {
  assert.equal(division.size, 6);
  assert.deepEqual([0, 1, 3, 4, 5].map((s) => division.baseOf(s)), [0, 1, 1, 1, 2]);
  assert.deepEqual(division.numbers([0, 1]), [0, 1, 3, 4]);
  assert.ok(division.has([7, 9, 11]) && !division.has([7, 9]) && !division.has([7, 9, 12]));
});

test('labels of an undivided map fit, and so do those of more parts', () => {
  assert.deepEqual([...division.fitted(Uint8Array.of(4, 5, 6))], [4, 5, 6, 5, 5, 6]);
  assert.deepEqual([...new Division(3).fitted(Uint8Array.of(4, 5, 6, 5, 5, 6))], [4, 5, 6]);
});

test('what a click labels around it leaves the labelling blank', () => {
  const clicks = Uint8Array.of(V, V, V, 2, V, V);
  assert.ok(division.blank({ labels: Uint8Array.of(V, 2, V, 2, 2, V), clicks }));
  assert.ok(!division.blank({ labels: Uint8Array.of(V, 2, V, 2, 2, 1), clicks }));
});
