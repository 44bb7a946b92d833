import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percent } from './numbers.js';

test('percentages are 0 and 100 only when they are', () => {
  assert.deepEqual([0, 0.001, 0.234, 0.999, 1].map(percent), ['0\u00a0%', '<\u00a01\u00a0%', '23\u00a0%', '99\u00a0%', '100\u00a0%']);
});
