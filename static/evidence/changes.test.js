import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changes, inWords, whatChanges } from './changes.js';

const names = ['table', 'cup', 'sky'];
const nameOf = (label) => names[label] ?? 'undecided';
const area = [4, 46, 30, 20];

/** @param {number[]} from @param {number[]} to */
const between = (from, to) => changes(Uint8Array.from(from), Uint8Array.from(to), area);

test('changes are summed by pair of classes, the largest first', () => {
  assert.deepEqual(between([1, 0, 0, 2], [0, 0, 2, 0]), [
    { from: 0, to: 2, share: 0.3 },
    { from: 2, to: 0, share: 0.2 },
    { from: 1, to: 0, share: 0.04 },
  ]);
  assert.deepEqual(between([1, 0, 0, 2], [1, 0, 0, 2]), []);
});

test('a card says what it changes', () => {
  assert.equal(inWords(between([1, 0, 0, 2], [0, 0, 0, 2]), nameOf), 'cup → table, 4\u00a0%');
  assert.equal(inWords(between([1, 0, 0, 2], [1, 0, 0, 2]), nameOf), 'same as now');
  assert.equal(inWords(between([1, 0, 0, 2], [0, 0, 2, 2]), nameOf), 'table → sky, 34\u00a0%', 'the larger part stands for all');
  assert.equal(inWords(between([1, 0, 0, 2], [1, 0, 2, 0]), nameOf), 'table → sky, sky → table, 50\u00a0%');
  assert.equal(whatChanges(between([1, 0, 0, 2], [0, 0, 2, 0]), nameOf), 'table → sky, sky → table, …');
});

test('what is labelled for the first time is named by its classes', () => {
  assert.equal(inWords(between([255, 255, 255, 255], [1, 0, 0, 0]), nameOf), 'cup 4\u00a0%, table 96\u00a0%');
  assert.equal(inWords(between([1, 0, 255, 2], [0, 0, 2, 2]), nameOf), 'sky 30\u00a0%');
});
