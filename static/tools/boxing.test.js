import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Boxing } from './boxing.js';

const image = { width: 100, height: 60 };

/** @param {[number, number][]} points @param {number} scale */
function drawn([from, ...rest], scale = 1) {
  const boxing = new Boxing('paint', from, image, () => scale);
  for (const point of rest) boxing.extend(point);
  return boxing.drawn().box;
}

test('a box stays within the image', () => {
  assert.deepEqual(drawn([[50, 30], [10, 10], [140, -8]]), { corners: [50, 0, 100, 30], tap: false });
});

test('what is too small to be seen as a box is a tap', () => {
  assert.equal(drawn([[50, 30]])?.tap, true);
  assert.equal(drawn([[50, 30], [90, 32]])?.tap, true);
  assert.equal(drawn([[50, 30], [54, 34]])?.tap, true);
  assert.equal(drawn([[50, 30], [54, 34]], 8)?.tap, false);
  assert.equal(drawn([[50, 30], [50.5, 30.5]], 80)?.tap, true, 'the server refuses less than a pixel');
});
