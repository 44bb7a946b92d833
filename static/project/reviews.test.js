import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReviewMenu, missingText, reviewIcon, reviewText } from './reviews.js';

/** @param {any} review @param {number} [seq] */
const image = (review, seq = 3) => ({ id: 'a', name: 'a.jpg', seq, review });

test('a review in short says when the image was changed after a judgement', () => {
  assert.equal(reviewText(image(undefined)), '');
  assert.equal(reviewText(image({ status: 'todo', seq: 0 })), 'To do');
  assert.equal(reviewText(image({ status: 'done', seq: 0 })), 'Marked done', 'the automatic status is called Done');
  assert.equal(reviewText(image({ status: 'approved', seq: 3 })), 'Approved');
  assert.equal(reviewText(image({ status: 'approved', seq: 2 })), 'Approved, changed since');
  assert.equal(reviewText(image({ status: 'rejected', seq: 2 })), 'Rejected, changed since');
});

test('whoever calls images done hears what is not labelled', () => {
  const labelled = (/** @type {string} */ status, /** @type {number} */ decided) => ({ ...image(undefined), status, decided });
  const done = labelled('done', 1), started = labelled('started', 0.02), untouched = labelled('untouched', 0);
  assert.equal(missingText('done', [done]), '');
  assert.equal(missingText('progress', [started]), '');
  assert.match(missingText('done', [started]), /^2.% labelled/);
  assert.match(missingText('approved', [untouched]), /^0.% labelled/);
  assert.match(missingText('approved', [done, started, untouched]), /^2 of them aren’t/);
  assert.match(missingText('approved', [started, untouched]), /^none of them is completely/);
  assert.equal(missingText('approved', [done, done]), '');
});

test('every status has a drawing of its own', () => {
  const icons = ['todo', 'progress', 'done', 'approved', 'rejected'].map((status) => reviewIcon(/** @type {any} */ ({ status, seq: 0 })));
  assert.equal(new Set(icons).size, 5);
});

/** An element as far as menus and messages need one. @returns {any} */
function element() {
  const parts = new Map();
  let own = '';
  const made = {
    dataset: {}, children: /** @type {any[]} */ ([]), addEventListener() {}, setAttribute() {},
    contains: () => false,
    get textContent() {
      return own + [...parts.values()].map((part) => part.textContent).join('');
    },
    set textContent(text) {
      own = text;
    },
    querySelector(/** @type {string} */ what) {
      if (!parts.has(what)) parts.set(what, element());
      return parts.get(what);
    },
    append(/** @type {any} */ child) {
      made.children.push(child);
      child.remove = () => (made.children = made.children.filter((c) => c !== child));
    },
  };
  return made;
}

test('a status of more images than a request may have is set and taken back in parts', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const fetched = t.mock.method(globalThis, 'fetch', async () => Response.json([]));
  const page = element();
  globalThis.document = /** @type {any} */ ({
    getElementById: (/** @type {string} */ id) => Object.assign(page.querySelector(id), { content: null }),
    importNode: () => ({ firstElementChild: element() }),
  });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const images = Array.from({ length: 12_000 }, (_, i) => ({ ...image(i < 11_000 ? undefined : { status: 'todo', seq: 1 }), id: String(i) }));
  const menu = new ReviewMenu('p', () => images, () => {});
  await menu.set('progress');
  await menu.restore(images, images.map((im, i) => ({ ...im, review: i < 6_000 ? undefined : { status: 'progress', seq: 3, at: `at ${i}` } })));
  const sent = fetched.mock.calls.map((c) => JSON.parse(/** @type {any} */ (c.arguments)[1].body));
  const { length } = sent;
  assert.ok(sent.every((body) => body.images.length <= 10_000 && body.images.length === Object.keys(body.seen).length));
  assert.deepEqual(Object.assign({}, ...sent.slice(length / 2).map((body) => body.replaces)), Object.fromEntries(images.map(({ id }, i) => [id, i < 6_000 ? '' : `at ${i}`])));
  assert.deepEqual(sent.slice(0, length / 2).flatMap((body) => body.images), images.map((im) => im.id));
  assert.deepEqual(sent.slice(length / 2).flatMap((body) => body.images.map((/** @type {string} */ id) => [id, body.status, body.seen[id]])), images.map((im, i) => (i < 11_000 ? [im.id, '', 3] : [im.id, 'todo', 1])));
});

test('a status takes back the offer to undo the one before', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const fetched = t.mock.method(globalThis, 'fetch', async () => Response.json([]));
  const page = element();
  globalThis.document = /** @type {any} */ ({
    getElementById: (/** @type {string} */ id) => Object.assign(page.querySelector(id), { content: null }),
    importNode: () => ({ firstElementChild: element() }),
  });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const menu = new ReviewMenu('p', () => [image({ status: 'approved', seq: 2 })], () => {});
  await menu.set('approved');
  await menu.set('rejected', 'The rim is missing.');
  const titles = page.querySelector('toasts').children.map((/** @type {any} */ message) => message.querySelector('[data-slot="title"]').textContent);
  assert.deepEqual(titles, ['Rejected']);
  await menu.restore([image({ status: 'approved', seq: 2 })], [image({ status: 'rejected', seq: 3, at: 'then' })]);
  const sent = fetched.mock.calls.map((c) => JSON.parse(/** @type {any} */ (c.arguments)[1].body));
  assert.deepEqual(sent.map((body) => body.seen), [{ a: 3 }, { a: 3 }, { a: 2 }], 'what was on the screen, and what the former status was about');
  assert.deepEqual(sent.map((body) => body.replaces), [undefined, undefined, { a: 'then' }], 'only undoing leaves what others have set since');
});
