import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Uncertainty } from './uncertainty.js';

const fixture = JSON.parse(readFileSync(new URL('../testdata/uncertainty.json', import.meta.url), 'utf8'));
const samples = fixture.hypotheses.map((/** @type {number[]} */ labels) => ({ labels: Uint8Array.from(labels), count: 1 }));

/** @param {ArrayLike<number>} got @param {ArrayLike<number>} want */
function near(got, want) {
  assert.equal(got.length, want.length);
  for (let i = 0; i < want.length; i++) assert.ok(Math.abs(got[i] - want[i]) < 1e-12, `${i}: ${got[i]}, want ${want[i]}`);
}

test('the page comes to what the server comes to', () => {
  const u = new Uncertainty(samples, fixture.area);
  assert.deepEqual(u.classes, fixture.classes);
  near(u.marginals, fixture.marginals);
  near(u.entropy(), fixture.entropy);
  near([u.wrongArea], [fixture.expected_wrong_area]);
  assert.deepEqual(u.areas().map(({ label }) => label), fixture.classes);
  near(u.areas().flatMap(({ low, high }) => [low, high]), fixture.areas);
});

test('a hypothesis that came out twice counts twice', () => {
  const folded = [{ ...samples[0], count: 2 }, { ...samples[1], count: 1 }];
  const u = new Uncertainty(folded, fixture.area);
  const v = new Uncertainty([samples[0], samples[0], samples[1]], fixture.area);
  near(u.marginals, v.marginals);
});

test('shares name the classes with their support, the likeliest first', () => {
  const labels = (/** @type {number[]} */ ...l) => ({ labels: Uint8Array.from(l), count: 1 });
  const u = new Uncertainty([labels(3, 0), labels(0, 0), labels(3, 0), { ...labels(3, 0), count: 9 }], [1, 3]);
  assert.deepEqual(u.shares(0), [{ label: 3, share: 11 / 12, count: 11 }, { label: 0, share: 1 / 12, count: 1 }]);
  assert.deepEqual(u.shares(1), [{ label: 0, share: 1, count: 12 }]);
  near([u.wrongArea], [1 / 48]);
});
