import assert from 'node:assert/strict';
import { test } from 'node:test';

/** What the session has sent. @type {any[]} */
let sent = [];
/** @type {any} */
let socket;
/** What has become of the image. @type {import('./post.js').Fate} */
let fate = 'there';
/** How often the page was loaded again. */
let reloads = 0;
/** Answers what goes by HTTP. @type {(event: any) => any} */
let posted = () => null;
/** @param {any} timer that the test doesn't wait for at its end */
const unattended = (timer) => (timer.unref?.(), timer);
Object.assign(globalThis, {
  window: { setTimeout: (act, ms) => unattended(setTimeout(act, ms)) },
  location: Object.assign(new URL('http://localhost/images/1'), { reload: () => reloads++ }),
  document: { addEventListener() {} },
  addEventListener() {},
  WebSocket: class {
    constructor() {
      socket = this;
    }
    /** @param {string} text */
    send(text) {
      sent.push(JSON.parse(text));
    }
    close(code = 1005) {
      this.onclose({ code });
    }
  },
});
const { Session } = await import('./session.js');

const V = 255;
const base64 = (/** @type {number[]} */ bytes) => Buffer.from(bytes).toString('base64');
const state = (seq, map, clicks) => ({
  type: 'state', epoch: 'e', seq, clicks: base64(clicks), labels: base64(clicks), undo: seq, redo: 0,
  map, regions: clicks.length, wanted: clicks.length, finest: 4, split: 0,
});
const run = (n, seq) => ({ type: 'run', run: n, seq, count: 1, classes: [0, 1] });
const frame = (n, labels, seq = 0) => {
  const b = new Uint8Array(40 + labels.length);
  const view = new DataView(b.buffer);
  view.setUint8(0, 1);
  view.setUint32(4, n, true);
  view.setUint32(8, seq, true);
  view.setUint32(16, labels.length, true);
  b.set(labels, 40);
  return b.buffer;
};

/** What is kept for the next page, by id. @type {Map<string, any>} */
const kept = new Map();
const keeper = {
  put: async (row) => void kept.set(row.event.id, row),
  drop: async (id) => void kept.delete(id),
};

/** A session of 4 superpixels that is connected, and what it has said. */
function open() {
  sent = [];
  kept.clear();
  fate = 'there';
  /** @type {string[]} */
  const said = [];
  const session = new Session(4, 'fine', '/socket', { keeper, post: async (event) => posted(event), ask: async () => fate }, {
    labels: () => {},
    hypotheses: (news) => said.push(news),
    supposed: () => said.push('supposed'),
    map: () => said.push('map'), cells: () => said.push('cells'),
    divided: () => said.push('divided'),
    save: () => {},
    project: ({ classes }) => said.push(`classes ${classes.map((c) => c.id)}`),
    reviewed: () => said.push('reviewed'),
    here: ({ people }) => said.push(`with ${people}`),
    connected: () => said.push('connected'),
    problem: (title) => said.push(title),
    trashed: () => said.push('trashed'),
  });
  socket.onopen();
  const tell = (message) => socket.onmessage({ data: message instanceof ArrayBuffer ? message : JSON.stringify(message) });
  const ack = (seq) => tell({ type: 'ack', id: sent.filter(({ type }) => type === 'evidence')[seq - 1].id, seq });
  tell(state(0, 'fine', [V, V, V, V]));
  sent = [];
  kept.clear();
  said.length = 0;
  return { session, said, tell, ack };
}
const halved = (superpixels) => [...new Set(superpixels.map((s) => s >> 1))];

test('an image in the trash can only be viewed until it is restored', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { session, said, tell } = open();
  session.label([1], [], 1);
  socket.close(4410);
  assert.deepEqual([session.save, session.readOnly, said.filter((s) => s !== 'outdated')], ['trashed', true, ['trashed']]);
  session.label([0], [], 1);
  assert.deepEqual([said.filter((s) => s !== 'outdated'), session.evidence.pending.length, kept.size], [['trashed', 'trashed'], 1, 1], 'what was on its way is kept');
  t.mock.timers.tick(20_000);
  socket.close(1006); // refused
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([session.save, said.length], ['trashed', 3]);

  t.mock.timers.tick(20_000);
  sent = [];
  socket.onopen();
  assert.deepEqual([sent[0].type, sent[0].unacked.length], ['hello', 1]);
  tell({ type: 'ack', id: sent[0].unacked[0].id, seq: 1 });
  tell(state(1, 'fine', [V, 1, V, V]));
  assert.deepEqual([session.save, session.readOnly, kept.size], ['saved', false, 0]);
});

