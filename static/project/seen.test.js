import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { noteSeen, seenGuesses, seenIn } from './seen.js';

/** @type {Map<string, string>} */
const storage = new Map();
Object.defineProperty(globalThis, 'localStorage', {
  configurable: true,
  value: {
    getItem: (/** @type {string} */ key) => storage.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void storage.set(key, value),
    removeItem: (/** @type {string} */ key) => void storage.delete(key),
  },
});
beforeEach(() => storage.clear());

test('a guess counts as seen until it changes or somebody works on the image', () => {
  noteSeen('p', 'a', { seq: 1, digest: 'aa' });
  noteSeen('p', 'b', { seq: 1, digest: 'bb' });
  noteSeen('p', 'c', { seq: 1, digest: 'cc' });
  noteSeen('other', 'a', { seq: 9, digest: 'dd' });
  const images = [{ id: 'a', seq: 1, guessed: true }, { id: 'b', seq: 3, guessed: true }, { id: 'c', seq: 1, guessed: false }, { id: 'd', seq: 1, guessed: true }];
  assert.deepEqual(seenGuesses('p', images), [{ id: 'a', seq: 1, digest: 'aa' }]);
  assert.deepEqual(seenIn('p'), { a: { seq: 1, digest: 'aa' } }, 'the others are forgotten');
  noteSeen('p', 'b', { seq: 3, digest: 'ee' });
  assert.equal(seenGuesses('p', images).length, 2);
});

test('damaged or missing storage means that nothing was seen', () => {
  storage.set('collie-seen-p', '{');
  assert.deepEqual(seenIn('p'), {});
  noteSeen('p', 'a', { seq: 1, digest: 'aa' });
  assert.equal(seenGuesses('p', [{ id: 'a', seq: 1, guessed: true }]).length, 1);
});
