import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limited, placement } from './layout.js';

const laptop = { width: 1280, height: 720 };

test('the hypotheses lie where they leave the image more', () => {
  for (const image of [{ width: 500, height: 375 }, { width: 500, height: 333 }, { width: 333, height: 500 }, { width: 4000, height: 4000 }]) {
    assert.equal(placement(image, laptop), 'beside', JSON.stringify(image));
  }
  assert.equal(placement({ width: 4000, height: 900 }, { width: 1100, height: 900 }), 'below', 'a panorama');
  const [wide, tall] = [{ width: 500, height: 375 }, { width: 333, height: 500 }];
  const [phone, tablet] = [{ width: 390, height: 844 }, { width: 820, height: 1180 }];
  assert.deepEqual([wide, tall].map((image) => placement(image, phone)), ['below', 'below']);
  assert.deepEqual([wide, tall].map((image) => placement(image, tablet)), ['below', 'below']);
  assert.equal(placement(tall, { width: 1180, height: 1080 }), 'beside');
  for (const window of [{ width: 844, height: 390 }, { width: 640, height: 360 }]) assert.equal(placement({ width: 4000, height: 900 }, window), 'beside', 'a low one');
});

test('the strip keeps within its limits', () => {
  assert.deepEqual([10, 300, 9000].map((size) => limited('beside', size, laptop)), [232, 300, 576]);
  assert.deepEqual([10, 100, 9000].map((size) => limited('below', size, laptop)), [56, 100, 288]);
});
