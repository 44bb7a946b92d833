import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Evidence } from './evidence.js';

const V = 255;
const base64 = (bytes) => Buffer.from(bytes).toString('base64');
const state = (seq, clicks, labels = clicks, undo = seq, redo = 0, epoch = 'e') =>
  ({ type: 'state', epoch, seq, clicks: base64(clicks), labels: base64(labels), undo, redo });
const label = (id, superpixels, c) => ({ id, kind: 'label', superpixels, class: c });
const accept = (id, superpixels) => ({ id, kind: 'accept', superpixels, hypothesis: { rank: 0, digest: 'd' } });

/** Fresh evidence of 4 superpixels that has met the server. */
function met(seq = 0, clicks = [V, V, V, V], labels = clicks) {
  const e = new Evidence(4);
  e.state(state(seq, clicks, labels));
  return e;
}
const shown = (e) => [...e.present.labels];

test('a click shows at once and stays through ack and state', () => {
  const e = met();
  e.add(label('a', [1], 2));
  assert.deepEqual(shown(e), [V, 2, V, V]);
  assert.equal(e.next()?.expected_seq, 0);
  e.acked('a', 1);
  assert.deepEqual(shown(e), [V, 2, V, V]);
  assert.equal(e.pending.length, 0);
  e.state(state(1, [V, 2, V, V]));
  assert.deepEqual(shown(e), [V, 2, V, V]);
});

test('one event is on its way at a time, each made for the state before it', () => {
  const e = met();
  e.add(label('a', [0], 0));
  e.add(label('b', [1], 1));
  assert.equal(e.next()?.id, 'a');
  assert.equal(e.next(), null);
  e.acked('a', 1);
  const b = e.next();
  assert.deepEqual([b?.id, b?.expected_seq], ['b', 1]);
});

test('an event that the server has put after those of others stays, and no step from before is undone here', () => {
  const e = met();
  e.add(label('a', [0], 1));
  e.next();
  e.acked('a', 1);
  e.add(label('b', [1], 2));
  e.next();
  e.acked('b', 4); // others made 2 and 3
  assert.deepEqual([e.seq, ...shown(e)], [4, 1, 2, V, V]);
  e.add({ id: 'u', kind: 'undo' });
  assert.deepEqual(shown(e), [1, 2, V, V], 'what b replaced is not known');
  e.state(state(4, [1, 2, 0, V]));
  assert.deepEqual(shown(e), [1, 2, 0, V]);
  assert.equal(e.next()?.expected_seq, 4);
});

test('a stale event goes again with the same id for the current state', () => {
  const e = met();
  e.add(label('a', [0], 1));
  e.next();
  assert.equal(e.rejected('a', 'stale', 3), 'resend');
  e.state(state(3, [V, V, V, 7]));
  assert.deepEqual(shown(e), [1, V, V, 7]);
  const again = e.next();
  assert.deepEqual([again?.id, again?.expected_seq], ['a', 3]);
});

test('an event that is stale at the right state is given up', () => {
  const e = met(2);
  e.add(accept('a'), Uint8Array.of(1, 1, 1, 1));
  e.next();
  assert.equal(e.rejected('a', 'stale', 2), 'dropped');
  assert.deepEqual(shown(e), [V, V, V, V]);
});

test('an invalid event is rolled back and those after it stay', () => {
  const e = met();
  e.add(label('a', [0], 9));
  e.add(label('b', [1], 1));
  e.next();
  assert.equal(e.rejected('a', 'invalid', 0), 'dropped');
  assert.deepEqual(shown(e), [V, 1, V, V]);
  assert.equal(e.next()?.id, 'b');
});

test('an event that can’t be stored at present is kept', () => {
  const e = met();
  e.add(label('a', [0], 1));
  e.next();
  assert.equal(e.rejected('a', 'unavailable', 0), 'wait');
  assert.deepEqual(shown(e), [1, V, V, V]);
  assert.equal(e.next()?.id, 'a');
});

test('accepting keeps clicks and can be limited to a region', () => {
  const e = met(1, [3, V, V, V]);
  e.add(accept('a', [0, 1]), Uint8Array.of(5, 6, 7, 8));
  assert.deepEqual(shown(e), [3, 6, V, V]);
  e.add(accept('b'), Uint8Array.of(5, 6, 7, 8));
  assert.deepEqual(shown(e), [3, 6, 7, 8]);
  assert.deepEqual([...e.present.clicks], [3, V, V, V]);
});

