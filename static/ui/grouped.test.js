import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grouped } from './grouped.js';

test('groups items by key, in their order', () => {
  assert.deepEqual([...grouped(['b2', 'a1', 'b1'], (item) => item[0])], [['b', ['b2', 'b1']], ['a', ['a1']]]);
  assert.equal(grouped([], String).size, 0);
});
