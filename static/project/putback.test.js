import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../ui/api.js';
import { putBack } from './putback.js';

/** @typedef {{id: string, name: string, is: string}} Thing */

/** Images by name, as they were. @param {string[]} names @returns {Thing[]} */
const things = (names) => names.map((id) => ({ id, name: `${id}.jpg`, is: 'before' }));

/**
 * A server that refuses what its images no longer allow, and a page that says what it is told.
 *
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} is what each image is now; put back they are 'before'
 */
function server(t, is) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lists = t.mock.method(globalThis, 'fetch', async () => Response.json(Object.entries(is).map(([id, what]) => ({ id, name: `${id}.jpg`, is: what }))));
  /** @type {string[]} */
  const said = [];
  const slot = (/** @type {any} */ at = {}) => ({ ...at, addEventListener() {}, set textContent(/** @type {string} */ text) { if (text) said.push(text); } });
  const message = { dataset: {}, addEventListener() {}, querySelector: () => slot() };
  globalThis.document = /** @type {any} */ ({ getElementById: () => ({ children: [], append() {}, content: null }), importNode: () => ({ firstElementChild: message }) });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  /** @type {Thing[]} */
  const shown = [];
  const put = async (/** @type {Thing[]} */ images) => {
    for (const { id } of images) if (!(id in is)) throw new Problem('Not found', 'An image is gone.', { status: 404 });
    for (const { id } of images) if (is[id] !== 'now') throw new Problem('Conflict', `${id} is ${is[id]}.`, { status: 409 });
    for (const { id } of images) is[id] = 'before';
  };
  const undo = (/** @type {Thing[][]} */ alike) => putBack('/api/v1/projects/p', alike, put, (im) => im.is === 'now', (images) => shown.push(...images));
  return { is, said, shown, lists, put, undo };
}

test('what others have changed is left and named, and the rest is put back', async (t) => {
  const s = server(t, { a: 'now', b: 'theirs', c: 'now', e: 'theirs', f: 'now', g: 'theirs', h: 'theirs', i: 'theirs' });
  await s.undo([things(['a', 'b', 'c', 'd']), things(['e']), things(['f', 'g', 'h', 'i'])]);
  assert.deepEqual(s.is, { a: 'before', b: 'theirs', c: 'before', e: 'theirs', f: 'before', g: 'theirs', h: 'theirs', i: 'theirs' });
  assert.deepEqual(s.said, ['Undone for 3 of 9 images', 'b.jpg, d.jpg, e.jpg and 3 others have changed in the meantime and stay as they are.']);
  assert.deepEqual(s.shown.map((im) => `${im.id} ${im.is}`), ['b theirs', 'e theirs', 'g theirs', 'h theirs', 'i theirs'], 'as they are now; the one that is gone can’t be shown');
});

test('nothing is said, or asked for, where everything is put back', async (t) => {
  const s = server(t, { a: 'now', b: 'now' });
  await s.undo([things(['a', 'b'])]);
  assert.deepEqual([s.is, s.said, s.lists.mock.callCount()], [{ a: 'before', b: 'before' }, [], 0]);
});

test('where nothing can be put back the server says why', async (t) => {
  const s = server(t, { a: 'theirs', b: 'theirs' });
  await assert.rejects(s.undo([things(['a', 'b'])]), /a is theirs/);
  assert.equal(s.shown.length, 2);
  await assert.rejects(s.undo([things(['a'])]), /a is theirs/);
  assert.equal(s.lists.mock.callCount(), 1, 'of one image the answer says enough');
});

test('a refusal for another reason ends it', async (t) => {
  const s = server(t, { a: 'now', b: 'now' });
  const refuse = async () => { throw new Problem('Not allowed', 'Your role does not include this.', { status: 404 }); };
  await assert.rejects(putBack('/api/v1/projects/p', [things(['a', 'b'])], refuse, (im) => im.is !== 'theirs', () => {}), /Your role/);
  assert.deepEqual([s.said, s.lists.mock.callCount()], [[], 1]);
});