test('clearing takes click and labelling away', () => {
  const e = met(2, [3, V, V, V], [3, 1, 1, 1]);
  e.add({ id: 'a', kind: 'clear', superpixels: [0, 2] });
  assert.deepEqual(shown(e), [V, 1, V, 1]);
  assert.deepEqual([...e.present.clicks], [V, V, V, V]);
});

test('undo and redo of steps made here show at once, before and after the ack', () => {
  const e = met();
  e.add(label('a', [0], 1));
  e.add(label('b', [0, 1], 2));
  e.add({ id: 'u', kind: 'undo' });
  assert.deepEqual(shown(e), [1, V, V, V]);
  assert.deepEqual(e.depth(), { undo: 1, redo: 1 });
  for (const [id, seq] of [['a', 1], ['b', 2], ['u', 3]]) {
    e.next();
    e.acked(id, seq);
    assert.deepEqual(shown(e), [1, V, V, V]);
  }
  e.state(state(3, [1, V, V, V], undefined, 1, 1));
  e.add({ id: 'r', kind: 'redo' });
  assert.deepEqual(shown(e), [2, 2, V, V]);
  assert.deepEqual(e.depth(), { undo: 2, redo: 0 });
});

test('undo of a step that was made elsewhere waits for the server', () => {
  const e = met(5, [1, 1, V, V]);
  e.add({ id: 'u', kind: 'undo' });
  assert.deepEqual(shown(e), [1, 1, V, V]);
  e.next();
  e.acked('u', 6);
  e.state(state(6, [1, V, V, V], undefined, 4, 1));
  assert.deepEqual(shown(e), [1, V, V, V]);
});

test('a state that overtakes the ack is not played twice', () => {
  const e = met();
  e.add(label('a', [0], 1));
  e.next();
  e.acked('a', 1);
  e.add({ id: 'u', kind: 'undo' });
  e.next();
  e.state(state(2, [V, V, V, V], undefined, 0, 1));
  assert.deepEqual(shown(e), [V, V, V, V]);
  assert.deepEqual(e.depth(), { undo: 0, redo: 1 });
  e.acked('u', 2);
  assert.deepEqual(shown(e), [V, V, V, V]);
  assert.deepEqual(e.depth(), { undo: 0, redo: 1 });
  e.add({ id: 'r', kind: 'redo' });
  assert.deepEqual(shown(e), [1, V, V, V], 'the step is still known');
});

test('after a break the greeting carries what is unacknowledged, in order', () => {
  const e = met(4);
  e.add(label('a', [0], 1));
  e.add(label('b', [1], 2));
  e.next();
  e.disconnected();
  const hello = e.greeting();
  assert.deepEqual([hello.type, hello.epoch, hello.seq], ['hello', 'e', 4]);
  assert.deepEqual(hello.unacked.map((u) => [u.id, u.expected_seq]), [['a', 4], ['b', 5]]);
  assert.equal(e.next(), null, 'both are on their way');
  e.acked('a', 5); // it had been stored before the break
  e.acked('b', 6);
  assert.deepEqual([e.seq, e.pending.length, ...shown(e)], [6, 0, 1, 2, V, V]);
});

test('the ack of a repeat that the state holds already changes nothing', () => {
  const e = met(4);
  e.add(label('a', [0], 1));
  e.next();
  e.disconnected();
  e.greeting();
  e.state(state(7, [1, V, 2, V]));
  e.acked('a', 5);
  assert.deepEqual([e.seq, ...shown(e)], [7, 1, V, 2, V]);
});

test('a long queue does not burst the greeting', () => {
  const e = met();
  for (let i = 0; i < 200; i++) e.add(label(`id-${i}`, Array.from({ length: 100 }, (_, k) => k % 4), 1));
  const text = JSON.stringify(e.greeting());
  assert.ok(text.length < 64 << 10, `${text.length} bytes`);
  assert.ok(e.pending.some((p) => p.sent) && e.pending.some((p) => !p.sent));
});

test('a state for another image is refused', () => {
  assert.throws(() => met().state(state(1, [1, 1])), /2 superpixels and the image 4/);
});

