import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from './find.js';

test('classes are found by part of the name, starts first', () => {
  assert.deepEqual(matches(['Sea', 'seal', 'chelsea', 'sky'], 'sea'), [0, 1, 2]);
  assert.deepEqual(matches(['a', 'b'], ''), [0, 1]);
  assert.deepEqual(matches(['Cafe\u0301', 'bar'], 'caf\u00e9'), [0]);
});
