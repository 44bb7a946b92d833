import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Thumbnails } from './thumbnails.js';

/** Pixels as a browser has them: at least one. */
class Pixels {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    assert.ok(width > 0 && height > 0, `pixels of ${width}×${height}`);
    this.data = new Uint8ClampedArray(4 * width * height);
  }
}

const canvas = () => /** @type {any} */ ({
  getContext: () => ({ drawImage() {}, fillRect() {}, putImageData() {}, strokeRect() {}, getImageData: (/** @type {number} */ _x, /** @type {number} */ _y, /** @type {number} */ w, /** @type {number} */ h) => new Pixels(w, h) }),
});

test('the card of an image that is thinner than a pixel of the card shows it', (t) => {
  globalThis.ImageData = /** @type {any} */ (Pixels);
  globalThis.document = /** @type {any} */ ({ createElement: canvas });
  t.after(() => ['ImageData', 'document'].forEach((name) => Reflect.deleteProperty(globalThis, name)));
  for (const [width, height] of [[3, 2000], [2000, 3]]) {
    const thumbnails = new Thumbnails(/** @type {any} */ (null), /** @type {any} */ ({ width, height, n: 1, ids: new Uint32Array(width * height) }));
    const close = canvas();
    thumbnails.paint(close, canvas(), { labels: Uint8Array.of(1), current: Uint8Array.of(0), compared: Uint8Array.of(0), colors: ['#000000', '#ffffff'], rest: -1 });
    assert.ok(close.width > 0 && close.height > 0);
  }
});
