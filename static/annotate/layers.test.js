import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Layers } from './layers.js';

test('the next image looks as the person has left this one, and hides no labelling', (t) => {
  /** @type {Map<string, any>} */
  const kept = new Map();
  /** @type {Record<string, {pressed: string, value: string}>} */
  let elements = {};
  const browser = /** @type {any} */ (globalThis);
  const storage = { getItem: (/** @type {string} */ key) => kept.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value) };
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true });
  browser.matchMedia = () => ({ matches: false });
  browser.document = {
    getElementById: (/** @type {string} */ id) => (elements[id] ??= /** @type {any} */ ({ pressed: '', value: '0.45', addEventListener() {}, setAttribute(/** @type {string} */ _, /** @type {string} */ value) { this.pressed = value; } })),
  };
  t.after(() => ['localStorage', 'matchMedia', 'document'].forEach((name) => Reflect.deleteProperty(globalThis, name)));
  const open = () => {
    elements = {};
    const painter = /** @type {any} */ ({ opacity: 0.45, boundaries: true, labelled: true, outlined: false, touch() {} });
    return { painter, layers: new Layers(painter, { recolor() {}, changed() {} }) };
  };
  const looks = (/** @type {any} */ { opacity, boundaries, labelled, outlined }) => [opacity, boundaries, labelled, outlined];

  const first = open();
  assert.deepEqual(looks(first.painter), [0.45, true, true, false]);
  first.layers.setOpacity(0.7);
  first.layers.toggleBoundaries();
  first.layers.toggleOutlines();
  first.layers.toggleLabelling();

  assert.deepEqual(looks(open().painter), [0.7, false, true, true]);
  assert.deepEqual([elements.opacity.value, elements.boundaries.pressed, elements.outlines.pressed], ['0.7', 'false', 'true']);

  kept.set('collie-opacity', 'none');
  assert.equal(open().painter.opacity, 0.45);
});
