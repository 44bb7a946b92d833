import assert from 'node:assert/strict';
import { test } from 'node:test';
import { empty, intersection, meet, nothing, placed, union, unplaced } from './box.js';

const box = { left: 1, top: 2, right: 4, bottom: 6 };

test('nothing is empty and grows to what it is joined with', () => {
  assert.ok(empty(nothing()));
  assert.deepEqual(union(nothing(), box), box);
  assert.deepEqual(union(box, { left: 0, top: 3, right: 2, bottom: 9 }), { left: 0, top: 2, right: 4, bottom: 9 });
});

test('boxes that share no pixel have an empty intersection', () => {
  assert.deepEqual(intersection(box, { left: 3, top: 0, right: 9, bottom: 5 }), { left: 3, top: 2, right: 4, bottom: 5 });
  assert.ok(empty(intersection(box, { left: 4, top: 2, right: 9, bottom: 6 })));
  assert.ok(meet(box, { left: 4, top: 2, right: 9, bottom: 6 }), 'they touch');
  assert.ok(!meet(box, { left: 5, top: 2, right: 9, bottom: 6 }));
});

test('placing widens to whole pixels and can be taken back', () => {
  const placing = { sx: 0.5, sy: 2, left: 10.25, top: -3 };
  assert.deepEqual(placed(box, placing, 1), { left: 9, top: 0, right: 14, bottom: 10 });
  const { left, top, right, bottom } = box;
  const there = { left: left * 0.5 + 10.25, top: top * 2 - 3, right: right * 0.5 + 10.25, bottom: bottom * 2 - 3 };
  assert.deepEqual(unplaced(there, placing), box);
});
