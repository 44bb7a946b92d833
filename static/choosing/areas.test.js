import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areasInWords } from './areas.js';

const nameOf = (/** @type {number} */ id) => ['sky', 'sea', 'sand', 'boat', 'gull', 'rock', 'kite'][id];

test('ranges are whole percentages that hold the range', () => {
  assert.equal(areasInWords([{ label: 1, low: 0.1249, high: 0.1501 }, { label: 0, low: 0, high: 0.004 }], nameOf), 'Area, 80\u00a0% sure: sea\u00a012–\u206016\u00a0%, sky\u00a00–\u20601\u00a0%');
  assert.equal(areasInWords([{ label: 2, low: 0.25, high: 0.25 }], nameOf), 'Area, 80\u00a0% sure: sand\u00a025\u00a0%');
});

test('of many classes the least certain are named, in their order', () => {
  const areas = [0, 1, 2, 3, 4, 5, 6].map((label) => ({ label, low: 0.1, high: label === 2 ? 0.11 : 0.2 + label / 100 }));
  const named = areasInWords(areas, nameOf).match(/sky|sea|sand|boat|gull|rock|kite/g);
  assert.deepEqual(named, ['sky', 'sea', 'boat', 'gull', 'rock', 'kite']);
});
