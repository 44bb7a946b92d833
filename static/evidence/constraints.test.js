import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alike, apart, boxAt, constrained, excludedAt, freeNumber, NOTHING_SAID, saidIn } from './constraints.js';
import { Evidence } from './evidence.js';

const V = 255;
const base64 = (bytes) => Buffer.from(bytes).toString('base64');
const state = (seq, labels, constraints, undo = seq, clicks = labels) =>
  ({ type: 'state', epoch: 'e', seq, clicks: base64(clicks), labels: base64(labels), undo, redo: 0, constraints });

/** @param {[object, number[]?][]} events */
const after = (...events) => events.reduce((said, [event, superpixels = []]) => constrained(said, event, superpixels), NOTHING_SAID);

test('a class has one box, whichever corners it was dragged between', () => {
  const said = after([{ kind: 'box', class: 3, points: [[9, 2], [1, 8]] }], [{ kind: 'box', class: 1, points: [[0, 0], [4, 4]] }], [{ kind: 'box', class: 3, points: [[5, 5], [6, 7]] }]);
  assert.deepEqual(said.boxes, [{ class: 1, box: [0, 0, 4, 4] }, { class: 3, box: [5, 5, 6, 7] }]);
  assert.deepEqual(constrained(said, { kind: 'box', class: 1 }, []).boxes, [{ class: 3, box: [5, 5, 6, 7] }]);
});

test('a box that has moved is around another object, one that was drawn better is not', () => {
  assert.ok(apart([0, 0, 10, 10], [20, 0, 30, 10]));
  assert.ok(apart([0, 0, 10, 10], [6, 0, 16, 10])); // objects that overlap
  assert.ok(apart([0, 0, 10, 10], [9, 9, 40, 40]));
  assert.ok(!apart([0, 0, 10, 10], [1, 1, 12, 11]));
  assert.ok(!apart([0, 0, 10, 10], [3, 3, 6, 6]));
});

test('exclusions end with a label of the class or a clear', () => {
  const said = after([{ kind: 'exclude', class: 2 }, [5, 1]], [{ kind: 'exclude', class: 0 }, [1]], [{ kind: 'exclude', class: 2 }, [3, 5]]);
  assert.deepEqual(said.excluded, [{ class: 0, superpixels: [1] }, { class: 2, superpixels: [1, 3, 5] }]);
  assert.deepEqual(excludedAt(said, 1), [0, 2]);
  assert.deepEqual(constrained(said, { kind: 'label', class: 2 }, [1]).excluded, [{ class: 0, superpixels: [1] }, { class: 2, superpixels: [3, 5] }]);
  assert.deepEqual(constrained(said, { kind: 'label', class: 7 }, [1]).excluded, said.excluded);
  assert.deepEqual(constrained(said, { kind: 'clear' }, [1]).excluded, [{ class: 2, superpixels: [3, 5] }]);
});

test('locks are a set', () => {
  assert.deepEqual(after([{ kind: 'lock', class: 4 }], [{ kind: 'lock', class: 1 }], [{ kind: 'lock', class: 4 }], [{ kind: 'unlock', class: 9 }]).locked, [1, 4]);
  assert.deepEqual(after([{ kind: 'lock', class: 4 }], [{ kind: 'unlock', class: 4 }]).locked, []);
});

test('what is the same is alike, in whatever order its fields are', () => {
  const ours = after([{ kind: 'box', class: 1, points: [[0, 0], [4, 4]] }]);
  assert.ok(alike(ours, saidIn({ boxes: [{ box: [0, 0, 4, 4], class: 1 }] })));
  assert.ok(!alike(ours, saidIn({ boxes: [{ box: [0, 0, 4, 5], class: 1 }] })));
  assert.ok(alike(NOTHING_SAID, saidIn(undefined)));
});

test('the smallest box counts where several are', () => {
  const boxes = [{ class: 1, box: [0, 0, 9, 9] }, { class: 2, box: [2, 2, 4, 4] }];
  assert.deepEqual([boxAt(boxes, [3, 3])?.class, boxAt(boxes, [5, 5])?.class, boxAt(boxes, [10, 5])], [2, 1, null]);
});

