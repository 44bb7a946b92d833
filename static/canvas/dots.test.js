import assert from 'node:assert/strict';
import { test } from 'node:test';
import { singles } from './dots.js';
import { visibility } from './mesh.js';

test('dots mark clicks, not strokes and imports', () => {
  const row = (/** @type {number} */ s) => [s - 1, s + 1 < 9 ? s + 1 : -1]; // 0 - 1 - … - 8
  const marked = (/** @type {number[]} */ clicks) => [...singles(Uint8Array.from(clicks), row)];
  const none = 255;
  assert.deepEqual(marked([1, none, 2, none, none, 0, 0, 0, 0]), [1, 0, 1, 0, 0, 0, 0, 0, 0], 'four in a row are a stroke');
  assert.deepEqual(marked([1, 1, 2, none, none, none, none, none, 3]), [1, 1, 1, 0, 0, 0, 0, 0, 1], 'clicks may touch');
});

test('boundaries fade as superpixels get small', () => {
  assert.deepEqual([2, 5, 11.5, 18, 90].map(visibility), [0, 0, 0.5, 1, 1]);
});
