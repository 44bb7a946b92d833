import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inWords, nearest, steps } from './granularity.js';

test('the steps hold the finest and the default, a quarter of it', () => {
  const found = steps(2400);
  assert.equal(found.at(-1), 2400);
  assert.equal(found.at(-5), 600);
  assert.ok(found[0] >= 10 && found[0] < 15, `coarsest ${found[0]}`);
  found.forEach((n, i) => assert.ok(i === 0 || n > found[i - 1]));
});

test('an image of few pixels has one step', () => assert.deepEqual(steps(1), [1]));

test('the nearest step is so in proportion', () => {
  assert.equal(nearest([100, 200, 400], 290), 2);
  assert.equal(nearest([100, 200, 400], 270), 1);
  assert.equal(nearest([100, 200, 400], 1), 0);
});

test('what stays divided is said', () => {
  const granularity = { regions: 80, wanted: 75, finest: 2400, split: 0 };
  assert.equal(inWords(granularity), '80 superpixels');
  assert.equal(inWords({ ...granularity, regions: 1 }), '1 superpixel');
  assert.match(inWords({ ...granularity, split: 3 }), /80 superpixels, 3 divided/);
});
