import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shares } from './shares.js';

test('repaired pixels count for their own class and not for that of their superpixel', () => {
  const map = { area: [8, 8], ids: Uint16Array.from([0, 0, 1, 1]), width: 2, height: 2 }; // 4 pixels of the image each
  const all = shares(Uint8Array.of(3, 255), map, Uint32Array.of(1, 3, 5));
  assert.deepEqual([all[3], all[5], all[255]], [0.25, 0.5, 0.25]);
});
