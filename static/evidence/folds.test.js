import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaders } from './folds.js';

const area = [1000, 3, 4, 1000];

/** @param {string} labels @param {boolean} [stale] */
const card = (labels, stale = false) => ({ rank: 0, digest: labels, energy: 0, stale, count: 1, labels: Uint8Array.from(labels, Number) });

test('a card is folded into the first that differs from it on next to nothing', () => {
  const cards = ['0000', '0100', '1000', '0010', '1010', '0110'].map((l) => card(l));
  assert.deepEqual(leaders(cards, area), [0, 0, 2, 0, 2, 0]);
});

test('folds do not chain: what is compared with is always a card that is shown', () => {
  const cards = ['000', '010', '011'].map((l) => card(l));
  assert.deepEqual(leaders(cards, [1000, 4, 4]), [0, 0, 2]);
});

test('stale cards stand for themselves', () => {
  assert.deepEqual(leaders([card('0000'), card('0100', true), card('0100')], area), [0, 1, 0]);
});
