import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardOf } from './whatif.js';

test('a supposed labelling is an offer that names its superpixels and their class', () => {
  const supposed = { class: 4, labels: [4, 4, 0], digest: 'd', energy: -2.5, area: 0.031 };
  const asked = [0, 1];
  const card = cardOf(supposed, asked, (id) => `class ${id}`);
  assert.equal(card.name, 'class 4, changes 3\u00a0%');
  assert.deepEqual(card.offer, { superpixels: [0, 1], class: 4 });
  assert.deepEqual([...card.labels], [4, 4, 0]);
  assert.equal(card.rank, -1);
  assert.ok(!card.stale);
  asked.push(2);
  assert.deepEqual(card.offer, { superpixels: [0, 1], class: 4 }, 'the question is kept as it was asked');
});
