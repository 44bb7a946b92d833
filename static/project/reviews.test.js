import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reviewIcon, reviewText } from './reviews.js';

/** @param {any} review @param {number} [seq] */
const image = (review, seq = 3) => ({ id: 'a', name: 'a.jpg', seq, review });

test('a review in short says when the image was changed after a judgement', () => {
  assert.equal(reviewText(image(undefined)), '');
  assert.equal(reviewText(image({ status: 'todo', seq: 0 })), 'To do');
  assert.equal(reviewText(image({ status: 'approved', seq: 3 })), 'Approved');
  assert.equal(reviewText(image({ status: 'approved', seq: 2 })), 'Approved, changed since');
  assert.equal(reviewText(image({ status: 'rejected', seq: 2 })), 'Rejected, changed since');
});

test('every status has a drawing of its own', () => {
  const icons = ['todo', 'progress', 'done', 'approved', 'rejected'].map((status) => reviewIcon(/** @type {any} */ ({ status, seq: 0 })));
  assert.equal(new Set(icons).size, 5);
});
