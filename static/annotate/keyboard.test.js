import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keyboard } from './keyboard.js';

test('a window without the focus has no keys down', (t) => {
  const attributes = new Set();
  const element = { addEventListener() {}, toggleAttribute: (/** @type {string} */ name, /** @type {boolean} */ on) => void (on ? attributes.add(name) : attributes.delete(name)) };
  /** @type {Map<string, (e: any) => void>} */
  const heard = new Map();
  const listen = (/** @type {string} */ type, /** @type {(e: any) => void} */ then) => void heard.set(type, then);
  const browser = /** @type {any} */ (globalThis);
  browser.HTMLElement = class {};
  browser.document = { getElementById: () => element, querySelector: () => null, activeElement: null, addEventListener: listen };
  browser.addEventListener = listen;
  t.after(() => ['document', 'addEventListener', 'HTMLElement'].forEach((name) => Reflect.deleteProperty(globalThis, name)));
  const stage = /** @type {any} */ ({ space: false, point: { press: () => false, release: () => false } });
  new Keyboard(/** @type {any} */ ({}), stage, () => assert.fail('labelled'));

  heard.get('keydown')?.({ key: ' ', target: null, preventDefault() {} });
  assert.ok(stage.space);
  assert.ok(attributes.has('data-space')); // the cursor of panning
  heard.get('blur')?.({});
  assert.ok(!stage.space);
  assert.ok(!attributes.has('data-space'));
});
