import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardOf } from './extent.js';

test('a rung has the class on every superpixel that joins up to there', () => {
  const ladder = { class: 3, other: 255, best: 1, from: [0, 2, 1, 3], rungs: [0, 1, 2].map((i) => ({ digest: `d${i}`, energy: -i, share: i / 4 })) };
  const masks = ladder.rungs.map((_, rung) => [...cardOf(ladder, rung, 'cup').labels]);
  assert.deepEqual(masks, [[3, 255, 255, 255], [3, 255, 3, 255], [3, 3, 3, 255]]);
  const { rank, digest, offer, stale } = cardOf(ladder, 2, 'cup');
  assert.deepEqual({ rank, digest, offer, stale }, { rank: -1, digest: 'd2', offer: { rung: 2 }, stale: false });
});
