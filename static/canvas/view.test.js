import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounded, clear, filled, fit, held, toImage, toWindow, zoomTo } from './view.js';

const image = { width: 4000, height: 3000 };
const window = { width: 1000, height: 600 };

test('fit shows the whole image in the middle', () => {
  const view = fit(image, window, { top: 20, right: 20, bottom: 20, left: 20 });
  const [left, top] = toWindow(view, 0, 0);
  const [right, bottom] = toWindow(view, 4000, 3000);
  assert.ok(Math.abs(top - 20) < 1e-9 && Math.abs(bottom - 580) < 1e-9);
  assert.ok(Math.abs(left - (1000 - right)) < 1e-9 && left > 20);
});

test('the whole image fills the window but for a rim, which is narrower on a phone', () => {
  for (const [size, rim] of /** @type {const} */ ([[{ width: 1040, height: 510 }, 8], [{ width: 390, height: 620 }, 3], [{ width: 520, height: 340 }, 3]])) {
    for (const shape of [image, { width: 4000, height: 300 }, { width: 300, height: 4000 }]) {
      const view = clear(shape, size);
      const [left, top] = toWindow(view, 0, 0);
      const [right, bottom] = toWindow(view, shape.width, shape.height);
      assert.ok(left >= rim - 1e-9 && top >= rim - 1e-9 && right <= size.width - rim + 1e-9 && bottom <= size.height - rim + 1e-9, JSON.stringify(view));
      assert.ok(Math.min(left, top) < rim + 1e-9, 'it touches the rim');
    }
  }
});

test('a tiny image is shown no larger than zooming in goes, in the middle', () => {
  const view = clear({ width: 1, height: 3 }, window);
  assert.deepEqual(view, { scale: bounded(Infinity, image, window), left: 500 - 32, top: 300 - 96 });
});

test('zooming keeps the point under the cursor', () => {
  let view = fit(image, window);
  const before = toImage(view, 700, 123);
  for (const scale of [1, 8, 0.1, 3]) view = zoomTo(view, scale, 700, 123);
  const after = toImage(view, 700, 123);
  assert.ok(Math.hypot(after[0] - before[0], after[1] - before[1]) < 1e-6);
});

test('window and image coordinates are each other’s inverse', () => {
  const view = { scale: 0.37, left: -40, top: 12 };
  const [x, y] = toImage(view, ...toWindow(view, 123, 456));
  assert.ok(Math.abs(x - 123) < 1e-9 && Math.abs(y - 456) < 1e-9);
});

test('the scale stays useful and the image can’t be lost', () => {
  assert.equal(bounded(1000, image, window), 64);
  assert.ok(bounded(0, image, window) > 0);
  assert.ok(bounded(0.4, image, window) === 0.4);
  for (const [left, top] of [[1e6, 1e6], [-1e6, -1e6]]) {
    const view = held({ scale: 1, left, top }, image, window);
    const [l, t] = toWindow(view, 0, 0);
    const [r, b] = toWindow(view, 4000, 3000);
    assert.ok(l < 1000 && t < 600 && r > 0 && b > 0);
  }
});

test('a window beyond the rim of the image is moved back over it', () => {
  const [width, height] = [4000, 3000].map((length) => length * 0.5);
  assert.deepEqual(filled({ scale: 0.5, left: 500, top: 300 }, image, window), { scale: 0.5, left: 80, top: 80 });
  assert.deepEqual(filled({ scale: 0.5, left: -width, top: -height }, image, window), { scale: 0.5, left: 1000 - width - 80, top: 600 - height - 80 });
  assert.deepEqual(filled({ scale: 0.5, left: -300, top: -200 }, image, window), { scale: 0.5, left: -300, top: -200 });
  assert.deepEqual(filled({ scale: 0.1, left: -300, top: 90 }, image, window), { scale: 0.1, left: 300, top: 150 });
});
