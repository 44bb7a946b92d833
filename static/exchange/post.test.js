import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf, fateOf, postEvent } from './post.js';

const event = { id: 'a', expected_seq: 4, kind: 'label', map: 'm' };
const problem = (seq) => JSON.stringify({ title: 'No', detail: 'Because.', seq });

test('answers over HTTP read like those of the socket', () => {
  assert.deepEqual(answerOf(event, 200, '{"seq":5}'), { type: 'ack', id: 'a', seq: 5 });
  for (const [status, seq, reason, at] of [
    [409, 7, 'stale', 7], [409, 4, 'map', 4], [422, undefined, 'invalid', 0], [404, undefined, 'invalid', 0],
    [401, undefined, 'unavailable', 0], [408, undefined, 'unavailable', 0], [429, undefined, 'unavailable', 0], [503, undefined, 'unavailable', 0],
  ]) {
    assert.deepEqual(answerOf(event, status, problem(seq)), { type: 'reject', id: 'a', reason, detail: 'Because.', seq: at });
  }
  assert.equal(answerOf({ ...event, map: undefined }, 409, problem(4)).reason, 'stale', 'a hypothesis that no longer exists');
  assert.equal(answerOf(event, 502, '<html>').reason, 'unavailable');
});

test('an image that can’t be reached is in the trash unless the person has lost the project', async (t) => {
  /** @type {Record<string, number>} */
  let statuses = {};
  t.mock.method(globalThis, 'fetch', async (/** @type {string} */ address) => ({ status: statuses[address] }));
  const fate = (/** @type {number} */ image, project = 200, member = true) => {
    statuses = { image, project };
    return fateOf('image', 'project', member);
  };
  assert.equal(await fate(200), 'there');
  assert.equal(await fate(503), '');
  assert.equal(await fate(401), 'signed-out');
  assert.equal(await fate(404), 'trashed');
  assert.equal(await fate(404, 404), 'removed');
  assert.equal(await fate(404, 404, false), 'trashed', 'the project is in the trash, too');
});

test('a network without answers is not asked for longer than a few seconds, and an event on it is given up', async (t) => {
  /** @type {number[]} */
  const limits = [];
  t.mock.method(AbortSignal, 'timeout', (/** @type {number} */ milliseconds) => limits.push(milliseconds) && AbortSignal.abort());
  t.mock.method(globalThis, 'fetch', (/** @type {string} */ _, /** @type {RequestInit} */ { signal }) => new Promise((_, fail) => signal?.aborted && fail(signal.reason)));
  assert.equal(await fateOf('image', 'project', true), '');
  assert.equal(await postEvent('evidence', event), null);
  assert.deepEqual(limits, [10_000, 60_000]);
});
