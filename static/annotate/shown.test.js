import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Division } from '../evidence/division.js';
import { Parts } from '../evidence/parts.js';
import { HATCHED, NO_REPAIRS } from '../evidence/repairs.js';
import { alike, pickedOf } from './shown.js';

const V = 255;

test('what was accepted is picked, in parts of a divided superpixel too; what a click labels is not', () => {
  const division = new Division(3, [7, 9], [1, 1]); // superpixel 1 has the parts 1, 3 and 4
  const picked = (/** @type {number[]} */ labels, /** @type {number[]} */ clicks) => {
    const present = { labels: Uint8Array.from(labels), clicks: Uint8Array.from(clicks) };
    return [...pickedOf(present, present.labels, present.clicks, division)];
  };
  assert.deepEqual(picked([2, 2, V, 2, 2], [V, V, V, V, V]), [1, 1, 0, 1, 1]);
  assert.deepEqual(picked([2, 1, V, 2, 2], [V, 1, V, V, V]), [1, 0, 0, 1, 1], 'a click on one part, the others accepted');
  assert.deepEqual(picked([2, 1, V, 1, 1], [V, 1, V, V, V]), [1, 0, 0, 0, 0], 'a click that labels its whole superpixel');
});

test('parts that look different from their superpixel have pixels of their own, hatched or not', () => {
  const map = { n: 2, width: 4, height: 1, fullWidth: 4, fullHeight: 1, ids: Uint16Array.of(0, 0, 1, 1), area: [2, 2], first: Uint32Array.of(0, 1, 2), start: Uint32Array.of(0, 2), length: Uint32Array.of(2, 2) };
  const cells = { ...map, n: 4, ids: Uint16Array.of(0, 1, 2, 3), area: [1, 1, 1, 1], first: Uint32Array.of(0, 1, 2, 3, 4), start: Uint32Array.of(0, 1, 2, 3), length: Uint32Array.of(1, 1, 1, 1) };
  const parts = new Parts(map, cells, new Division(2, [3], [1]));
  const pixels = (/** @type {number[]} */ labels, /** @type {number[]} */ picked) => [...parts.pixels(Uint8Array.from(labels), NO_REPAIRS, Uint8Array.from(picked))];
  assert.deepEqual(pixels([0, 1, 1], [0, 0, 0]), []);
  assert.deepEqual(pixels([0, 1, 1], [0, 0, 1]), [3, 4, 1 + HATCHED]);
  assert.deepEqual(pixels([0, 1, 2], [0, 1, 1]), [3, 4, 2 + HATCHED]);
  assert.deepEqual(pixels([0, 1, 1], [0, 1, 0]), [3, 4, 1]);
});

test('a scene is painted again as soon as a part of it is another one', () => {
  const labels = Uint8Array.of(0, 1);
  const scene = /** @type {import('./shown.js').Scene} */ (/** @type {unknown} */ ({ present: { labels }, whole: labels, draft: null, label: 1, proposal: { superpixels: [], label: V }, map: { n: 2 }, division: new Division(2) }));
  assert.equal(alike(scene, null), false);
  assert.equal(alike(scene, { ...scene }), true);
  for (const key of Object.keys(scene)) assert.equal(alike(scene, { ...scene, [key]: undefined }), false, key);
});
