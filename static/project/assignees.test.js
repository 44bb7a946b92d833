import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder } from './assignees.js';

test('one’s own name comes first, the others follow by name, each once', () => {
  assert.deepEqual(inOrder(['cleo', 'bob', 'ann', 'bob'], 'bob'), ['bob', 'ann', 'cleo']);
  assert.deepEqual(inOrder(['cleo', 'ann'], 'bob'), ['ann', 'cleo']);
  assert.deepEqual(inOrder([], ''), []);
});
