import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beside } from './popup.js';

test('the alternatives lie beside the pointer, never under it', () => {
  const panel = { width: 180, height: 120 };
  for (const window of [{ width: 900, height: 640 }, { width: 390, height: 500 }, { width: 380, height: 330 }]) {
    for (let x = 0; x <= window.width; x += 10) {
      for (let y = 0; y <= window.height; y += 10) {
        const [left, top] = beside([x, y], panel, window);
        assert.ok(left >= 4 && top >= 4 && left + panel.width <= window.width && top + panel.height <= window.height, `outside at ${x}, ${y}`);
        const covered = x >= left - 8 && x <= left + panel.width + 8 && y >= top - 8 && y <= top + panel.height + 8;
        assert.ok(!covered, `the panel at ${left}, ${top} covers ${x}, ${y} in ${window.width} × ${window.height}`);
      }
    }
  }
});
