import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf } from './chrome.js';
import { Hypotheses } from '../evidence/hypotheses.js';

const classes = [{ id: 0, name: 'background' }, { id: 1, name: 'object' }];

test('the status line asks nothing of people who can only view', () => {
  const session = (/** @type {number} */ click, readOnly = true, label = 255) => ({
    save: 'saved', readOnly, guess: null, hypotheses: new Hypotheses(), evidence: { pending: [], present: { clicks: Uint8Array.of(255, click), labels: Uint8Array.of(255, label), said: { boxes: [] } } },
  });
  const says = (/** @type {any} */ of) => statusOf({ session: of, classes, rest: 0, lasting: true, touch: false });
  assert.equal(says(session(255)), 'Nobody has labelled this image yet');
  assert.equal(says(session(255, true, 1)), 'Labelled without clicks: there are no hypotheses', 'an imported mask');
  assert.equal(says(session(1)), 'Searching for hypotheses');
  assert.equal(says(session(255, false)), 'Press 2, then click a piece of object');
});
