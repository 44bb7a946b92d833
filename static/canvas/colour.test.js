import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ink, pixels, vocColor } from './colour.js';

test('colours become pixels, void stays clear, ink can be read', () => {
  const table = pixels(['#102030', '#ffffff']);
  assert.deepEqual([...new Uint8Array(table.buffer, 0, 4)], [0x10, 0x20, 0x30, 255]);
  assert.equal(table[255], 0);
  assert.equal(table[2], 0);
  assert.deepEqual([ink('#ffffff'), ink('#000000'), ink('#f5d547')], ['#000000', '#ffffff', '#000000']);
});

test('the palette of VOC', () => {
  const color = (r, g, b) => r | (g << 8) | (b << 16);
  assert.deepEqual([0, 1, 2, 3, 20, 255].map(vocColor), [0, color(128, 0, 0), color(0, 128, 0), color(128, 128, 0), color(0, 64, 128), color(224, 224, 192)]);
  assert.equal(new Set(Array.from({ length: 256 }, (_, i) => vocColor(i))).size, 256);
});
