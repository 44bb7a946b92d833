import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Division } from '../evidence/division.js';
import { singles } from './dots.js';
import { visibility } from './mesh.js';

test('dots mark clicks, not strokes and imports', () => {
  const row = (/** @type {number} */ s) => [s - 1, s + 1 < 9 ? s + 1 : -1]; // 0 - 1 - … - 8
  const marked = (/** @type {number[]} */ clicks, division = new Division(9)) => [...singles(Uint8Array.from(clicks), division, row)];
  const none = 255;
  assert.deepEqual(marked([1, none, 2, none, none, 0, 0, 0, 0]), [1, 0, 1, 0, 0, 0, 0, 0, 0], 'four in a row are a stroke');
  assert.deepEqual(marked([1, 1, 2, none, none, none, none, none, 3]), [0, 0, 1, 0, 0, 0, 0, 0, 1], 'and so are two');
  const divided = new Division(9, [20, 21, 22], [0, 1, 1]); // superpixels 0 and 1 have two and three parts
  assert.deepEqual(marked([1, none, none, none, none, none, none, none, none, none, 1, none], divided), [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0], 'two clicks on parts that touch');
  assert.deepEqual(marked([none, 2, 2, none, none, none, none, none, none, none, 2, 2], divided), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 'a stroke over a divided superpixel');
  assert.deepEqual(marked([none, 2, none, none, none, none, none, none, none, none, 2, 2], divided), [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 'all of a superpixel gets one dot');
});

test('boundaries fade as superpixels get small', () => {
  assert.deepEqual([2, 5, 11.5, 18, 90].map(visibility), [0, 0, 0.5, 1, 1]);
});
