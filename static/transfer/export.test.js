import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note } from './export.js';

test('the export says what is undecided', () => {
  assert.equal(note('', 0.25), '25\u00a0% undecided.');
  assert.equal(note('', 0), 'Everything is labelled.');
  assert.match(note('hypothesis 1 of 12', 1), /^This preview, hypothesis 1 of 12, is not accepted yet\. Your saved labelling is still empty\.$/);
});
