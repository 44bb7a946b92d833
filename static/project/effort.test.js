import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effortText, groups, worked } from './effort.js';

/** @param {number} n */
const images = (n) => Array.from({ length: n }, (_, i) => ({ name: `${i}.png`, actions: n - i, guessed: i >= 5 }));

test('few images have a bar each, many share one', () => {
  assert.deepEqual(groups(images(2)), [
    { label: '1. 0.png', actions: 2, guessed: 0, images: 1 },
    { label: '2. 1.png', actions: 1, guessed: 0, images: 1 },
  ]);
  for (const n of [0, 1, 39, 40, 41, 1000, 9999]) {
    const list = groups(images(n));
    assert.ok(list.length <= 40, `${n} images have ${list.length} groups`);
    assert.equal(list.reduce((sum, g) => sum + g.images, 0), n);
    assert.equal(list.reduce((sum, g) => sum + g.guessed, 0), Math.max(0, n - 5));
  }
  assert.equal(groups(images(41)).at(-1)?.label, '41');
});

test('the sentence compares the beginning with the end', () => {
  assert.equal(effortText(images(1)), '1 finished image, 1 action.');
  assert.equal(effortText(images(2).map((im) => ({ ...im, actions: 1 }))), '2 finished images, 1 action each.');
  assert.equal(effortText(images(4)), '4 finished images, 2.5 actions each.');
  assert.equal(effortText(images(10)), '10 finished images, 5.5 actions each. The first 5 took 8 actions each, the last 5 took 3.');
});

test('imported images took no work', () => {
  const imported = { name: 'imported.png', actions: 0, guessed: false };
  assert.deepEqual(worked([imported, ...images(2), imported]), images(2));
});
