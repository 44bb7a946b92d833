import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decodeBase64, decodeHypothesis } from './frames.js';
import { decode } from '../superpixels/idmap.js';

// Written by a Go test, so that both sides are held to the same bytes.
const fixtures = JSON.parse(readFileSync(new URL('../testdata/messages.json', import.meta.url), 'utf8'));

test('a hypothesis frame of the server', () => {
  const { base64, ...want } = fixtures.frame;
  const h = decodeHypothesis(/** @type {ArrayBuffer} */ (decodeBase64(base64).buffer));
  assert.deepEqual({ ...h, labels: [...h.labels] }, want);
});

test('a superpixel map of the server', () => {
  const { base64, width, height, n, labels } = fixtures.superpixels;
  const map = decode(/** @type {ArrayBuffer} */ (decodeBase64(base64).buffer), width, height);
  assert.deepEqual([map.n, map.fullWidth, map.fullHeight], [n, width, height]);
  assert.deepEqual([...map.ids], labels);
});
