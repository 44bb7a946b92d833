import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adopted, answered, bodyOf, colorsByID, entryOf, fresh, moved } from './classlist.js';

const record = (id, name = `c${id}`) => ({ id, name, color: `#00000${id}` });
const list = (...ids) => ids.map((id) => entryOf(record(id)));
const ids = (entries) => entries.map((c) => c.id);

test('an entry moves up and down', () => {
  assert.deepEqual(moved(['a', 'b', 'c', 'd'], 0, 2), ['b', 'c', 'a', 'd']);
  assert.deepEqual(moved(['a', 'b', 'c', 'd'], 3, 1), ['a', 'd', 'b', 'c']);
  assert.deepEqual(moved(['a', 'b'], 1, 9), ['a', 'b']);
  assert.deepEqual(moved(['a', 'b'], 1, -1), ['b', 'a']);
});

test('a new class gets its id from the server', () => {
  const before = list(0, 2);
  const added = fresh(before, [1]);
  assert.deepEqual([added.id, added.stored, added.name], [3, false, 'class 3']);
  const sent = [...before, added];
  assert.deepEqual(bodyOf(sent).map((c) => c.id), [0, 2, undefined]);
  const meanwhile = moved([...sent, fresh(sent, [1])], 2, 0);
  const now = answered(meanwhile, sent, [record(0), record(2), record(7, 'class 3')]);
  assert.deepEqual(now.map((c) => [c.id, c.stored]), [[7, true], [0, true], [2, true], [4, false]]);
});

test('names of new classes differ', () => {
  assert.equal(fresh([entryOf(record(0, 'Class 2'))], []).name, 'class 3');
});

test('changes of others are taken over, keeping what is the same', () => {
  const before = list(0, 1, 2);
  const now = adopted(before, [record(2), record(0, 'ground'), record(5)]);
  assert.deepEqual(ids(now), [2, 0, 5]);
  assert.equal(now[0].key, before[2].key);
  assert.equal(now[1].name, 'ground');
});

test('colours go by id', () => {
  assert.deepEqual(colorsByID(list(2, 0)), ['#000000', '#808080', '#000002']);
});
