import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, get, Problem, problemOf, received, textOf, unreachable } from './api.js';

test('problems are read from any body', () => {
  const p = problemOf('{"title":"Too large","detail":"60 MB; 50 MB is the limit."}', 413);
  assert.deepEqual([p.title, p.detail], ['Too large', '60 MB; 50 MB is the limit.']);
  assert.match(problemOf('<html>502</html>', 502).detail, /status 502/);
});

test('a person is told that the server is away, and what an answer says', () => {
  assert.match(textOf(unreachable()), /can’t be reached/);
  assert.equal(textOf(problemOf('{"title":"Not found","detail":"There is no user ann."}', 404)), 'There is no user ann.');
  assert.equal(textOf(problemOf('{"title":"Not found"}', 404)), 'Not found');
});

/** A server that refuses so many requests with a status, and the seconds for which it was left alone each time. */
function refusing(t, times, status, after) {
  /** @type {number[]} */
  const waits = [];
  let asked = 0;
  t.mock.method(globalThis, 'fetch', async () => {
    if (asked++ < times) return Response.json({ title: 'Too much at once', detail: 'Later.', status }, { status, headers: after ? { 'Retry-After': after } : {} });
    return Response.json(7);
  });
  t.mock.method(globalThis, 'setTimeout', (/** @type {() => void} */ act, /** @type {number} */ milliseconds) => {
    waits.push(milliseconds / 1000);
    queueMicrotask(act);
  });
  t.mock.method(Math, 'random', () => 0);
  return waits;
}

test('a server with too much to do is asked again when it says', async (t) => {
  const waits = refusing(t, 3, 429, '2');
  assert.equal(await call('GET', '/a'), 7);
  assert.deepEqual(waits, [2, 2, 2]);
});

test('files and maps are asked for again, too', async (t) => {
  refusing(t, 1, 429, '2');
  assert.equal(await (await get('/a')).json(), 7);
});

test('the person is told when it goes on', async (t) => {
  const waits = refusing(t, 4, 429, '2');
  await assert.rejects(get('/a'), (/** @type {Problem} */ p) => p instanceof Problem && p.status === 429 && p.detail === 'Later.');
  assert.equal(waits.length, 3);
});

test('a wait is never none, nor endless', async (t) => {
  for (const [after, wait] of /** @type {const} */ ([['', 1], ['0', 1], ['Wed, 21 Oct 2026 07:28:00 GMT', 1], ['900', 10]])) {
    const waits = refusing(t, 1, 429, after);
    await call('GET', '/a');
    assert.deepEqual(waits, [wait], after);
    t.mock.restoreAll();
  }
});

test('what a server refuses otherwise is told at once', async (t) => {
  const waits = refusing(t, 1, 503, '2');
  await assert.rejects(call('GET', '/a'), (/** @type {Problem} */ p) => p.status === 503);
  assert.deepEqual(waits, []);
});

test('an answer that breaks off is one that never came', async (t) => {
  t.mock.method(globalThis, 'fetch', async () => new Response(new ReadableStream({
    start(body) {
      body.enqueue(Uint8Array.of(123));
      body.error(new TypeError('network error'));
    },
  })));
  const away = (/** @type {Problem} */ p) => p instanceof Problem && p.status === 0;
  await assert.rejects(call('GET', '/a'), away);
  await assert.rejects(received((await get('/a')).blob()), away);
});
