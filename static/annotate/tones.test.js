import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Tones } from './tones.js';

const own = ['fetch', 'document'].map((name) => /** @type {const} */ ([name, Object.getOwnPropertyDescriptor(globalThis, name)]));
afterEach(() => {
  for (const [name, property] of own) {
    if (property) Object.defineProperty(globalThis, name, property);
    else Reflect.deleteProperty(globalThis, name);
  }
});

test('the values of an image are read once, however often they are wanted, and again after a failure', async () => {
  /** @type {Map<string, any>} */
  const elements = new Map();
  globalThis.document = /** @type {any} */ ({
    getElementById: (/** @type {string} */ id) => {
      if (!elements.has(id)) elements.set(id, { addEventListener() {}, textContent: '' });
      return elements.get(id);
    },
  });
  /** @type {((answer: Response) => void)[]} */
  const asked = [];
  globalThis.fetch = () => new Promise((resolve) => asked.push(resolve));
  const tones = new Tones('/api/v1/images/1', '', /** @type {any} */ ({}), () => {});
  const depth = elements.get('tones-depth') ?? globalThis.document.getElementById('tones-depth');

  const failed = [tones.learn(), tones.learn()];
  assert.equal(asked.length, 1);
  assert.notEqual(depth.textContent, '');
  asked[0](Response.json({ detail: 'No.' }, { status: 404 }));
  for (const each of failed) await assert.rejects(each);
  assert.equal(depth.textContent, '');

  const learnt = [tones.learn(), tones.learn()];
  assert.equal(asked.length, 2);
  asked[1](Response.json({ bits: 8, low: 0, high: 65535, lowest: 0, highest: 65535 }));
  assert.deepEqual(await Promise.all(learnt), [{ bits: 8, low: 0, high: 1 }, { bits: 8, low: 0, high: 1 }]);
  await tones.learn();
  assert.equal(asked.length, 2);
});
