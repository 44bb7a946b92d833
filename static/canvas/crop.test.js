import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cropTo } from './crop.js';

/** @param {number} length @param {[number, number, number][]} parts start, end, amount */
function sums(length, parts) {
  const all = new Float64Array(length);
  for (const [start, end, amount] of parts) all.fill(amount, start, end);
  return all;
}

test('a crop holds what differs and some of its surroundings, in the wanted proportions', () => {
  const { left, top, right, bottom } = cropTo(sums(400, [[300, 360, 5]]), sums(300, [[100, 150, 6]]), 4 / 3);
  assert.ok(left < 300 && right > 360 && top < 100 && bottom > 150);
  assert.ok(right - left < 140, 'it is a crop');
  assert.ok(Math.abs((right - left) / (bottom - top) - 4 / 3) < 0.05);
});

test('strays do not make it larger', () => {
  const alone = cropTo(sums(400, [[300, 360, 5]]), sums(300, [[100, 150, 6]]), 4 / 3);
  const strays = cropTo(sums(400, [[300, 360, 5], [4, 6, 2]]), sums(300, [[100, 150, 6], [280, 282, 2]]), 4 / 3);
  assert.ok(Math.abs(strays.left - alone.left) <= 3 && Math.abs(strays.bottom - alone.bottom) <= 3, JSON.stringify([alone, strays]));
});

test('a crop stays within the picture', () => {
  assert.deepEqual(cropTo(new Float64Array(40), new Float64Array(30), 1), { left: 0, top: 0, right: 40, bottom: 30 });
  const corner = cropTo(sums(400, [[0, 4, 1]]), sums(300, [[0, 4, 1]]), 4 / 3);
  assert.ok(corner.left === 0 && corner.top === 0 && corner.right >= 80);
  assert.deepEqual(cropTo(sums(400, [[0, 400, 1]]), sums(300, [[0, 300, 1]]), 4 / 3), { left: 0, top: 0, right: 400, bottom: 300 });
  const tall = cropTo(sums(100, [[10, 90, 1]]), sums(500, [[200, 300, 1]]), 1.5);
  assert.ok(tall.left === 0 && tall.right === 100 && tall.top < 200 && tall.bottom > 300);
});
