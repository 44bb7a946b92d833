import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paintButtons, statusOf } from './chrome.js';
import { Hypotheses } from '../evidence/hypotheses.js';

const classes = [{ id: 0, name: 'background' }, { id: 1, name: 'object' }];

test('the status line asks nothing of people who can only view', () => {
  const session = (/** @type {number} */ click, readOnly = true, label = 255) => ({
    save: 'saved', readOnly, guess: null, hypotheses: new Hypotheses(), evidence: { pending: [], present: { clicks: Uint8Array.of(255, click), labels: Uint8Array.of(255, label), said: { boxes: [] } } },
  });
  const says = (/** @type {any} */ of) => statusOf({ session: of, classes, active: 0, rest: 0, lasting: true, touch: false });
  assert.equal(says(session(255)), 'Nobody has labelled this image yet');
  assert.equal(says(session(255, true, 1)), 'Labelled without clicks: there are no hypotheses', 'an imported mask');
  assert.equal(says(session(1)), 'Searching for hypotheses');
  const ended = (/** @type {number[]} */ of, /** @type {import('../evidence/protocol.js').DoneReason} */ reason, /** @type {string} */ detail) => {
    const viewed = session(1);
    viewed.hypotheses.start({ type: 'run', run: 1, seq: 1, count: 20, classes: of });
    viewed.hypotheses.add({ run: 1, seq: 1, rank: 0, energy: 0, digest: 'a', labels: new Uint8Array(2) });
    viewed.hypotheses.finish({ type: 'done', run: 1, reason, detail });
    return says(viewed);
  };
  assert.equal(ended([0, 1], 'complete', 'Everything is accepted. Click where it is wrong.'), 'Everything is accepted');
  assert.equal(ended([1], 'one-class', 'Click a superpixel of another class.'), 'Only one class is labelled so far');
  assert.equal(ended([0, 1], 'complete', ''), '1 hypothesis');
  assert.equal(says(session(255, false)), 'Press 2, then click a piece of object');
  assert.match(says({ ...session(1), save: 'offline', link: { blocked: true } }), /^Offline: no websocket gets through/);
});

test('no tap is awaited any more when no region can be accepted', (t) => {
  globalThis.document = /** @type {any} */ ({ getElementById: () => ({}) });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const session = /** @type {any} */ ({ evidence: { depth: () => ({ undo: 0, redo: 0 }) }, hypotheses: new Hypotheses(), readOnly: false });
  const picks = (/** @type {string} */ preview, acceptable = true) => {
    const acceptance = /** @type {any} */ ({ choice: { selected: null }, preview, barred: false, picking: true, acceptable: () => acceptable, pickRegion: (/** @type {boolean} */ on) => (acceptance.picking = on) });
    paintButtons(session, acceptance);
    return acceptance.picking;
  };
  assert.equal(picks('hypothesis 1 of 2'), true);
  assert.equal(picks(''), false, 'nothing is shown that differs');
  assert.equal(picks('hypothesis 1 of 2', false), false, 'it is out of date');
});
