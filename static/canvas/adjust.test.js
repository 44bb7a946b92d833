import assert from 'node:assert/strict';
import { test } from 'node:test';
import { line, NEUTRAL, neutral } from './adjust.js';

const at = (/** @type {Partial<import('./adjust.js').Adjustment>} */ change) => {
  const { slope, intercept } = line({ ...NEUTRAL, ...change });
  return (/** @type {number} */ v) => Math.round((slope * v + intercept) * 1000) / 1000;
};

test('neutral changes nothing', () => {
  assert.ok(neutral(NEUTRAL));
  assert.deepEqual(line(NEUTRAL), { slope: 1, intercept: 0 });
});

test('a window makes its ends black and white', () => {
  const tone = at({ low: 0.2, high: 0.6 });
  assert.deepEqual([0.2, 0.4, 0.6].map(tone), [0, 0.5, 1]);
  assert.ok(!neutral({ ...NEUTRAL, low: 0.2 }));
});

test('an empty window is a step and no division by zero', () => {
  const tone = at({ low: 0.5, high: 0.5 });
  assert.equal(tone(0.5), 0);
  assert.ok(tone(0.51) >= 1 && Number.isFinite(tone(1)));
});

test('contrast turns around the middle, brightness lifts all alike', () => {
  const more = at({ contrast: 0.5 });
  assert.equal(more(0.5), 0.5);
  assert.ok(more(0.6) > 0.7 && more(0.4) < 0.3);
  const less = at({ contrast: -1 });
  assert.ok(less(1) - less(0) > 0 && less(1) - less(0) < 0.2);
  const lifted = at({ brightness: 0.5 });
  assert.deepEqual([0, 0.5].map(lifted), [0.3, 0.8]);
});
