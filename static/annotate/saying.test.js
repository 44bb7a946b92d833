import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Saying } from './saying.js';
import { VOID } from '../evidence/protocol.js';

const own = Object.getOwnPropertyDescriptor(globalThis, 'document');
afterEach(() => {
  if (own) Object.defineProperty(globalThis, 'document', own);
  else Reflect.deleteProperty(globalThis, 'document');
});

/** Draws a box on a page, and returns the titles of what it says. @param {number[]} labels @param {[number, number, number, number]} [before] the box that the class has */
function titlesAfter(labels, before) {
  /** @type {string[]} */
  const titles = [];
  const element = () => ({
    dataset: {}, children: [], append() {}, remove() {}, setAttribute() {}, addEventListener() {},
    querySelector: (/** @type {string} */ what) => ({ ...element(), set textContent(/** @type {string} */ text) { if (/title/.test(what)) titles.push(text); } }),
  });
  globalThis.document = /** @type {any} */ ({ addEventListener() {}, getElementById: element, importNode: () => ({ firstElementChild: element() }) });
  const present = { labels: Uint8Array.from(labels), said: { boxes: before ? [{ class: 1, box: before }] : [] } };
  const saying = new Saying(/** @type {any} */ ({ session: { evidence: { present }, constrain() {} }, classes: { current: { id: 1, name: 'bird' } }, say() {} }));
  saying.box({ corners: [10, 10, 20, 20], tap: false }, false);
  return titles;
}

test('a box says what it does not do', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] }); // of the messages
  assert.deepEqual(titlesAfter([0, VOID]), []);
  assert.deepEqual(titlesAfter([0, VOID], [16, 10, 30, 20]), ['A class has one box']);
  assert.deepEqual(titlesAfter([0, VOID], [11, 9, 21, 20]), []);
  assert.deepEqual(titlesAfter([0, 1]), ['Box around bird'], 'all is accepted');
});
