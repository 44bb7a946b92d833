import assert from 'node:assert/strict';
import { test } from 'node:test';
import { after, backoff, Link } from './socket.js';

test('waiting grows, is spread out and ends', () => {
  for (let attempt = 0; attempt < 40; attempt++) {
    const [least, most] = [backoff(attempt, 0), backoff(attempt, 1)];
    assert.ok(least >= 200 && most >= least && most <= 15000);
  }
  assert.ok(backoff(4, 1) > backoff(1, 1));
  assert.ok(backoff(after(0, 1012), 1) >= 3000); // a restart loses all pages at once
  assert.deepEqual([after(0, 1006), after(5, 1012)], [0, 5]);
});

/** A page whose sockets the test answers. @param {import('node:test').TestContext} t */
function page(t) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  /** @type {any[]} */
  const sockets = [];
  Object.assign(globalThis, {
    window: globalThis,
    location: new URL('http://localhost/images/1'),
    document: { addEventListener() {} },
    addEventListener() {},
    WebSocket: class {
      constructor() {
        sockets.push(this);
      }
      close() {
        this.gone = true;
      }
      send() {}
    },
  });
  t.after(() => ['window', 'location', 'document', 'addEventListener', 'WebSocket'].forEach((name) => Reflect.deleteProperty(globalThis, name)));
  /** @type {import('./post.js').Fate} */
  let fate = '';
  const link = new Link('/socket', { greeting: () => ({}), message() {}, binary() {}, change() {}, ask: async () => fate });
  return { sockets, link, becomes: (/** @type {typeof fate} */ now) => (fate = now) };
}

test('an attempt to connect that gets no answer is given up for the next one', (t) => {
  const { sockets, link } = page(t);
  t.mock.timers.tick(20_000);
  assert.equal(sockets[0].gone, true);
  t.mock.timers.tick(15_000);
  assert.equal(sockets.length, 2);
  sockets[1].onopen();
  t.mock.timers.tick(600_000);
  assert.deepEqual([sockets.length, sockets[1].gone, link.open], [2, undefined, true], 'one that was answered stays');
});

test('a server that answers behind something that blocks websockets is not called away', async (t) => {
  const { sockets, link, becomes } = page(t);
  const refuse = async () => {
    sockets.at(-1).onclose({ code: 1006 });
    await null;
    t.mock.timers.tick(15_000);
    return link.blocked;
  };
  for (let i = 0; i < 5; i++) assert.equal(await refuse(), false, 'nobody answers');
  becomes('there');
  assert.equal(await refuse(), true);
  becomes('');
  assert.equal(await refuse(), false);
  becomes('there');
  await refuse();
  sockets.at(-1).onopen();
  assert.equal(link.blocked, false);
  for (const blocked of [false, false, true]) assert.equal(await refuse(), blocked, 'it may have restarted meanwhile');
});
