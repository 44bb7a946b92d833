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

test('an attempt to connect that gets no answer is given up for the next one', (t) => {
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
  const link = new Link('/socket', { greeting: () => ({}), message() {}, binary() {}, change() {}, ask: async () => '' });
  t.mock.timers.tick(20_000);
  assert.equal(sockets[0].gone, true);
  t.mock.timers.tick(15_000);
  assert.equal(sockets.length, 2);
  sockets[1].onopen();
  t.mock.timers.tick(600_000);
  assert.deepEqual([sockets.length, sockets[1].gone, link.open], [2, undefined, true], 'one that was answered stays');
});
