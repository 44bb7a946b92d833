import assert from 'node:assert/strict';
import { test } from 'node:test';
import { after, backoff } from './socket.js';

test('waiting grows, is spread out and ends', () => {
  for (let attempt = 0; attempt < 40; attempt++) {
    const [least, most] = [backoff(attempt, 0), backoff(attempt, 1)];
    assert.ok(least >= 200 && most >= least && most <= 15000);
  }
  assert.ok(backoff(4, 1) > backoff(1, 1));
  assert.ok(backoff(after(0, 1012), 1) >= 3000); // a restart loses all pages at once
  assert.deepEqual([after(0, 1006), after(5, 1012)], [0, 5]);
});
