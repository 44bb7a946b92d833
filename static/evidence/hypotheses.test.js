import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Choice } from '../choosing/choice.js';
import { Hypotheses, reference } from './hypotheses.js';

const run = (n, count = 3) => ({ type: 'run', run: n, seq: 1, count, classes: [0, 1] });
const frame = (n, rank, digest, energy = 10 - rank, labels = [rank]) => ({ run: n, seq: 1, rank, energy, digest, labels: Uint8Array.from(labels) });
const done = (n, reason = 'complete') => ({ type: 'done', run: n, reason });
const digests = (h) => h.cards.map((c) => (c.stale ? `(${c.digest})` : c.digest));

test('repeats are folded into one card with a count', () => {
  const h = new Hypotheses();
  h.start(run(1));
  assert.deepEqual(['a', 'b', 'a'].map((d, i) => h.add(frame(1, i, d))), ['placed', 'placed', 'folded']);
  h.finish(done(1));
  assert.deepEqual(h.cards.map((c) => [c.digest, c.rank, c.count]), [['a', 0, 2], ['b', 1, 1]]);
  assert.equal(h.best(), 10);
});

test('the run tells at its end which card to mark, by the rank of its first appearance', () => {
  const h = new Hypotheses();
  h.start(run(1));
  for (const [i, d] of ['a', 'a', 'b', 'c'].entries()) h.add(frame(1, i, d));
  assert.equal(h.marked, -1, 'not told yet');
  h.finish({ ...done(1), marked: 3 });
  assert.equal(h.marked, 2);
  h.outdate();
  assert.equal(h.marked, -1, 'made for older evidence');
  h.start(run(2));
  h.add(frame(2, 0, 'a'));
  h.finish(done(2));
  assert.equal(h.marked, -1, 'the first needs no mark');
});

test('a new run takes the places over one by one and nothing moves', () => {
  const h = new Hypotheses();
  h.start(run(1));
  for (const [i, d] of ['a', 'b', 'c'].entries()) h.add(frame(1, i, d));
  h.finish(done(1));
  h.outdate();
  assert.deepEqual(digests(h), ['(a)', '(b)', '(c)']);
  h.start(run(2));
  h.add(frame(2, 0, 'x'));
  assert.deepEqual(digests(h), ['x', '(b)', '(c)']);
  assert.ok(h.running);
  h.finish(done(2));
  assert.deepEqual(digests(h), ['x']);
  assert.ok(!h.running);
});

test('a run that the server has no time for leaves the cards, dimmed, for the next', () => {
  const h = new Hypotheses();
  h.start(run(1));
  for (const [i, d] of ['a', 'b'].entries()) h.add(frame(1, i, d));
  h.finish(done(1));
  h.start(run(2));
  h.finish(done(2, 'busy'));
  assert.deepEqual(digests(h), ['(a)', '(b)']);
  assert.ok(!h.running);
  h.start(run(3));
  h.add(frame(3, 0, 'x'));
  h.finish(done(3));
  assert.deepEqual(digests(h), ['x']);
});

test('a run for the same clicks leaves the cards as they are while it brings them again', () => {
  const h = new Hypotheses();
  h.start(run(1));
  for (const [i, d] of ['a', 'b'].entries()) h.add(frame(1, i, d));
  h.finish(done(1));
  h.start(run(2), true);
  assert.deepEqual(digests(h), ['a', 'b']);
  assert.equal(h.present.length, 2);
  h.add(frame(2, 0, 'a'));
  h.add(frame(2, 1, 'b'));
  assert.deepEqual(digests(h), ['a', 'b']);
  h.finish(done(2));
  assert.deepEqual(h.cards.map(({ count }) => count), [1, 1]);
});

test('a run for the same clicks that brings another hypothesis leaves none to be accepted of those before', () => {
  const h = new Hypotheses();
  h.start(run(1));
  for (const [i, d] of ['a', 'b', 'c', 'd'].entries()) h.add(frame(1, i, d));
  h.finish(done(1));
  const [, before, , last] = h.cards;
  h.start(run(2), true);
  h.add(frame(2, 0, 'a'));
  assert.ok(!before.stale);
  h.add(frame(2, 1, 'x'));
  assert.ok(before.stale);
  assert.deepEqual(digests(h), ['a', 'x', '(c)', '(d)']);
  h.finish(done(2));
  assert.deepEqual(digests(h), ['a', 'x']);

  h.start(run(3), true);
  h.add(frame(3, 0, 'a'));
  const [, other] = h.cards;
  h.finish(done(3));
  assert.ok(other.stale && last.stale, 'what the run did not bring can still be selected');
});

