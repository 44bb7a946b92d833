import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replacements } from './classdelete.js';

test('labels of a deleted class become undecided unless another class is chosen', () => {
  const list = replacements([{ id: 0, name: 'background' }, { id: 2, name: 'cat' }]);
  assert.deepEqual(list, [{ text: 'Undecided', value: 255 }, { text: 'background', value: 0 }, { text: 'cat', value: 2 }]);
});