test('what waits is put in terms of the superpixels that come', () => {
  const e = new Evidence(4, 'fine');
  e.state(state(2, [1, V, V, V]));
  e.add({ id: 'g', kind: 'granularity', regions: 2 });
  assert.equal(e.asked, 2);
  e.add({ ...label('a', [2, 3], 5), points: [[2, 0], [3, 0]] });
  assert.deepEqual([e.pending[0].event.map, e.pending[1].event.map], [undefined, 'fine']);
  e.next();
  e.acked('g', 3);
  assert.deepEqual([e.asked, e.granularity.wanted], [undefined, 2]);
  assert.equal(e.next()?.map, 'fine', 'sent before the page knows better');
  assert.deepEqual(e.renew(2, 'coarse', (superpixels, points) => [...new Set(points.map(([x]) => x >> 1))]), []);
  e.state({ ...state(3, [1, V], undefined, 3), map: 'coarse', regions: 2, wanted: 2, finest: 4, split: 0 });
  assert.deepEqual(shown(e), [1, 5]);
  assert.deepEqual(e.granularity, { regions: 2, wanted: 2, finest: 4, split: 0 });
  assert.equal(e.rejected('a', 'map', 3), 'resend');
  const a = e.next();
  assert.deepEqual([a?.map, a?.superpixels, a?.expected_seq], ['coarse', [1], 3]);
});

test('superpixels that are gone wait for the current ones', () => {
  const e = new Evidence(4, 'fine');
  e.state(state(2, [V, V, V, V]));
  e.add(label('a', [2], 5));
  e.next();
  assert.equal(e.rejected('a', 'map', 2), 'hold');
  assert.deepEqual(shown(e), [V, V, 5, V]);
});

test('a hypothesis of other superpixels can’t be accepted any more', () => {
  const e = new Evidence(4, 'fine');
  e.state(state(2, [1, V, V, V]));
  e.add(accept('a'), Uint8Array.of(1, 2, 2, 2));
  assert.deepEqual(e.renew(2, 'coarse', (s) => s), ['a']);
  assert.equal(e.pending.length, 0);
});

test('undo past a granularity waits for the server', () => {
  const e = met();
  e.add(label('a', [0], 1));
  e.add({ id: 'g', kind: 'granularity', regions: 2 });
  e.add({ id: 'u', kind: 'undo' });
  e.add({ id: 'u2', kind: 'undo' });
  assert.deepEqual(shown(e), [1, V, V, V]);
  assert.deepEqual(e.depth(), { undo: 0, redo: 2 });
});

/** What an earlier page left behind. */
const left = (event, seq = 0, epoch = 'e') => ({ event: { ...event, expected_seq: seq }, seq, epoch });
const nowhere = () => assert.fail('nothing is to be renumbered');

test('a page that comes back greets with what the one before could not send', () => {
  const e = new Evidence(4, 'fine');
  const events = [{ ...label('a', [0], 1), map: 'fine' }, { id: 'u', kind: 'undo' }, { ...label('b', [2], 3), map: 'fine' }];
  assert.deepEqual(e.resume(events.map((event) => left(event, 7)), nowhere), []);
  assert.deepEqual(shown(e), [V, V, 3, V]);
  const { epoch, seq, unacked } = e.greeting();
  assert.deepEqual([epoch, seq], ['e', 7]);
  assert.deepEqual(unacked.map((u) => [u.id, u.expected_seq]), [['a', 7], ['u', 8], ['b', 9]]);
  e.acked('a', 8); // it had arrived before
  e.acked('u', 9);
  e.acked('b', 10);
  e.state({ ...state(10, [V, 4, 3, V]), map: 'fine' });
  assert.deepEqual([e.pending.length, ...shown(e)], [0, V, 4, 3, V]);
});

test('what comes back goes on after a stranger’s events', () => {
  const e = new Evidence(4);
  e.resume([left(label('a', [0], 1), 2), left(label('b', [1], 1), 2)], nowhere);
  e.greeting();
  assert.equal(e.rejected('a', 'stale', 5), 'resend');
  assert.equal(e.rejected('b', 'stale', 5), 'resend');
  e.state(state(5, [V, V, V, 7]));
  assert.deepEqual(shown(e), [1, 1, V, 7]);
  assert.deepEqual([e.next()?.id, e.seq], ['a', 5]);
});

test('a history of the same length but another epoch is no reason to give up', () => {
  const e = new Evidence(4);
  e.resume([left(label('a', [0], 1), 5, 'old')], nowhere);
  assert.equal(e.greeting().epoch, 'old');
  assert.equal(e.rejected('a', 'stale', 5), 'resend');
  e.state(state(5, [V, V, V, 7]));
  assert.equal(e.next()?.expected_seq, 5);
});