test('more can be asked for until a hundred, also after a stop', () => {
  const h = new Hypotheses();
  h.start(run(1, 20));
  assert.equal(h.more, 0, 'not while it runs');
  h.add(frame(1, 0, 'a'));
  h.finish(done(1, 'stopped'));
  assert.equal(h.more, 20, 'a stopped run goes on to its end');
  h.start(run(2, 90), true);
  h.finish(done(2));
  assert.equal(h.more, 100);
  h.start(run(3, 100), true);
  for (let i = 0; i < 100; i++) h.add(frame(3, i, String(i)));
  h.finish(done(3));
  assert.equal(h.more, 0);
  h.start({ ...run(4), classes: [0] });
  h.finish(done(4, 'one-class'));
  assert.equal(h.more, 0);
});

test('frames and ends of superseded runs are ignored', () => {
  const h = new Hypotheses();
  h.start(run(2));
  h.add(frame(2, 0, 'x'));
  assert.equal(h.add(frame(1, 5, 'old')), 'ignored');
  h.finish(done(1));
  h.finish(done(2, 'superseded'));
  assert.ok(h.running);
  assert.deepEqual(digests(h), ['x']);
});

test('after a click nothing of the old run counts until the new one starts', () => {
  const h = new Hypotheses();
  h.start(run(1));
  h.add(frame(1, 0, 'a'));
  h.outdate();
  assert.equal(h.add(frame(1, 1, 'b')), 'ignored');
  assert.equal(h.best(), -Infinity);
});

test('the first hypothesis is shown by itself after a click, not after an accept', () => {
  const h = new Hypotheses();
  const c = new Choice();
  const arrive = (f) => h.add(f) === 'placed' && c.placed(h.cards[h.fresh - 1], h.fresh - 1, c.follow === true);
  c.follow = true;
  h.start(run(1));
  arrive(frame(1, 0, 'a'));
  arrive(frame(1, 1, 'b'));
  assert.equal(c.shown?.card.digest, 'a');
  c.select(h, -1); // accepted
  h.start(run(2));
  arrive(frame(2, 0, 'a'));
  assert.equal(c.shown, null);
});

test('what is selected is found again in the next run by its digest', () => {
  const h = new Hypotheses();
  const c = new Choice();
  const arrive = (f) => h.add(f) === 'placed' && c.placed(h.cards[h.fresh - 1], h.fresh - 1, c.follow === true);
  h.start(run(1));
  arrive(frame(1, 0, 'a'));
  arrive(frame(1, 1, 'b'));
  c.select(h, 1);
  h.start(run(2));
  assert.ok(c.shown?.card.stale);
  arrive(frame(2, 0, 'b'));
  assert.deepEqual([c.shown?.place, c.shown?.card.stale], [0, false]);
  h.start(run(3));
  arrive(frame(3, 0, 'z'));
  h.finish(done(3));
  c.finished(h);
  assert.equal(c.shown, null, 'it is gone');
});

test('walking stays within the cards', () => {
  const h = new Hypotheses();
  const c = new Choice();
  assert.equal(c.beside(h, 1), -1);
  h.start(run(1));
  for (const [i, d] of ['a', 'b'].entries()) h.add(frame(1, i, d));
  assert.deepEqual([c.beside(h, 1), c.beside(h, -1)], [0, 1]);
  c.select(h, 1);
  assert.deepEqual([c.beside(h, 1), c.beside(h, -1)], [1, 0]);
});

test('what is undecided is compared with the first hypothesis', () => {
  const labels = Uint8Array.of(1, 255, 255);
  const first = Uint8Array.of(1, 2, 3);
  const compared = reference(labels, first);
  assert.deepEqual([...compared], [1, 2, 3]);
});

test('cards stay, stale, when superpixels change', () => {
  const h = new Hypotheses();
  h.start(run(1));
  h.add(frame(1, 0, 'a', 10, [3, 4]));
  h.renew([0, 0, 1, 1, 1]);
  assert.deepEqual(digests(h), ['(a)']);
  assert.deepEqual([...h.cards[0].labels], [3, 3, 4, 4, 4]);
});
