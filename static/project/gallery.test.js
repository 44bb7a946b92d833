import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOBODY, arrange, between, finder, goOn, stateText, stepTo, tally, tallyBy, windowOf } from './gallery.js';

/** @type {import('./gallery.js').ImageRecord[]} */
const images = /** @type {any} */ ([
  { id: 'a', name: 'Field 10.jpg', status: 'started', decided: 0.5, expected_wrong_area: 0.05 },
  { id: 'b', name: 'field 9.jpg', status: 'done', decided: 1 },
  { id: 'c', name: 'forest.png', status: 'untouched', decided: 0 },
  { id: 'd', name: 'north/field 1.jpg', status: 'started', decided: 0.9, expected_wrong_area: 0.3 },
  { id: 'e', name: 'Öre.jpg', status: 'started', decided: 0.8 },
]);

/** @param {Partial<import('./gallery.js').Wish>} wish */
const ids = (wish, of = images) => arrange(of, { text: '', status: '', review: '', assignee: '', order: 'upload', ...wish }).map((im) => im.id).join('');

test('images are found by words of their name and by status', () => {
  assert.equal(ids({}), 'abcde');
  assert.equal(ids({ text: 'FIELD' }), 'abd');
  assert.equal(ids({ text: ' 1 field ' }), 'ad');
  assert.equal(ids({ text: 'nothing' }), '');
  assert.equal(ids({ status: 'started' }), 'ade');
  assert.equal(ids({ status: 'started', text: 'jpg 10' }), 'a');
});

test('names count numbers as numbers, doubt comes first when asked for', () => {
  assert.equal(ids({ order: 'name' }), 'bacde');
  assert.equal(ids({ order: 'uncertain' }), 'deacb');
});

test('work goes on with the first image shown that is not done, once it has begun', () => {
  assert.equal(goOn(images, images.slice(1))?.id, 'c');
  assert.equal(goOn(images, [images[1]]), undefined);
  assert.equal(goOn([images[2]], [images[2]]), undefined, 'nothing has begun');
  const goesOn = (/** @type {string} */ status, /** @type {string} */ review) => {
    const list = /** @type {any[]} */ ([{ status, review: { status: review } }]);
    return goOn(list, list) !== undefined;
  };
  for (const review of ['todo', 'progress', 'rejected']) assert.ok(goesOn('done', review), review);
  for (const review of ['done', 'approved']) assert.ok(!goesOn('started', review), review);
});

test('who only reviews goes on with the first image that is done and not judged as it is now', () => {
  const [of, waiting] = [(/** @type {object} */ im) => /** @type {any} */ ({ status: 'done', seq: 3, ...im }), (/** @type {any} */ im) => goOn([im], [im], true) === im];
  assert.ok(waiting(of({})));
  assert.ok(!waiting(of({ status: 'started' })));
  assert.ok(waiting(of({ status: 'started', review: { status: 'done', seq: 3 } })), 'its annotator says so');
  for (const status of ['approved', 'rejected']) {
    assert.ok(!waiting(of({ review: { status, seq: 3 } })));
    assert.ok(waiting(of({ review: { status, seq: 2 } })), 'changed since');
  }
  assert.ok(!waiting(of({ status: 'started', review: { status: 'rejected', seq: 2 } })), 'somebody is still correcting it');
});

test('an image that has only a guess counts as guessed, whatever made the guess', () => {
  const guesses = /** @type {any[]} */ ([{ id: 'p', name: 'p', status: 'untouched', guess_only: true }, { id: 'q', name: 'q', status: 'started', guess_only: true }]);
  assert.equal(ids({ status: 'guessed' }, [...images, ...guesses]), 'pq');
  assert.equal(ids({ status: 'untouched' }, [...images, ...guesses]), 'c');
  assert.equal(ids({ status: 'started' }, [...images, ...guesses]), 'ade');
  assert.deepEqual(tally([...images, ...guesses]), { '': 7, untouched: 1, guessed: 2, started: 3, done: 1 });
});

test('guesses come in order of expected work, then what nobody has begun', () => {
  const some = /** @type {any} */ ([
    { id: 'a', name: 'a', status: 'done' }, { id: 'b', name: 'b', status: 'started', expected_wrong_area: 0.1 }, { id: 'c', name: 'c', status: 'untouched' },
    { id: 'd', name: 'd', status: 'untouched', guess_only: true, expected_wrong_area: 0.3 }, { id: 'e', name: 'e', status: 'started', guess_only: true, expected_wrong_area: 0.2 },
  ]);
  assert.equal(ids({ order: 'work' }, some), 'edcba');
  assert.equal(ids({ order: 'uncertain' }, some), 'debca');
});

