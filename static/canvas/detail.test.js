import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alike, partToKeep } from './detail.js';

test('small images are kept whole', () => {
  const seen = { left: 100.5, top: 3.2, right: 700.1, bottom: 400 };
  assert.deepEqual(partToKeep(seen, { width: 4000, height: 3000 }, 12e6), { left: 0, top: 0, right: 4000, bottom: 3000 });
});

test('of large ones as much as there is room for, around what is seen', () => {
  const image = { width: 8000, height: 5000 };
  const part = partToKeep({ left: 3000.4, top: 2000.4, right: 4000.4, bottom: 2500.4 }, image, 2e6);
  assert.deepEqual(part, { left: 2500, top: 1750, right: 4501, bottom: 2751 });
  const corner = partToKeep({ left: 7900, top: 0, right: 8000, bottom: 50 }, image, 2e6);
  assert.deepEqual(corner, { left: 6950, top: 0, right: 8000, bottom: 525 });
});

test('nothing where more is seen than there is room for', () => {
  assert.equal(partToKeep({ left: 0, top: 0, right: 2000, bottom: 1001 }, { width: 8000, height: 5000 }, 2e6), null);
});

test('pictures are alike that differ by noise, not by a turn', () => {
  const side = 128;
  /** @param {(x: number, y: number) => number} shade */
  const pixels = (shade) => Uint8ClampedArray.from({ length: side * side * 4 }, (_, i) => shade((i >> 2) % side, Math.floor(i / 4 / side)));
  const picture = pixels((x, y) => x + (y > 100 ? 90 : 0));
  assert.ok(alike(picture, picture));
  assert.ok(alike(picture, pixels((x, y) => x + (y > 100 ? 90 : 0) + ((x + y) % 2 ? 60 : -60))), 'the mean of a patch counts');
  assert.ok(!alike(picture, pixels((x, y) => x + (y < 27 ? 90 : 0))), 'upside down');
  assert.ok(!alike(picture, pixels((x, y) => side - x + (y > 100 ? 90 : 0))), 'mirrored');
  assert.ok(!alike(picture, pixels((x, y) => (x < 8 && y < 8 ? 255 : x + (y > 100 ? 90 : 0)))), 'a single patch');
});
