import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Objects } from './objects.js';

/** Answers GET objects in turn, and keeps what has been asked for. */
class Server {
  constructor() {
    /** @type {((answer: Response) => void)[]} */
    this.asked = [];
    globalThis.fetch = () => new Promise((resolve) => this.asked.push(resolve));
  }

  /** @param {string} tag @param {number[]} numbers of objects of class 1 */
  async answer(tag, ...numbers) {
    const objects = numbers.map((number) => ({ class: 1, number, outlines: [[0, 0, 1, 0, 1, 1]], marks: [] }));
    this.asked.shift()?.(Response.json({ objects }, { headers: { ETag: tag } }));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A page on which objects are told apart. */
function page() {
  globalThis.Path2D = /** @type {any} */ (class { moveTo() {} lineTo() {} closePath() {} });
  globalThis.document = /** @type {any} */ ({ getElementById: () => null });
  const server = new Server();
  /** @type {number[][]} */
  const shown = [];
  const evidence = { seq: 1, pending: [], confirmed: { said: { objects: [{ class: 1, number: 1 }] } } };
  const objects = new Objects('/api/v1/images/1', /** @type {any} */ ({
    session: { evidence },
    classes: { colorOf: () => '#000000', rest: { id: 0 }, current: { id: 1 } },
    painter: { instances: { show: (/** @type {{number: number}[]} */ list) => shown.push(list.map(({ number }) => number)) } },
  }));
  return { server, shown, evidence, objects };
}

const own = ['fetch', 'Path2D', 'document'].map((name) => /** @type {const} */ ([name, Object.getOwnPropertyDescriptor(globalThis, name)]));
afterEach(() => {
  for (const [name, property] of own) {
    if (property) Object.defineProperty(globalThis, name, property);
    else Reflect.deleteProperty(globalThis, name);
  }
});

test('objects that have not changed are not drawn again', async () => {
  const { server, shown, evidence, objects } = page();
  objects.update();
  await server.answer('a', 1);
  evidence.seq++;
  objects.update();
  await server.answer('a', 1);
  assert.deepEqual(shown, [[1]]);
  evidence.seq++;
  objects.update();
  await server.answer('b', 1, 2);
  assert.deepEqual(shown, [[1], [1, 2]]);
  objects.update();
  assert.equal(server.asked.length, 0);
});

test('one request is under way at a time, and the last state is asked for', async () => {
  const { server, shown, evidence, objects } = page();
  objects.update();
  evidence.seq = 5;
  objects.update();
  objects.update();
  assert.equal(server.asked.length, 1);
  await server.answer('a', 1);
  assert.equal(server.asked.length, 1);
  await server.answer('b', 2);
  assert.deepEqual(shown, [[1], [2]]);
  assert.equal(server.asked.length, 0);
});

test('objects that are taken away are gone at once', async () => {
  const { server, shown, evidence, objects } = page();
  objects.update();
  await server.answer('a', 1);
  evidence.seq++;
  evidence.confirmed.said.objects = [];
  objects.update();
  assert.deepEqual(shown, [[1], []]);
  evidence.seq++;
  evidence.confirmed.said.objects = [{ class: 1, number: 1 }];
  objects.update();
  await server.answer('a', 1); // brought back by undo
  assert.deepEqual(shown, [[1], [], [1]]);
});

test('imported objects smaller than a superpixel, which have no marks, keep their numbers, and can be joined', async () => {
  const { server, evidence, objects } = page();
  objects.update();
  await server.answer('a', 2, 3);
  /** @type {unknown[]} */
  const sent = [];
  const present = { labels: { 5: 1 }, said: { objects: [1, 4, 6].map((number) => ({ class: 1, number })) } };
  Object.assign(objects.ports, {
    session: { evidence: { ...evidence, present }, constrain: (/** @type {unknown[]} */ ...event) => sent.push(event) },
    say() {},
  });
  objects.ports.classes.nameOf = () => 'cell';
  objects.ports.painter.marks = /** @type {any} */ ({ context: { save() {}, restore() {}, setTransform() {}, isPointInPath: () => true } });
  const gesture = /** @type {any} */ ({ superpixels: [5], points: [[7.5, 8.5]] });
  objects.tell({ ...gesture, mode: 'label' });
  objects.tell({ ...gesture, mode: 'clear' });
  assert.deepEqual(sent, [
    ['instance', 1, { points: [[7.5, 8.5]], number: 5 }],
    ['instance', 1, { points: [[7.5, 8.5]], number: 0 }],
  ]);
});

test('a stroke that begins at a mark gives its object more, and any other makes one', async () => {
  const { server, evidence, objects } = page();
  objects.update();
  await server.answer('a', 1, 2);
  objects.shown.forEach((o, i) => Object.assign(o, { marks: [[i, 0]] }));
  /** @type {unknown[]} */
  const sent = [];
  const present = { labels: [1, 1, 1, 0], said: { objects: [1, 2, 5].map((number) => ({ class: 1, number })) } };
  Object.assign(objects.ports, {
    session: { evidence: { ...evidence, present }, constrain: (/** @type {unknown[]} */ ...event) => sent.push(event) },
    say() {},
  });
  objects.ports.classes.nameOf = () => 'cell';
  objects.ports.painter.map = /** @type {any} */ ({ width: 4, height: 1, fullWidth: 4, fullHeight: 1, ids: Uint16Array.of(0, 1, 2, 3) });
  const from = (/** @type {number[]} */ ...superpixels) => objects.tell(/** @type {any} */ ({ mode: 'label', superpixels, points: superpixels.map((x) => [x + 0.5, 0.5]) }));
  from(1, 2, 3); // another class there, which stays out
  from(2, 1);
  assert.deepEqual(sent, [
    ['instance', 1, { points: [[1.5, 0.5], [2.5, 0.5]], number: 2 }],
    ['instance', 1, { points: [[2.5, 0.5], [1.5, 0.5]], number: 3 }],
  ]);
});

test('what nobody need click is no object, and a stroke may begin there', () => {
  const { objects, evidence } = page();
  /** @type {unknown[]} */
  const sent = [];
  const present = { labels: [0, 1], said: { objects: [1, 2, 3].map((number) => ({ class: 1, number })) } };
  Object.assign(objects.ports, {
    session: { evidence: { ...evidence, present }, constrain: (/** @type {unknown[]} */ ...event) => sent.push(event) },
    say() {},
  });
  objects.ports.classes.nameOf = () => 'cell';
  const gesture = { mode: 'label', points: [[0.5, 0.5], [1.5, 0.5]] };
  objects.tell(/** @type {any} */ ({ ...gesture, superpixels: [0, 1] }));
  assert.deepEqual(sent, [['instance', 1, { points: [[1.5, 0.5]], number: 4 }]]);
  assert.throws(() => objects.tell(/** @type {any} */ ({ ...gesture, superpixels: [0] })), /toast/, 'a toast says so');
  assert.equal(sent.length, 1);
  Object.assign(objects.ports.painter, { map: { width: 2, height: 1, fullWidth: 2, fullHeight: 1, ids: Uint16Array.of(0, 1) }, marks: { context: { save() {}, restore() {}, setTransform() {}, isPointInPath: () => true } } });
  objects.shown = [/** @type {any} */ ({ class: 0, number: 1, marks: [[0, 0]] })];
  objects.tell(/** @type {any} */ ({ ...gesture, superpixels: [0] }));
  assert.deepEqual(sent.pop(), ['instance', 0, { points: [[0.5, 0.5]], number: 0 }], 'one that is there can be taken back');
  objects.shown = [];
  Object.assign(objects.ports.classes, { current: { id: 0 } }); // unless it is what the person is labelling
  present.said.objects = [1, 2, 3].map((number) => ({ class: 0, number }));
  objects.tell(/** @type {any} */ ({ ...gesture, superpixels: [0] }));
  assert.deepEqual(sent[1], ['instance', 0, { points: [[0.5, 0.5]], number: 4 }]);
});

test('objects take over the colours of their classes', async () => {
  const { server, shown, objects } = page();
  objects.update();
  await server.answer('a', 1);
  objects.ports.classes.colorOf = () => '#ff0000';
  objects.recolor();
  assert.deepEqual(shown, [[1], [1]]);
  assert.equal(objects.shown[0].color, '#ff0000');
});

test('a busy server is asked again without a word, a lasting problem is said once and asked for again on demand', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { server, shown, evidence, objects } = page();
  globalThis.addEventListener = globalThis.removeEventListener = () => {};
  /** @type {string[]} */
  const said = [];
  const element = () => ({
    dataset: {}, children: [], append() {}, remove() {}, contains: () => false, matches: () => false, setAttribute() {}, addEventListener() {},
    querySelector: (/** @type {string} */ what) => ({ ...element(), set textContent(/** @type {string} */ text) { if (/title/.test(what)) said.push(text); } }),
  });
  globalThis.document = /** @type {any} */ ({ addEventListener() {}, removeEventListener() {}, getElementById: (/** @type {string} */ id) => id === 'canvas' ? null : element(), importNode: () => ({ firstElementChild: element() }) });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const refuse = async (/** @type {number} */ status) => {
    server.asked.shift()?.(Response.json({ title: 'No', status }, { status }));
    await turn();
    await turn();
  };

  objects.update();
  await refuse(503);
  assert.equal(server.asked.length, 0);
  t.mock.timers.tick(3000);
  await turn();
  await server.answer('a', 1);
  assert.deepEqual([shown, said], [[[1]], []]);

  evidence.seq++;
  objects.update();
  await refuse(500);
  for (let i = 0; i < 3; i++) objects.update();
  t.mock.timers.tick(60_000);
  assert.equal(server.asked.length, 0, 'nothing is asked for by itself');
  assert.deepEqual(said, ['The objects shown are not up to date']);
  objects.retry();
  await server.answer('b', 1, 2);
  assert.deepEqual(shown, [[1], [1, 2]]);

  evidence.seq++;
  objects.update();
  await refuse(401);
  assert.equal(said.length, 1, 'the save state says that nobody is signed in');
});
