import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjacency } from '../superpixels/graph.js';
import { elsewhere } from './next.js';

test('the next suggestion lies elsewhere, and after the last comes the first', () => {
  const row = adjacency([0, 1, 2, 3, 4].map((a) => ({ a, b: a + 1 })), 6); // 0 - 1 - 2 - 3 - 4 - 5
  const worth = [2, 3, 5, 1];
  /** @type {number[]} */
  const past = [];
  for (const want of [2, 5, 3, 1]) {
    assert.equal(elsewhere(worth, past, row), want);
    past.push(want);
  }
  assert.equal(elsewhere(worth, past, row), 2);
  assert.equal(elsewhere([], past, row), -1);
});
