import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restMeaning, restOptions } from './rest.js';

test('every value of the setting has an option and a meaning', () => {
  const options = restOptions([{ name: 'sky' }, { name: 'road' }]);
  assert.deepEqual(options.slice(0, 2), [
    { value: '0', text: 'sky' },
    { value: '1', text: 'road' },
  ]);
  for (const rest of /** @type {const} */ ([0, 1, null, 'undecided-first', 'nothing'])) {
    assert.equal(options.filter((o) => o.value === JSON.stringify(rest)).length, 1);
    assert.match(restMeaning(rest), /\.$/);
  }
});