test('an edit that comes after the image went to the trash, or perhaps did, is kept', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { session, said, tell } = open();
  const refuse = async (/** @type {import('./post.js').Fate} */ answer) => {
    fate = answer;
    session.label([0], [], 1);
    tell({ type: 'reject', id: sent.findLast(({ type }) => type === 'evidence').id, reason: 'invalid', detail: 'This image doesn’t exist.', seq: 0 });
    await new Promise((resolve) => setImmediate(resolve));
    return said.splice(0).filter((s) => s !== 'outdated');
  };
  assert.deepEqual(await refuse('there'), ['That edit was undone']);
  assert.deepEqual([await refuse(''), await refuse('signed-out'), session.save, kept.size], [[], [], 'saving', 2]);
  t.mock.timers.tick(2000);
  assert.deepEqual([sent.at(-1).type, await refuse('trashed')], ['evidence', ['trashed']]);
  assert.deepEqual([session.save, session.evidence.pending.length, kept.size], ['trashed', 3, 3]);
});

test('an image that went to the trash while the page was offline', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { session, said } = open();
  socket.close(1006);
  assert.equal(session.save, 'offline');
  t.mock.timers.tick(20_000);
  fate = 'trashed';
  socket.close(1006); // refused
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([session.save, said], ['trashed', ['trashed']]);
});

test('a page whose person was removed while it was offline is loaded again, and keeps its edits', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { session, said, tell } = open();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  fate = 'removed';
  session.label([0], [], 1);
  tell({ type: 'reject', id: sent.at(-1).id, reason: 'invalid', detail: 'You are not a member.', seq: 0 });
  await settle();
  t.mock.timers.tick(20_000);
  socket.close(1006); // refused
  await settle();
  assert.deepEqual([reloads, kept.size, said.filter((s) => s !== 'outdated')], [1, 1, []]);
});

test('the server is asked nothing about an image in the trash', () => {
  const { session, said } = open();
  assert.ok(session.mayAsk());
  socket.close(4410);
  assert.deepEqual([session.mayAsk(), session.mayChange(), said], [false, false, ['trashed', 'trashed', 'trashed']]);
});

test('hears of others, and asks for the status by hand and the classes when they may have changed', () => {
  const { said, tell } = open();
  [{ type: 'reviewed' }, { type: 'here', people: ['bob'], more: 0 }].forEach((message) => tell(message));
  socket.close(1006);
  socket.onopen();
  assert.deepEqual(said, ['reviewed', 'with bob', 'connected']);
});

test('says that the server has lost edits', () => {
  const { said, tell } = open();
  tell({ type: 'lost', detail: 'The database came back without its last edits.' });
  assert.deepEqual(said, ['Edits of this image were lost']);
});

test('a state of other superpixels waits for them, and so does what follows it', () => {
  const { session, said, tell } = open();
  session.regrain(2);
  assert.deepEqual([sent[0].kind, sent[0].regions], ['granularity', 2]);
  session.label([3], [], 1);
  tell({ type: 'ack', id: sent[0].id, seq: 1 });
  tell(state(1, 'coarse', [V, V]));
  tell(run(9, 1));
  tell(frame(9, [0, 1]));
  assert.equal(said.at(-1), 'map');
  assert.equal(session.evidence.n, 4, 'what is shown stays');
  assert.equal(session.asked, 2);

  session.adopt(2, 'coarse', halved);
  assert.deepEqual(said.slice(-2), ['started', 'placed']);
  assert.deepEqual([...session.evidence.present.labels], [V, 1]);
  tell({ type: 'reject', id: sent[1].id, reason: 'map', detail: '', seq: 1 });
  assert.deepEqual([sent[1].map, sent[2].map, sent[2].superpixels, sent[2].expected_seq], ['fine', 'coarse', [1], 1]);
  assert.equal(sent[1].id, sent[2].id);
});

test('superpixels that change again before they are here', () => {
  const { session, said, tell } = open();
  tell(state(1, 'coarse', [V, V]));
  tell(run(9, 1));
  tell(frame(9, [0, 1]));
  tell(state(2, 'fine', [V, 7, V, V]));
  assert.equal(session.hypotheses.run, 0, 'what followed the other state is void');
  assert.equal(session.waiting, null);
  assert.deepEqual([...session.evidence.present.labels], [V, 7, V, V]);
  tell(run(10, 2));
  assert.equal(said.at(-1), 'started');
  assert.equal(session.hypotheses.run, 10);
});

test('viewers change nothing and are told why', () => {
  const { session, said } = open();
  session.viewer = true;
  session.label([1], [], 1);
  session.regrain(2);
  session.run(5);
  session.stop();
  assert.deepEqual([sent, session.evidence.pending], [[], []]);
  assert.deepEqual(said, Array(4).fill('View only'));
});

