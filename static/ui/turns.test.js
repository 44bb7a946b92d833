import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.js';

/** A browser's frames, painted one by one. @param {import('node:test').TestContext} t */
function frames(t) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  /** @type {(() => void)[]} */
  let waiting = [];
  Object.assign(globalThis, { requestAnimationFrame: (/** @type {() => void} */ f) => waiting.push(f) });
  return {
    paint() {
      const due = waiting;
      waiting = [];
      for (const f of due) f();
      t.mock.timers.tick(1);
    },
    /** @param {number} ms */
    work: (ms) => (now += ms),
  };
}

test('parts run in order, what takes long ends the turn, and what is asked for twice runs once', (t) => {
  const { paint, work } = frames(t);
  const ran = /** @type {string[]} */ ([]);
  const part = (/** @type {string} */ name, ms = 0) => () => {
    ran.push(name);
    work(ms);
  };
  const parts = [part('a', 1), part('b', 10), part('c'), part('d')];
  const turns = new Turns(() => false);
  turns.ask(parts);
  turns.ask(parts);
  assert.deepEqual(ran, []);
  paint();
  assert.deepEqual(ran, ['a', 'b']);
  turns.ask(parts); // in this order, so that the last comes after all others
  paint();
  assert.deepEqual(ran, ['a', 'b', 'a', 'b']);
  paint();
  assert.deepEqual(ran, ['a', 'b', 'a', 'b', 'c', 'd']);
  paint();
  assert.equal(ran.length, 6);
});

test('work waits for what comes first, but not for ever', (t) => {
  const { paint } = frames(t);
  let busy = true;
  let runs = 0;
  const turns = new Turns(() => busy);
  const part = () => {
    runs++;
    if (runs < 3) turns.ask([part]);
  };
  turns.ask([part]);
  paint();
  paint();
  assert.equal(runs, 0);
  paint();
  assert.equal(runs, 3); // a part may ask for itself again
  busy = false;
  turns.ask([part]);
  paint();
  assert.equal(runs, 4);
});

test('a part that fails keeps none of the others from running', (t) => {
  const { paint } = frames(t);
  let runs = 0;
  const turns = new Turns(() => false);
  turns.ask([
    () => {
      throw new Error('no');
    },
    () => runs++,
  ]);
  assert.throws(paint, /no/);
  paint();
  assert.equal(runs, 1);
});
