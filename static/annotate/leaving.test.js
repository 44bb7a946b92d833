import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Leaving } from './leaving.js';

/** A page with an open image, and what its messages say. @param {import('node:test').TestContext} t */
function page(t) {
  /** @type {string[]} */
  const said = [];
  /** @returns {any} */
  const element = () => ({
    dataset: {}, children: [], style: {}, addEventListener() {}, setAttribute() {}, append() {}, contains: () => false, matches: () => false,
    querySelector: () => ({ ...element(), set textContent(/** @type {string} */ text) { said.push(text); } }),
  });
  globalThis.document = /** @type {any} */ ({ getElementById: element, importNode: () => ({ firstElementChild: element() }) });
  globalThis.window = /** @type {any} */ ({ setTimeout: () => 0 });
  globalThis.addEventListener = () => {};
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => {
    for (const name of ['document', 'window', 'addEventListener']) Reflect.deleteProperty(globalThis, name);
  });
  return said;
}

test('a labelling that is not copied leaves the page where it is, and offers the next image', async (t) => {
  const said = page(t);
  const detail = 'The image "b.png" is finished already, so it keeps its labels. Nothing was changed.';
  t.mock.method(globalThis, 'fetch', async () => Response.json({ status: 422, title: 'Invalid', detail }, { status: 422 }));
  const ports = { session: { mayChange: () => true, save: 'saved' }, acceptance: { accept() {}, eager: false, missed: false, preview: null }, queue: { lasting: true }, say() {} };
  await new Leaving({ image: 'a', next: 'b' }, /** @type {any} */ (ports)).copyOn();
  assert.deepEqual(said.filter(Boolean), ['Nothing copied', detail, 'Next image']);
});
