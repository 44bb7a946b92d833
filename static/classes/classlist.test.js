import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adopted, answered, bodyOf, colorsByID, entryOf, fresh, moved, namesake, rebased, successor } from './classlist.js';

const palette = Array.from({ length: 255 }, (_, i) => `#ff00${i.toString(16).padStart(2, '0')}`);
const record = (id, name = `c${id}`) => ({ id, name, color: `#00000${id}` });
const list = (...ids) => ids.map((id) => entryOf(record(id)));
const ids = (entries) => entries.map((c) => c.id);

test('a name that another class has is found, whatever its case', () => {
  const [sky, sea] = [entryOf(record(0, 'Sky')), entryOf(record(1, 'sea'))];
  assert.equal(namesake([sky, sea], sea.key, ' sKY '), sky);
  assert.equal(namesake([{ ...sky, name: '\u00c9t\u00e9' }], sea.key, 'e\u0301te\u0301')?.key, sky.key, 'with its accents apart');
  assert.equal(namesake([sky, sea], sea.key, 'sea'), undefined, 'its own name');
  assert.equal(namesake([sky, sea], sea.key, '\u200f sky'), sky, 'pasted with a mark of direction');
  assert.equal(namesake([sky, sea], sea.key, 'sand'), undefined);
});

test('an entry moves up and down', () => {
  assert.deepEqual(moved(['a', 'b', 'c', 'd'], 0, 2), ['b', 'c', 'a', 'd']);
  assert.deepEqual(moved(['a', 'b', 'c', 'd'], 3, 1), ['a', 'd', 'b', 'c']);
  assert.deepEqual(moved(['a', 'b'], 1, 9), ['a', 'b']);
  assert.deepEqual(moved(['a', 'b'], 1, -1), ['b', 'a']);
});

test('a new class gets its id from the server', () => {
  const before = list(0, 2);
  const added = fresh(before, [1], palette);
  assert.deepEqual([added.id, added.stored, added.name], [3, false, 'class 3']);
  const sent = [...before, added];
  assert.deepEqual(bodyOf(sent).map((c) => c.id), [0, 2, undefined]);
  const meanwhile = moved([...sent, fresh(sent, [1], palette)], 2, 0);
  const now = answered(meanwhile, sent, [record(0), record(2), record(7, 'class 3')]);
  assert.deepEqual(now.map((c) => [c.id, c.stored]), [[7, true], [0, true], [2, true], [4, false]]);
});

test('a new class gets a colour that no other has', () => {
  const colored = (/** @type {string[]} */ ...colors) => colors.map((color, id) => entryOf({ id, name: `c${id}`, color }));
  assert.equal(fresh(colored('#000000', '#111111'), [], palette).color, palette[2]);
  assert.equal(fresh(colored('#000000', palette[2]), [], palette).color, palette[0]);
  assert.equal(new Set(Array.from({ length: 60 }).reduce((all) => [...all, fresh(all, [], palette)], colored('#000000')).map((c) => c.color)).size, 61);
});

