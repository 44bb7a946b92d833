import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pixels, vocColor } from './colour.js';
import { Past } from './past.js';
import { Thumbnails } from './thumbnails.js';

/**
 * Gives the test a document whose canvases hold one picture.
 *
 * @param {import('node:test').TestContext} t
 * @param {number[]} picture its pixels, as an ImageData has them
 * @param {(value: number) => number} told what scripts are told of a channel
 */
function browser(t, picture, told) {
  let pixels = Uint32Array.from(picture);
  const context = {
    fillStyle: '',
    fillRect() {
      const [r, g, b] = /** @type {string[]} */ (this.fillStyle.match(/[0-9]+/g)).map(Number);
      pixels[0] = (255 << 24) | (b << 16) | (g << 8) | r;
    },
    drawImage: () => (pixels = Uint32Array.from(picture)),
    getImageData: () => ({ data: Uint8ClampedArray.from(new Uint8Array(pixels.buffer), told) }),
    putImageData: (/** @type {{data: Uint8ClampedArray}} */ { data }) => (pixels = new Uint32Array(data.buffer)),
  };
  globalThis.document = /** @type {any} */ ({ createElement: () => ({ getContext: () => context }) });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  return () => [...pixels];
}

const opaque = (/** @type {number} */ color) => ((255 << 24) | color) >>> 0;
const invented = () => Math.floor(Math.random() * 7);

test('an earlier labelling has the colours of the classes, also where the browser blurs pixels', (t) => {
  const mask = [0, 1, 2, 3, 100, 255].map((place) => opaque(vocColor(place)));
  const colors = Array.from({ length: 101 }, (_, i) => `#${String(100000 + i)}`);
  const table = pixels(colors);
  for (const off of [0, 1, -1]) {
    const shown = browser(t, mask, (value) => value + off);
    new Past(/** @type {any} */ ({ width: 6, height: 1 }), /** @type {any} */ ({ width: 6, height: 1 }), colors);
    assert.deepEqual(shown(), [0, 1, 2, 3, 100, 255].map((place) => table[place]), `off by ${off}`);
  }
});

test('an earlier labelling keeps the colours that it came with where the browser invents pixels', (t) => {
  const mask = [1, 2].map((place) => opaque(vocColor(place)));
  const shown = browser(t, mask, invented);
  new Past(/** @type {any} */ ({ width: 2, height: 1 }), /** @type {any} */ ({ width: 2, height: 1 }), ['#000000', '#ffffff']);
  assert.deepEqual(shown(), mask);
});

test('cards show no invented photograph', (t) => {
  const map = /** @type {any} */ ({ width: 2, height: 1, n: 1, ids: new Uint32Array(2) });
  browser(t, [opaque(0), opaque(0xffffff)], invented);
  const blind = new Thumbnails(/** @type {any} */ (null), map);
  assert.deepEqual([blind.pictured, ...blind.grey], [false, 128, 128]);
  browser(t, [opaque(0), opaque(0xffffff)], (value) => value);
  const seeing = new Thumbnails(/** @type {any} */ (null), map);
  assert.deepEqual([seeing.pictured, ...seeing.grey], [true, 0, 255]);
});