test('an edit is sent at once, and kept until it is acknowledged', () => {
  const { session, tell } = open();
  session.label([1], [[1, 0]], 2);
  assert.deepEqual([...session.evidence.present.labels], [V, 2, V, V], 'it shows at once');
  assert.deepEqual([sent.length, kept.get(sent[0].id).seq, session.save], [1, 0, 'saving']);
  tell({ type: 'ack', id: sent[0].id, seq: 1 });
  assert.deepEqual([kept.size, session.save], [0, 'saved']);
});

test('a connection that brings no answer is given up', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { session } = open();
  session.label([1], [], 2);
  const dead = socket;
  t.mock.timers.tick(16_000);
  assert.equal(session.save, 'offline');
  t.mock.timers.tick(1000);
  dead.onclose({ code: 1006 }); // much later
  socket.onopen();
  assert.deepEqual([socket === dead, sent.at(-1).unacked.length, session.save], [false, 1, 'saving']);
});

test('what is too large for the socket goes by HTTP, again when it did not arrive', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { session, said } = open();
  /** @type {any[]} */
  const tried = [];
  posted = (event) => {
    tried.push(event);
    return tried.length < 2 ? null : { type: 'ack', id: event.id, seq: 1 };
  };
  session.label([1], Array.from({ length: 9000 }, (_, i) => [i, 0]), 2);
  await Promise.resolve();
  await Promise.resolve();
  t.mock.timers.tick(5000);
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual([sent.length, tried.length, tried[0].id === tried[1].id], [0, 2, true]);
  assert.deepEqual([said, session.save], [['outdated'], 'saved']);
});

test('after a change of classes or rest, cards for the same clicks can no longer be accepted', () => {
  const { session, tell } = open();
  tell(state(1, 'fine', [V, 0, V, V]));
  tell(run(9, 1));
  tell(frame(9, [0, 0, 1, 1], 1));
  tell({ type: 'done', run: 9, reason: 'complete' });
  tell(state(1, 'fine', [V, 0, V, V]));
  tell(run(10, 1));
  assert.equal(session.hypotheses.present.length, 1, 'nothing has changed');
  tell({ type: 'project', project: { classes: [{ id: 0, name: 'a', color: '#000000' }], rest: null } });
  tell(state(1, 'fine', [V, 0, V, V]));
  tell(run(11, 1));
  assert.equal(session.hypotheses.present.length, 0);
});

test('hypotheses for the clicks before one that is on its way can’t be accepted after its ack', () => {
  const { session, said, tell, ack } = open();
  session.label([1], [], 2);
  session.label([2], [], 1);
  ack(1);
  tell(state(1, 'fine', [V, 2, V, V]));
  tell(run(9, 1));
  tell(frame(9, [0, 2, 0, 2], 1));
  ack(2);
  assert.deepEqual([session.save, session.hypotheses.present.length, said.at(-1)], ['saved', 0, 'outdated']);
  tell(state(2, 'fine', [V, 2, 1, V]));
  tell(run(10, 2));
  tell(frame(10, [0, 2, 1, 2], 2));
  session.repair([0, 1], 1);
  ack(3);
  assert.equal(session.hypotheses.present.length, 1, 'pixels leave them as they are');
});

test('others change the classes', () => {
  const { session, said, tell } = open();
  session.label([1], [], 2);
  tell({ type: 'ack', id: sent[0].id, seq: 1 });
  tell({ type: 'project', project: { classes: [{ id: 4, name: 'a', color: '#000000' }] } });
  assert.equal(said.at(-1), 'classes 4');
  tell(state(1, 'fine', [V, 4, V, V]));
  session.travel('undo');
  assert.deepEqual([...session.evidence.present.labels], [V, 4, V, V], 'what it was before only the server knows now');
});

test('a state that says nothing of repairs has those of the one before', () => {
  const { session, tell } = open();
  tell({ ...state(1, 'fine', [V, V, V, V]), repairs: [{ class: 1, runs: [0, 4] }] });
  tell(state(2, 'coarse', [V, V]));
  session.adopt(2, 'coarse', halved);
  tell(state(3, 'coarse', [V, 1]));
  assert.deepEqual([...session.evidence.present.repairs], [0, 4, 1]);
  tell({ ...state(4, 'coarse', [V, 1]), repairs: [] });
  assert.deepEqual([...session.evidence.present.repairs], []);
});