test('a guess is called so, wherever it is from', () => {
  const text = (/** @type {object} */ im) => stateText(/** @type {any} */ ({ decided: 0, ...im }));
  assert.equal(text({ status: 'untouched', guess_only: true }), 'Guessed');
  assert.equal(text({ status: 'started', guess_only: true }), 'Guessed');
  assert.equal(text({ status: 'started', decided: 0.25, guess_only: false }), '25\u00a0% labelled');
  assert.equal(text({ status: 'untouched', guess_only: false }), 'Untouched');
});

test('images are found by their status by hand', () => {
  const some = /** @type {any} */ ([
    { id: 'a', name: 'a', status: 'done', review: { status: 'approved', seq: 1 } }, { id: 'b', name: 'b', status: 'done' }, { id: 'c', name: 'c', status: 'started', review: { status: 'rejected', seq: 1 } },
  ]);
  assert.equal(ids({ review: 'approved' }, some), 'a');
  assert.equal(ids({ review: 'none' }, some), 'b');
  assert.equal(ids({ review: 'rejected', status: 'done' }, some), '');
  assert.deepEqual({ ...tallyBy(some, (im) => im.review?.status ?? 'none') }, { '': 3, approved: 1, none: 1, rejected: 1 });
});

test('images are found by who is to work on them', () => {
  const some = /** @type {any} */ ([{ id: 'a', name: 'a', assignee: 'ann' }, { id: 'b', name: 'b' }, { id: 'c', name: 'c', assignee: 'constructor' }]);
  assert.equal(ids({ assignee: 'ann' }, some), 'a');
  assert.equal(ids({ assignee: NOBODY }, some), 'b');
  assert.deepEqual({ ...tallyBy(some, (im) => im.assignee ?? NOBODY) }, { '': 3, ann: 1, [NOBODY]: 1, constructor: 1 });
});

test('a range goes both ways', () => {
  const list = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
  assert.deepEqual(between(list, 'b', 'd'), ['b', 'c', 'd']);
  assert.deepEqual(between(list, 'c', 'a'), ['a', 'b', 'c']);
  assert.deepEqual(between(list, 'gone', 'c'), ['c']);
});

test('a tally has every state', () => {
  assert.deepEqual(tally(images), { '': 5, untouched: 1, guessed: 0, started: 3, done: 1 });
});

test('every cell of the window is there, and few others', () => {
  for (const count of [1, 7, 100, 10_000]) {
    for (const columns of [1, 3, 5]) {
      const rows = Math.ceil(count / columns);
      for (let top = -300; top < rows * 200; top += 137) {
        const { from, to, above, below } = windowOf({ count, columns, row: 200, top, height: 700, spare: 2 });
        assert.ok(from >= 0 && to <= count && from < to, `${from}..${to} of ${count}`);
        assert.equal(from, above * columns);
        assert.equal(above + below + Math.ceil((to - from) / columns), rows);
        const firstSeen = Math.max(0, Math.floor(top / 200)) * columns;
        const lastSeen = Math.min(count, (Math.floor((top + 699) / 200) + 1) * columns);
        assert.ok(from <= firstSeen && to >= Math.min(count, lastSeen), `${from}..${to} misses ${firstSeen}..${lastSeen}`);
        assert.ok(to - from <= columns * 9);
      }
    }
  }
});

test('keys lead through the grid and not out of it', () => {
  assert.equal(stepTo('ArrowRight', 3, 4, 9), 4);
  assert.equal(stepTo('ArrowDown', 3, 4, 9), 7);
  assert.equal(stepTo('ArrowDown', 6, 4, 9), -1);
  assert.equal(stepTo('ArrowUp', 3, 4, 9), -1);
  assert.equal(stepTo('End', 0, 4, 9), 8);
  assert.equal(stepTo('Home', 8, 4, 9), 0);
  assert.equal(stepTo('Enter', 8, 4, 9), -1);
});

test('names are found by all words, whether accents are one character or two', () => {
  const names = ['Cafe\u0301 garden.jpg', 'Caf\u00e9.jpg', 'garden.jpg'];
  assert.deepEqual(names.map(finder('GARDEN caf\u00e9')), [true, false, false]);
  assert.deepEqual(names.map(finder('cafe\u0301')), [true, true, false]);
});
