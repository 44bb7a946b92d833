import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alternatives } from './alternatives.js';
import { VOID } from './protocol.js';

// Six superpixels in a row.
const graph = { first: Uint32Array.of(0, 1, 3, 5, 7, 9, 10), to: Uint32Array.of(1, 0, 2, 1, 3, 2, 4, 3, 5, 4) };

/** @param {string} labels @param {number} count */
const card = (labels, count) => ({ rank: 0, digest: labels, energy: 0, stale: false, count, labels: Uint8Array.from(labels, Number) });

const blank = new Uint8Array(6).fill(VOID);

test('a region offers what the hypotheses say of it, with their support', () => {
  const cards = [card('011200', 6), card('011100', 3), card('000000', 3)];
  const found = alternatives(1, { cards, graph, clicks: blank, labels: blank });
  assert.ok(found);
  assert.equal(found.total, 12);
  assert.deepEqual(found.superpixels, [1, 2], 'superpixel 3 goes its own way half of the time');
  assert.deepEqual(found.options.map(({ label, count, card: c, superpixels }) => [label, count, c.digest, superpixels]), [
    [1, 9, '011200', [1, 2]],
    [0, 3, '000000', [1, 2]],
  ]);
});

test('a choice takes only what its hypothesis says, connected with the place in question', () => {
  const cards = [card('011110', 8), card('022120', 2)];
  const found = alternatives(1, { cards, graph, clicks: blank, labels: Uint8Array.of(0, 1, 1, 1, 1, 0) });
  assert.ok(found);
  assert.deepEqual(found.superpixels, [1, 2], 'superpixel 3 is the same in all and ends the region');
  assert.deepEqual(found.options.map(({ label, superpixels, current }) => [label, superpixels, current]), [[1, [1, 2], true], [2, [1, 2], false]]);
});

test('there is nothing to offer where all agree, where the person clicked, and outside', () => {
  const cards = [card('011000', 1), card('000000', 1)];
  const clicks = blank.slice();
  clicks[2] = 1;
  const known = { cards, graph, clicks, labels: blank };
  assert.equal(alternatives(0, known), null);
  assert.equal(alternatives(2, known), null);
  assert.equal(alternatives(-1, known), null);
  assert.equal(alternatives(1, { ...known, cards: [] }), null);
  assert.deepEqual(alternatives(1, known)?.superpixels, [1], 'a click ends the region');
});
