import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepClass, lastClass } from './lastclass.js';

const classes = [{ id: 3 }, { id: 0 }, { id: 7 }];

test('an image begins with the class that was active last in its project', (t) => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const storage = { setItem: (/** @type {string} */ key, /** @type {string} */ value) => kept.set(key, value), getItem: (/** @type {string} */ key) => kept.get(key) ?? null };
  Object.defineProperty(globalThis, 'sessionStorage', { value: storage, configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis, 'sessionStorage'));
  assert.equal(lastClass('a', classes, -1), classes[0]);
  keepClass('a', 0, -1);
  assert.equal(lastClass('a', classes, -1), classes[1]);
  keepClass('a', 7, 0);
  keepClass('a', 0, 0); // to correct the image
  assert.equal(lastClass('a', classes, 0), classes[2], 'the rest is not what the next image begins with');
  assert.equal(lastClass('a', classes, 7), classes[0], 'nor what has become the rest since');
  assert.equal(lastClass('b', classes, -1), classes[0]);
  keepClass('a', 5, -1); // deleted since
  assert.equal(lastClass('a', classes, -1), classes[0]);
});

test('without storage it is the first class that has to be clicked', () => {
  keepClass('a', 7, -1);
  assert.deepEqual([lastClass('a', classes, -1), lastClass('a', classes, 0), lastClass('a', classes, 3)], [classes[0], classes[0], classes[1]]);
  assert.equal(lastClass('a', classes.slice(0, 1), 3), classes[0], 'there is no other');
});