test('names of new classes differ', () => {
  assert.equal(fresh([entryOf(record(0, 'Class 2'))], [], palette).name, 'class 3');
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

/** What two people make of a list of four at the same time; theirs is what the server has. */
const race = (mine, theirs, deleted = []) => {
  const base = list(0, 1, 2, 3);
  const there = adopted(base, theirs(base.map(({ id, name, color }) => ({ id, name, color }))));
  return rebased(base, mine(base), there, deleted, palette);
};
const shown = (entries) => entries.map((c) => `${c.stored ? '' : '+'}${c.id} ${c.name}`).join(', ');

test('a change is made again on what others have changed', () => {
  const add = (base) => [...base, fresh(base, [], palette)];
  const addTheirs = (there) => [...there, record(4, 'theirs')];
  assert.equal(shown(race(add, addTheirs)), '0 c0, 1 c1, 2 c2, 3 c3, 4 theirs, +5 class 5');
  assert.equal(shown(race(add, (there) => [record(4, 'class 5'), ...there])), '4 class 5, 0 c0, 1 c1, 2 c2, 3 c3, +5 class 6', 'a name that the page gave is chosen again');
  assert.equal(shown(race(add, (there) => there.slice(1), [0])), '1 c1, 2 c2, 3 c3, +4 class 5', 'the id of a deleted class is not free');

  const taken = race(add, (there) => [...there, { id: 4, name: 'theirs', color: fresh(list(0, 1, 2, 3), [], palette).color }]);
  assert.equal(new Set(taken.map((c) => c.color)).size, 6, 'a colour that the page gave is chosen again');

  const rename = (base) => base.map((c) => (c.id === 1 ? { ...c, name: 'sea' } : c));
  assert.equal(shown(race(rename, (there) => there.map((c) => (c.id === 2 ? { ...c, name: 'sky' } : c)))), '0 c0, 1 sea, 2 sky, 3 c3');
  assert.equal(shown(race(rename, (there) => there.filter((c) => c.id !== 1))), '0 c0, 2 c2, 3 c3', 'what others have deleted stays deleted');

  const up = (base) => moved(base, 3, 0);
  assert.equal(shown(race(up, (there) => [...there.slice(0, 2), record(4, 'theirs'), ...there.slice(2)])), '3 c3, 0 c0, 1 c1, 4 theirs, 2 c2');
  assert.equal(shown(race(add, (there) => moved(there, 3, 0))), '3 c3, 0 c0, 1 c1, 2 c2, +4 class 5');

  const remove = (base) => base.filter((c) => c.id !== 2);
  assert.equal(shown(race(remove, addTheirs)), '0 c0, 1 c1, 3 c3, 4 theirs');
  const restore = (base) => [...base, entryOf(record(9, 'back'))];
  assert.equal(shown(race(restore, addTheirs)), '0 c0, 1 c1, 2 c2, 3 c3, 4 theirs, 9 back');
  assert.equal(shown(race(restore, (there) => [...there, record(9, 'back')])), '0 c0, 1 c1, 2 c2, 3 c3, 9 back', 'both have restored the same class');
});

test('whatever two people do at once, nobody loses a class that nobody has deleted', () => {
  let seed = 7;
  const random = (/** @type {number} */ n) => (seed = (seed * 48271) % 2147483647) % n;
  for (let round = 0; round < 2000; round++) {
    const base = list(0, 1, 2, 3, 4);
    const gone = new Set();
    const change = (/** @type {any[]} */ entries, /** @type {() => any} */ another) => {
      let out = entries;
      for (let step = random(4); step > 0; step--) {
        const at = random(out.length);
        const kind = random(3);
        if (kind === 0) out = moved(out, at, random(out.length));
        else if (kind === 1) out = [...out.slice(0, at), another(), ...out.slice(at)];
        else if (out.length > 2) {
          gone.add(out[at]);
          out = out.filter((_, i) => i !== at);
        }
      }
      return out;
    };
    let id = 10;
    const theirs = change(base, () => entryOf({ ...record(0, `theirs ${id}`), id: id++ }));
    const mine = change(base, () => fresh(base, [], palette));
    const keys = rebased(base, mine, theirs, [], palette).map((c) => c.key).toSorted((a, b) => a - b);
    const lost = new Set([...gone].map((c) => c.key));
    const want = [...new Set([...base, ...mine, ...theirs].map((c) => c.key))].filter((key) => !lost.has(key)).toSorted((a, b) => a - b);
    assert.deepEqual(keys, want);
    assert.deepEqual(rebased(base, mine, base, [], palette).map((c) => c.key), mine.map((c) => c.key), 'alone, the change is what was made');
    assert.deepEqual(rebased(base, base, theirs, [], palette).map((c) => c.key), theirs.map((c) => c.key), 'without a change theirs is the result');
  }
});

test('where the active class is deleted, what its labels became is active, else its neighbour', () => {
  assert.equal(successor(list(1, 2, 5), 1, { target: 5 }).id, 5);
  assert.equal(successor(list(1, 2, 5), 1, { target: 255 }).id, 2);
  assert.equal(successor(list(1, 2, 5), 3).id, 5);
});
