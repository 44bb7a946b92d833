import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIRECTIONS, followed, moved, panned, reached, stepOf } from './steer.js';

const image = { width: 400, height: 300 };
const window = { width: 1000, height: 600 };

test('steps look alike at every zoom and are whole pixels', () => {
  assert.deepEqual([0.1, 0.5, 1, 8, 64].map((scale) => stepOf(scale, false)), [80, 16, 8, 1, 1]);
  assert.deepEqual([0.1, 0.5, 1, 8, 64].map((scale) => stepOf(scale, true)), [640, 128, 64, 8, 1]);
});

test('the point stands in the middle of a pixel of the image', () => {
  assert.deepEqual(moved([10.2, 20.9], DIRECTIONS.right, 8, image), [18.5, 20.5]);
  assert.deepEqual(moved([10.2, 20.9], DIRECTIONS.up, 8, image), [10.5, 12.5]);
  assert.deepEqual(moved([3, 20], DIRECTIONS.left, 8, image), [0.5, 20.5]);
  assert.deepEqual(moved([399.5, 299.5], DIRECTIONS.down, 8, image), [399.5, 299.5]);
  assert.deepEqual(moved([500, -20], [0, 0], 8, image), [399.5, 0.5]);
});

test('there and back is the same pixel', () => {
  for (const step of [1, 7, 64]) {
    for (const [way, back] of [['left', 'right'], ['up', 'down']]) {
      assert.deepEqual(moved(moved([200.5, 150.5], DIRECTIONS[way], step, image), DIRECTIONS[back], step, image), [200.5, 150.5]);
    }
  }
});

test('more of the right is seen when the image goes left', () => {
  assert.deepEqual(panned(DIRECTIONS.right, window), [-250, 0]);
  assert.deepEqual(panned(DIRECTIONS.up, window), [0, 150]);
});

test('the view goes along no further than it has to', () => {
  assert.deepEqual(followed([500, 300], window), [0, 0]);
  assert.deepEqual(followed([-10, 590], window), [74, -54]);
  const [x, y] = [1200, -40];
  const [dx, dy] = followed([x, y], window);
  assert.deepEqual(followed([x + dx, y + dy], window), [0, 0]);
  assert.deepEqual(followed([50, 50], { width: 100, height: 100 }), [0, 0]); // a small window has a middle too
});

test('a place is said with what is there', () => {
  assert.equal(reached([18.5, 0.5], 'cup'), 'cup, column 18, row 0');
});
