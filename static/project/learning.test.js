import assert from 'node:assert/strict';
import { test } from 'node:test';
import { learningText, toReview } from './learning.js';

test('the sentence says what was learned and what comes next', () => {
  const learning = { on: true, finished: 3, fewest: 5, model: 0, learnt: 0, guessing: false, saved: 0.384, affinities: false, training: false, images: [] };
  assert.equal(learningText({ ...learning, on: false }), 'Guessing is off. Guesses that nobody had worked on are removed.');
  assert.equal(learningText(learning), 'Collie guesses the rest once 5 images are finished: 2 to go.');
  assert.equal(learningText({ ...learning, finished: 5, training: true }), 'Learning from the finished images.');
  const learnt = { ...learning, finished: 6, model: 1, learnt: 5 };
  assert.equal(learningText(learnt), 'Learned from 5 finished images. Its guesses wouldn’t save you work yet, so it makes none. It tries again when more images are finished.');
  const images = [{ id: 'a', guessed: true }, { id: 'b', guessed: false }];
  assert.equal(learningText({ ...learnt, guessing: true, images }), 'Learned from 5 finished images. Its guesses save about 38\u00a0% of the actions. 1 of 2 untouched images guessed.');
  assert.equal(learningText({ ...learnt, guessing: true, saved: 0.96 }), 'Learned from 5 finished images. Its guesses save nearly all actions.');
  assert.equal(learningText({ ...learnt, guessing: true, training: true }), 'Learned from 5 finished images, learning more. Its guesses save about 38\u00a0% of the actions.');
  assert.equal(learningText({ ...learnt, guessing: true, affinities: true, training: true }), 'Learned from 5 finished images, also which borders matter, learning more. Its guesses save about 38\u00a0% of the actions.');
});

test('guesses from elsewhere are reviewed, too, in order of expected work', () => {
  const untouched = [{ id: 'a', guessed: true, expected_wrong_area: 0.2 }, { id: 'b', guessed: false }];
  const scored = { status: 'started', guessed: false, guess_only: true };
  const records = [
    { id: 'a', status: 'untouched', guessed: true, guess_only: true }, { id: 'c', ...scored, expected_wrong_area: 0.1 }, { id: 'd', ...scored },
    { id: 'e', ...scored, guess_only: false }, { id: 'f', status: 'untouched', guessed: true, guess_only: true },
  ];
  assert.deepEqual(toReview(untouched, records).map((im) => im.id), ['c', 'a', 'd']);
});