test('the first hypothesis is known before the label is given, and stays until the run has it', () => {
  const { session, said, tell } = open();
  tell(run(8, 0));
  session.suppose(1, [1, 0], 2, undefined);
  assert.deepEqual(sent, [{ type: 'suppose', fine: true, expected_seq: 0, map: 'fine', superpixels: [1], points: [[1, 0]], class: 2 }]);
  tell(frame(0, [1, 2, 1, 1], 1));
  assert.deepEqual([said.at(-1), [...(session.supposed ?? [])]], ['supposed', [1, 2, 1, 1]]);
  tell(frame(8, [1, 0, 0, 1], 0));
  assert.ok(session.supposed, 'the run before goes on and does not end it');
  session.label([1], [], 2);
  tell({ type: 'ack', id: sent[1].id, seq: 1 });
  tell(run(9, 1));
  assert.ok(session.supposed, 'nothing flickers');
  tell(frame(9, [1, 2, 1, 1], 1));
  assert.equal(session.supposed, null);
});

test('a supposition that is given up, or of one class, is not shown', () => {
  const { session, said, tell } = open();
  session.suppose(1, [1, 0], 2, undefined);
  tell(frame(0, [2, 2, 2, 2], 1));
  session.unsuppose();
  tell(frame(0, [1, 2, 1, 1], 1));
  session.suppose(1, [1, 0], 2, undefined);
  session.regrain(2);
  tell(frame(0, [1, 2, 1, 1], 1));
  assert.deepEqual([session.supposed, said.includes('supposed')], [null, false]);

  session.suppose(1, [1, 0], 2, undefined);
  assert.equal(sent.filter(({ type }) => type === 'suppose').length, 2, 'nothing is supposed while something is on its way');
});

test('a label that is refused was no good supposition', async () => {
  const { session, tell } = open();
  session.suppose(1, [1, 0], 2, undefined);
  tell(frame(0, [1, 2, 1, 1], 1));
  session.label([1], [], 2);
  tell({ type: 'reject', id: sent[1].id, reason: 'invalid', detail: '', seq: 0 });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(session.supposed, null);
});

test('a state that waits for the finest superpixels takes no click back that was acknowledged meanwhile', () => {
  const { session, tell, ack } = open();
  session.click(1, [1, 0], 2, undefined);
  session.click(3, [3, 0], 1, undefined);
  ack(1);
  tell({ ...state(1, 'fine', [V, V, V, V, 2, V]), regions: 4, parts: [8, 9] });
  tell(run(3, 1));
  tell(frame(3, [0, 2, 0, 0, 2, 0], 1));
  ack(2);
  session.resumed((cells) => cells.map(() => 1));
  assert.deepEqual([session.evidence.seq, session.evidence.present.clicks[3], session.hypotheses.fresh], [2, 1, 0]);
  tell({ ...state(2, 'fine', [V, V, V, 1, 2, V]), regions: 4, parts: [8, 9] });
  for (const next of [run(4, 2), frame(4, [0, 2, 0, 1, 2, 0], 2)]) tell(next);
  assert.deepEqual([session.evidence.seq, [...session.evidence.present.clicks], session.hypotheses.fresh], [2, [V, V, V, 1, 2, V], 1]);
});

test('a click divides superpixels, whose parts are known once the finest are', () => {
  const { session, said, tell } = open();
  session.click(1, [1, 0], 2, { rank: 0, digest: 'ab', energy: 1, labels: Uint8Array.of(0, 0, 0, 0), count: 1, stale: false });
  const { id, ...event } = sent[0];
  assert.deepEqual(event, { type: 'evidence', rebase: true, expected_seq: 0, kind: 'label', fine: true, map: 'fine', superpixels: [1], points: [[1, 0]], class: 2, hypothesis: { rank: 0, digest: 'ab' } });
  assert.deepEqual([[...session.evidence.present.labels], [...session.evidence.present.clicks]], [[V, 2, V, V], [V, 2, V, V]]);
  tell({ type: 'ack', id, seq: 1 });
  tell({ ...state(1, 'fine', [V, V, V, V, 2, V]), labels: base64([V, 2, V, V, 2, 2]), regions: 4, parts: [8, 9] });
  tell(run(3, 1));
  tell(frame(3, [0, 2, 0, 0, 2, 0], 1));
  assert.deepEqual([said.includes('cells'), session.evidence.seq, session.hypotheses.fresh], [true, 1, 0]);
  session.resumed((cells) => cells.map(() => 1));
  assert.deepEqual([said.at(-1), [...session.hypotheses.cards[0].labels]], ['placed', [0, 2, 0, 0, 2, 0]]);

  session.travel('undo');
  assert.deepEqual([...session.evidence.present.labels], [V, V, V, V, V, V], 'the parts go with their superpixel');
  session.label([1], [], 3);
  assert.deepEqual([...session.evidence.present.labels], [V, 3, V, V, 3, 3]);
});