test('strokes on superpixels that are gone come back by their points', () => {
  const e = new Evidence(2, 'coarse');
  const stroke = { ...label('a', [2, 3], 5), points: [[2, 0], [3, 0]], map: 'fine' };
  const blind = { ...label('b', [1], 5), map: 'fine' };
  const pick = { event: { ...accept('c'), expected_seq: 0 }, taken: Uint8Array.of(1, 1, 1, 1), seq: 0, epoch: 'e' };
  const lost = e.resume([left(stroke), left(blind), pick], (_, points) => [...new Set(points.map(([x]) => x >> 1))]);
  assert.deepEqual(lost, ['b', 'c']);
  assert.deepEqual([shown(e), e.pending[0].event.map], [[V, 5], 'coarse']);
});

test('an event that is here already does not come a second time', () => {
  const e = met();
  e.add(label('a', [0], 1));
  e.resume([left(label('a', [0], 1))], nowhere);
  assert.equal(e.pending.length, 1);
});

const repair = (id, label, ...runs) => ({ id, kind: 'pixels', repairs: [{ class: label, runs }] });
const repairs = (e) => [...e.present.repairs];

test('repairs show at once, are undone, and go with a later label', () => {
  const e = new Evidence(4, '', (superpixels) => superpixels.flatMap((s) => [s * 10, 10])); // superpixels of 10 pixels
  e.state(state(0, [V, V, V, V]));
  e.add(repair('a', 2, 5, 10));
  assert.deepEqual([repairs(e), shown(e)], [[5, 15, 2], [V, V, V, V]]);
  e.add(label('b', [1], 3));
  assert.deepEqual([repairs(e), shown(e)], [[5, 10, 2], [V, 3, V, V]]);
  e.add({ id: 'u', kind: 'undo' });
  assert.deepEqual([repairs(e), shown(e)], [[5, 15, 2], [V, V, V, V]]);
  e.add({ id: 'u2', kind: 'undo' });
  assert.deepEqual(repairs(e), []);
  e.add({ id: 'r', kind: 'redo' });
  assert.deepEqual(repairs(e), [5, 15, 2]);
});

test('repairs of the server, and our own that it foresaw', () => {
  const e = met();
  e.state({ ...state(1, [V, V, V, V]), repairs: [{ class: 1, runs: [0, 4] }] });
  assert.deepEqual(repairs(e), [0, 4, 1]);
  e.add(repair('a', 255, 2, 4));
  e.next();
  e.state({ ...state(2, [V, V, V, V]), repairs: [{ class: 1, runs: [0, 2] }, { class: 255, runs: [2, 4] }] });
  assert.deepEqual(repairs(e), [0, 2, 1, 2, 6, 255]);
  e.acked('a', 2);
  e.add({ id: 'u', kind: 'undo' });
  assert.deepEqual(repairs(e), [0, 4, 1], 'the step is known');
});

test('an older state comes back when the server has it', () => {
  const e = met(1, [3, V, V, V]);
  e.add(label('a', [1], 1));
  e.add({ id: 'x', kind: 'restore', to: 1 });
  assert.deepEqual(shown(e), [3, 1, V, V]);
  assert.deepEqual(e.depth(), { undo: 3, redo: 0 });
});

test('what was greeted with goes again in order, even where it named the right state', () => {
  const e = met(4);
  e.add(label('a', [0], 1));
  e.add({ id: 'u', kind: 'undo' });
  e.greeting();
  assert.equal(e.rejected('a', 'stale', 5), 'resend');
  assert.equal(e.rejected('u', 'stale', 5), 'resend', 'it was made for state 5, but another');
  e.state(state(5, [V, V, 3, V]));
  assert.equal(e.next()?.id, 'a');
  e.acked('a', 6);
  assert.equal(e.next()?.id, 'u');
  assert.equal(e.rejected('u', 'stale', 6), 'dropped');
});

test('after a break in which others went on, no step from before is undone here', () => {
  const e = met();
  e.add(label('a', [0], 1));
  e.next();
  e.acked('a', 1);
  e.disconnected();
  e.add(label('b', [1], 2));
  e.greeting();
  assert.equal(e.rejected('b', 'stale', 3), 'resend'); // others made 2 and 3
  e.state(state(3, [1, V, 0, V]));
  e.next();
  e.acked('b', 4);
  e.add({ id: 'u', kind: 'undo' });
  e.add({ id: 'v', kind: 'undo' });
  assert.deepEqual(shown(e), [1, V, 0, V], 'what event 3 replaced is not known');
});
