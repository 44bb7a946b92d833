import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

const indexed = await import('fake-indexeddb').catch(() => null);
const { Queue } = await import('./queue.js');
const skip = !indexed && 'needs npm ci in static/';

/**
 * Web Locks as the browser has them: exclusive, granted in the order of the
 * requests, held until the callback's promise ends or the page is closed.
 */
class Locks {
  /** @type {Map<string, Promise<unknown>>} the end of the last request, by name */
  held = new Map();
  /** @type {Map<string, (value?: unknown) => void>} what closing a page does to its lock, by name */
  closing = new Map();

  /** @param {string} name @param {any} options @param {any} [act] */
  async request(name, options, act) {
    if (typeof options === 'function') [options, act] = [{}, options];
    const before = this.held.get(name);
    if (before && options.ifAvailable) return act(null);
    const run = (async () => {
      await before;
      const closed = new Promise((resolve) => this.closing.set(name, resolve));
      return Promise.race([act({ name }), closed]);
    })();
    this.held.set(name, run);
    const result = await run;
    if (this.held.get(name) === run) this.held.delete(name);
    return result;
  }

  /** Closes a page that holds a lock. @param {string} page */
  async close(page) {
    const end = this.held.get(lockOf(page));
    this.closing.get(lockOf(page))?.();
    await end;
  }
}

const lockOf = (/** @type {string} */ page) => `collie-edits-${page}`;

/** @type {Locks} */
let locks;
/** @type {BroadcastChannel[]} those that the pages have opened */
const channels = [];
const Channel = globalThis.BroadcastChannel;

Object.assign(globalThis, {
  window: globalThis,
  BroadcastChannel: class extends Channel {
    /** @param {string} name */
    constructor(name) {
      super(name);
      channels.push(this);
    }
  },
});
console.info = () => {}; // the queue notes there when it has no store

beforeEach(() => {
  if (indexed) globalThis.indexedDB = new indexed.IDBFactory();
  locks = new Locks();
  Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });
});
afterEach(() => {
  for (const channel of channels.splice(0)) channel.close();
});

/** @param {() => unknown} condition */
async function until(condition) {
  for (let i = 0; i < 2000; i++) {
    if (condition()) return;
    await turn();
  }
  assert.fail('it did not happen');
}

const edit = (/** @type {string} */ id, seq = 0) => /** @type {any} */ ({ event: { id, kind: 'label', superpixels: [1], class: 2 }, epoch: 'e', seq });
const ids = (/** @type {any[]} */ rows) => rows.map((row) => row.event.id);

test('edits outlive the page, in order, until they are dropped', { skip }, async () => {
  const first = new Queue('im', 'one');
  assert.deepEqual(await first.open(), []);
  assert.equal(first.lasting, true);
  for (const id of ['a', 'b', 'c']) await first.put(edit(id, 7));
  await first.drop('b');
  void first.put(edit('d', 7));
  await first.drop('d'); // acknowledged before it was stored
  await locks.close('one');
  const left = await new Queue('im', 'two').open();
  assert.deepEqual(ids(left), ['a', 'c']);
  assert.deepEqual([left[0].epoch, left[0].seq, left[0].event.kind], ['e', 7, 'label']);
});

test('edits stay in order when the clock is set back', { skip }, async (t) => {
  for (const [page, edits, time] of /** @type {[string, string[], number][]} */ ([['one', ['a', 'b'], 2000], ['two', ['c'], 1000]])) {
    t.mock.method(Date, 'now', () => time);
    const queue = new Queue('im', page);
    await queue.open();
    for (const id of edits) await queue.put(edit(id));
    await locks.close(page);
  }
  assert.deepEqual(ids(await new Queue('im', 'three').open()), ['a', 'b', 'c']);
});

test('labels of an accepted hypothesis come back as bytes', { skip }, async () => {
  const first = new Queue('im', 'one');
  await first.open();
  await first.put({ ...edit('a'), taken: Uint8Array.of(0, 3, 255) });
  await locks.close('one');
  const [{ taken }] = await new Queue('im', 'two').open();
  assert.deepEqual(taken, Uint8Array.of(0, 3, 255));
});

test('an image takes over its own edits only', { skip }, async () => {
  for (const image of ['im', 'other']) {
    const queue = new Queue(image, `of ${image}`);
    await queue.open();
    await queue.put(edit(`edit of ${image}`));
    await locks.close(`of ${image}`);
  }
  assert.deepEqual(ids(await new Queue('im', 'two').open()), ['edit of im']);
  assert.deepEqual(ids(await new Queue('other', 'three').open()), ['edit of other']);
});

test('edits that were taken over belong to one page', { skip }, async () => {
  const first = new Queue('im', 'one');
  await first.open();
  await first.put(edit('a'));
  await locks.close('one');
  const second = new Queue('im', 'two');
  assert.deepEqual(ids(await second.open()), ['a']);
  const third = new Queue('im', 'three');
  assert.deepEqual(await third.open(), []);
  await second.drop('a');
  assert.deepEqual(await second.rows(), []);
});

test('the edits of a page that lives are left to it, and inherited when it closes', { skip }, async () => {
  const first = new Queue('im', 'one');
  await first.open();
  await first.put(edit('a'));
  const second = new Queue('im', 'two');
  /** @type {any[]} */
  let inherited = [];
  second.inherited = (found) => {
    inherited = found;
  };
  assert.deepEqual(await second.open(), []);
  await first.put(edit('b'));
  for (let i = 0; i < 50; i++) await turn();
  assert.deepEqual(inherited, []);
  await locks.close('one');
  await until(() => inherited.length > 0);
  assert.deepEqual(ids(inherited), ['a', 'b']);
  assert.deepEqual((await second.rows()).map((row) => row.page), ['two', 'two']);
});

test('without locks all edits of the image are taken over', { skip }, async () => {
  Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
  const first = new Queue('im', 'one');
  await first.open();
  await first.put(edit('a'));
  assert.deepEqual(ids(await new Queue('im', 'two').open()), ['a']);
});

test('without a store the page goes on, and says that nothing lasts', { skip }, async () => {
  globalThis.indexedDB = /** @type {any} */ ({
    open() {
      throw new DOMException('no', 'SecurityError');
    },
  });
  const queue = new Queue('im', 'one');
  assert.deepEqual(await queue.open(), []);
  assert.equal(queue.lasting, false);
  await queue.put(edit('a'));
  await queue.drop('a');
  assert.deepEqual(await queue.rows(), []);
});

test('a store that breaks later is given up', { skip }, async () => {
  const queue = new Queue('im', 'one');
  await queue.open();
  const database = /** @type {IDBDatabase} */ (queue.database);
  database.transaction = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  await queue.put(edit('a'));
  assert.equal(queue.lasting, false);
  assert.equal(queue.database, null);
});

test('a store that is deleted elsewhere is given up', { skip }, async () => {
  const queue = new Queue('im', 'one');
  await queue.open();
  const request = indexedDB.deleteDatabase('collie');
  await until(() => !queue.lasting);
  await until(() => request.readyState === 'done');
});

test('where the browser refuses locks, as with cookies blocked, the page opens and keeps edits itself', async () => {
  locks.request = () => Promise.reject(new DOMException('not allowed', 'SecurityError'));
  const queue = new Queue('im', 'one');
  assert.deepEqual(await queue.open(), []);
  assert.equal(queue.lasting, false);
});
