import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitting, SIZES, Stroke } from './strokes.js';

/** 16 × 8 pixels in squares of 4: superpixels 0..3 above 4..7. */
const map = (() => {
  const ids = Uint16Array.from({ length: 128 }, (_, i) => Math.floor((i % 16) / 4) + 4 * Math.floor(i / 64));
  const first = [0];
  const start = [];
  const length = [];
  for (let s = 0; s < 8; s++) {
    for (let r = 0; r < 4; r++) {
      start.push((Math.floor(s / 4) * 4 + r) * 16 + (s % 4) * 4);
      length.push(4);
    }
    first.push(start.length);
  }
  return { n: 8, width: 16, height: 8, fullWidth: 32, fullHeight: 16, ids, first, start, length };
})();
const stroke = (tool, size, exact, ...points) => {
  const s = new Stroke(map, { tool, mode: 'paint', exact, size, pointIn: (i) => [i, i] }, tool === 'polygon' ? points : [points[0]]);
  for (const p of tool === 'polygon' ? [] : points.slice(1)) s.extend(p);
  return s.drawn();
};

test('the superpixel tool takes what the pointer passes', () => {
  const { superpixels, points, runs } = stroke('superpixel', 99, true, [4, 4], [12, 4], [12, 12]);
  assert.deepEqual([superpixels, points.length, runs], [[0, 1, 5], 3, null]);
});

test('a brush takes what it passes and what it covers by half', () => {
  assert.deepEqual(stroke('brush', 2, false, [4, 4], [20, 4]).superpixels, [0, 1, 2]);
  assert.deepEqual(stroke('brush', 14, false, [4, 7], [12, 7]).superpixels.sort(), [0, 1, 4, 5]);
  assert.equal(stroke('eraser', 2, false, [4, 4]).superpixels.length, 1);
});

test('exact strokes are pixels of the image', () => {
  const { superpixels, runs } = stroke('brush', 2, true, [4, 4], [6, 4]);
  assert.deepEqual([superpixels, runs], [[], [3 * 32 + 3, 4, 4 * 32 + 3, 4]]);
});

test('a rectangle, drawn from any corner', () => {
  assert.deepEqual(stroke('rectangle', 1, true, [6, 3], [9, 9], [2, 1]).runs, [32 + 2, 4, 64 + 2, 4]);
  assert.deepEqual(stroke('rectangle', 1, false, [0, 0], [16, 8]).superpixels, [0, 1]);
  assert.deepEqual(stroke('rectangle', 1, false, [17, 9], [18, 10]).superpixels, [6], 'the superpixel under a small one');
});

test('a polygon', () => {
  assert.deepEqual(stroke('polygon', 1, true, [0, 0], [4, 0], [0, 4]).runs, [0, 3, 32, 2, 64, 1]);
  assert.deepEqual(stroke('polygon', 1, false, [0, 0], [32, 0], [32, 16]).superpixels, [1, 2, 3, 7]);
});

test('the brush fits the image', () => {
  assert.equal(SIZES[fitting(500)], 16);
  assert.equal(SIZES[fitting(4000)], 128);
});
