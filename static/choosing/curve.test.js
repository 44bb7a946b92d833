import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepSteps, polyline, recorded, stepsOf, telling, verdict } from './curve.js';
import { levels, ramp } from '../canvas/heat.js';
import { VOID } from '../evidence/protocol.js';

const step = (/** @type {number} */ seq, /** @type {number} */ wrong) => ({ seq, wrong });

test('steps are kept in order, one per state, the newest 200', () => {
  let steps = recorded(recorded([], step(1, 0.3)), step(2, 0.2));
  steps = recorded(steps, step(1, 0.25));
  assert.deepEqual(steps, [step(2, 0.2), step(1, 0.25)]);
  for (let i = 0; i < 300; i++) steps = recorded(steps, step(10 + i, 0.1));
  assert.equal(steps.length, 200);
  assert.equal(steps[199].seq, 309);
});

test('the tab keeps the curve of one image', (t) => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const storage = { setItem: (/** @type {string} */ key, /** @type {string} */ value) => kept.set(key, value), getItem: (/** @type {string} */ key) => kept.get(key) ?? null };
  Object.defineProperty(globalThis, 'sessionStorage', { value: storage, configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis, 'sessionStorage'));
  assert.deepEqual(stepsOf('a'), []);
  keepSteps('a', [step(1, 0.3)]);
  assert.deepEqual(stepsOf('a'), [step(1, 0.3)]);
  for (let i = 0; i < 100; i++) keepSteps(`image ${i}`, [step(1, 0.2)]);
  assert.deepEqual([kept.size, stepsOf('a')], [1, []]);
});

test('the curve falls with the area', () => {
  assert.equal(polyline([], 100, 20), '');
  assert.equal(polyline([step(1, 0.4)], 100, 20), '100,0');
  assert.equal(polyline([step(1, 0.4), step(2, 0.1), step(3, 0)], 100, 20), '0,0 50,15 100,20');
});

test('disagreement is said of hypotheses that are there', () => {
  const card = { rank: 0, digest: 'a', energy: 0, labels: new Uint8Array(2), count: 1, stale: false };
  const shown = { cards: [card], classes: 2 };
  assert.equal(telling([step(1, 0.1)], shown), true);
  assert.equal(telling([step(1, 0.1)], { ...shown, cards: [{ ...card, stale: true }] }), true, 'until others come');
  assert.equal(telling([], shown), false);
  assert.equal(telling([step(1, 0.1)], { ...shown, cards: [] }), false, 'everything is undone, or the page is new');
  assert.equal(telling([step(1, 0.1)], { ...shown, classes: 1 }), false);
});

test('the area in words', () => {
  assert.equal(verdict(0.124), 'disagree on 12 %');
  assert.equal(verdict(0.008), 'disagree on 0.8 %');
  assert.equal(verdict(0.0001), 'disagree on < 0.1 %');
  assert.equal(verdict(0), 'all agree');
});

test('heat goes from nothing to the highest level, ever lighter', () => {
  const even = Math.log(3);
  assert.deepEqual([...levels(Float64Array.of(0, even, even / 2, 1e-9), 3)], [VOID, 254, 127, 0]);
  const colors = ramp();
  assert.equal(colors[VOID], 0);
  let before = -1;
  for (let level = 0; level < VOID; level++) {
    const [r, g, b] = [colors[level] & 255, (colors[level] >> 8) & 255, (colors[level] >> 16) & 255];
    const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    assert.ok(light >= before - 0.5, `level ${level}`);
    before = light;
  }
});