test('boxes, exclusions and locks show at once, are undone at once and go again after a rebase', () => {
  const e = new Evidence(4);
  e.state(state(0, [V, V, V, V]));
  e.add({ id: 'a', kind: 'box', class: 1, points: [[0, 0], [4, 4]] });
  e.add({ id: 'b', kind: 'exclude', class: 2, superpixels: [3], points: [[1, 1]] });
  e.add({ id: 'c', kind: 'lock', class: 1 });
  const { said } = e.present;
  assert.deepEqual([said.boxes.length, excludedAt(said, 3), said.locked], [1, [2], [1]]);
  e.add({ id: 'd', kind: 'undo' });
  assert.deepEqual(e.present.said.locked, []);
  assert.deepEqual([e.depth().undo, e.depth().redo], [2, 1]);
  e.next();
  assert.equal(e.rejected('a', 'stale', 1), 'resend');
  e.state(state(1, [V, V, V, V], { locked: [0] }));
  assert.deepEqual([e.present.said.boxes.length, e.present.said.locked], [1, [0]]);
  assert.deepEqual([e.next()?.id, e.pending[0].event.expected_seq], ['a', 1]);
  e.state(state(2, [V, V, V, V], { boxes: [{ class: 1, box: [0, 0, 4, 4] }], locked: [0] }));
  assert.equal(e.pending[0].counted, true, 'a state that came about through our own event');
  e.acked('a', 2);
  assert.deepEqual(e.present.said.boxes, [{ class: 1, box: [0, 0, 4, 4] }]);
});

test('another person’s box is not taken for our own', () => {
  const e = new Evidence(2);
  e.state(state(0, [V, V]));
  e.add({ id: 'a', kind: 'box', class: 1, points: [[0, 0], [4, 4]] });
  e.next();
  e.state(state(1, [V, V], { boxes: [{ class: 0, box: [0, 0, 1, 1] }] }));
  assert.equal(e.pending[0].counted, false);
  assert.deepEqual(e.present.said.boxes.map((b) => b.class), [0, 1]);
});

test('nothing paints over a locked class', () => {
  const e = new Evidence(4);
  e.state(state(1, [1, 1, 2, V], { locked: [1] }, 1, [V, V, V, V]));
  e.add({ id: 'a', kind: 'label', class: 2, superpixels: [0, 3] });
  assert.deepEqual([...e.present.labels], [1, 1, 2, 2]);
  e.add({ id: 'b', kind: 'accept', hypothesis: { rank: 0, digest: 'd' } }, Uint8Array.of(0, 0, 0, 0));
  assert.deepEqual([...e.present.labels], [1, 1, 0, 2]);
  e.add({ id: 'c', kind: 'clear', superpixels: [1, 2] });
  assert.deepEqual([...e.present.labels], [1, 1, V, 2]);
  e.add({ id: 'd', kind: 'label', class: 1, superpixels: [0] });
  assert.deepEqual([...e.present.clicks], [1, V, V, 2]);
});

test('a resumed exclusion is renumbered, a box stays', () => {
  const e = new Evidence(4, 'fine');
  e.resume([
    { event: { id: 'a', expected_seq: 0, kind: 'exclude', class: 2, map: 'coarse', superpixels: [0], points: [[7, 7]] }, epoch: 'e', seq: 0 },
    { event: { id: 'b', expected_seq: 0, kind: 'box', class: 1, points: [[0, 0], [4, 4]] }, epoch: 'e', seq: 0 },
  ], () => [3]);
  assert.deepEqual([excludedAt(e.present.said, 3), e.present.said.boxes.length], [[2], 1]);
});

test('objects are counted on from those that are known, class by class', () => {
  const one = constrained(NOTHING_SAID, { kind: 'instance', class: 2, number: 1, points: [[3, 4]] }, []);
  assert.deepEqual(one.objects, [{ class: 2, number: 1 }]);
  assert.equal(freeNumber(one, 2), 2);
  assert.equal(freeNumber(one, 1), 1);
  assert.equal(freeNumber({ ...one, objects: [{ class: 2, number: 1 }, { class: 2, number: 3 }] }, 2), 2);
  assert.equal(constrained(one, { kind: 'instance', class: 2, number: 1 }, []), one);
  assert.equal(constrained(one, { kind: 'instance', class: 2, number: 0 }, []), one);
  assert.deepEqual(saidIn({ objects: [{ class: 1, ranges: [[1, 2], [4, 4]] }, { class: 2, ranges: [[3, 3]] }] }).objects.map((o) => `${o.class} ${o.number}`), ['1 1', '1 2', '1 4', '2 3']);
  assert.ok(alike(one, NOTHING_SAID), 'where objects are only the server knows');
});
