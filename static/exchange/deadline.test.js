import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deadline } from './deadline.js';

test('an answer that does not come is missed, later each time until one comes', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  Object.assign(globalThis, { window: globalThis });
  let missed = 0;
  const deadline = new Deadline(() => missed++);
  const misses = (/** @type {number} */ seconds) => {
    t.mock.timers.tick(1000 * seconds);
    return missed;
  };
  deadline.expect('a');
  assert.equal(misses(14), 0);
  deadline.expect('a'); // more was said meanwhile
  assert.equal(misses(2), 1);
  deadline.expect('');
  deadline.expect('a');
  assert.equal(misses(29), 1);
  assert.equal(misses(2), 2);
  deadline.expect('b');
  deadline.met();
  assert.equal(misses(1000), 2);
  deadline.expect('c');
  assert.equal(misses(16), 3);
});
