import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GuessNote, guessText, onlyGuessed } from './guess.js';

test('a guess says where it comes from and what it is sure of', () => {
  const nameOf = (/** @type {number} */ id) => ['sky', 'road', 'tree', 'car'][id];
  const sure = [{ class: 1, area: 0.5 }, { class: 0, area: 0.2 }];
  assert.equal(guessText({ model: 2, learnt: 23, sure }, nameOf), 'Guessed from 23 finished images, sure of 70\u00a0%: road, sky');
  assert.equal(guessText({ model: 2, learnt: 5, sure: [...sure, { class: 2, area: 0.1 }, { class: 3, area: 0.01 }] }, nameOf), 'Guessed from 5 finished images, sure of 81\u00a0%: road, sky, tree, 1 more');
  assert.equal(guessText({ model: 0, learnt: 0, sure: [] }, nameOf), 'Guessed from imported scores, sure of nothing yet');
  assert.match(guessText({ model: 2, learnt: 23, sure }, nameOf, true), /no longer counts/);
});

test('a guess is all that there is until something is labelled or imported scores are the guess', () => {
  const V = 255;
  const guess = { model: 1, learnt: 5, sure: [] };
  const evidence = (/** @type {number[]} */ labels, /** @type {unknown[]} */ pending = []) => ({ pending, present: { labels: Uint8Array.from(labels) } });
  assert.ok(onlyGuessed({ guess, evidence: evidence([V, V]) }));
  assert.ok(!onlyGuessed({ guess, evidence: evidence([V, 1]) }));
  assert.ok(!onlyGuessed({ guess, evidence: evidence([V, V], ['undo']) }));
  assert.ok(!onlyGuessed({ guess: { ...guess, model: 0, learnt: 0 }, evidence: evidence([V, V]) }));
  assert.ok(!onlyGuessed({ guess: null, evidence: evidence([V, V]) }));
});

test('an answer that is older than what is shown changes nothing', () => {
  /** @type {any} */
  const setting = { checked: true, addEventListener() {} };
  globalThis.document = /** @type {any} */ ({ getElementById: () => setting });
  const note = new GuessNote({}, /** @type {any} */ ({}));
  const { heard } = note;
  note.adopt({ learning: false });
  note.adopt({ learning: true }, heard);
  assert.equal(setting.checked, false, 'asked before the news');
  note.adopt({ learning: true }, note.heard);
  assert.equal(setting.checked, true, 'asked after it');
});

test('the guess as it is becomes an offer unless the evidence has changed meanwhile', async (t) => {
  globalThis.document = /** @type {any} */ ({ getElementById: () => ({ addEventListener() {} }) });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const session = { hypotheses: { run: 4 }, evidence: { seq: 1, map: 'm' }, mayAsk: () => true };
  /** @type {any[]} */
  const offers = [];
  const note = new GuessNote({ image: 'i' }, /** @type {any} */ ({ session, offer: (/** @type {any} */ card) => offers.push(card) }));
  t.mock.method(globalThis, 'fetch', async () => Response.json({ seq: 1, map: 'm', labels: [2, 0], digest: 'd', energy: -3 }));
  await note.show();
  assert.deepEqual(offers.map(({ rank, digest, offer, labels }) => [rank, digest, offer, [...labels]]), [[-1, 'd', { guess: true }, [2, 0]]]);
  const late = note.show();
  session.hypotheses.run = 5;
  await late;
  session.evidence.seq = 2;
  await note.show();
  assert.equal(offers.length, 1);
});
