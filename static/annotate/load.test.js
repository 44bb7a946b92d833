import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchAhead } from './load.js';

/** What is fetched ahead of an image. @param {import('node:test').TestContext} t @param {string} image @param {boolean} saveData */
async function fetched(t, image, saveData) {
  /** @type {string[]} */
  const addresses = [];
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(globalThis, 'fetch', async (/** @type {string} */ address) => {
    addresses.push(address);
    return new Response('x');
  });
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { connection: { saveData } } });
  fetchAhead(image);
  t.mock.timers.tick(900);
  assert.deepEqual(addresses, [], 'the image that is open comes first');
  t.mock.timers.tick(200);
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.reset();
  t.mock.timers.reset();
  return addresses;
}

test('fetches the next image ahead, unless this is the last one or the person saves data', async (t) => {
  assert.deepEqual(await fetched(t, 'n', false), ['/api/v1/images/n/display', '/api/v1/images/n/superpixels.bin?of=whole']);
  assert.deepEqual(await fetched(t, '', false), []);
  assert.deepEqual(await fetched(t, 'n', true), []);
});
