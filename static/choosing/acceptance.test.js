import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hypotheses } from '../evidence/hypotheses.js';
import { VOID } from '../evidence/protocol.js';
import { Acceptance } from './acceptance.js';

/** A person in front of a strip whose hypotheses arrive when the test says so. */
function strip() {
  const hypotheses = new Hypotheses();
  const accepted = [];
  /** @type {string[]} */
  const said = [];
  const evidence = {
    present: { labels: Uint8Array.of(0, 0), clicks: Uint8Array.of(VOID, VOID) },
    pending: /** @type {{event: {kind: string}}[]} */ ([]),
    depth: () => ({ undo: 0 }),
    division: { blank: () => false },
  };
  const session = { hypotheses, evidence, save: 'saved', readOnly: true, accept: (card) => accepted.push(card.digest) };
  const view = { reveal: () => {}, visible: () => true, numberOf: (place) => String(place + 1), total: 3 };
  const acceptance = new Acceptance({ session, strip: view, nameOf: String, area: () => [1, 1], graph: () => null, focus: () => -1, say: (text) => said.push(text), refresh: () => {} });
  let runs = 0;
  return {
    accepted,
    said,
    acceptance,
    session,
    pending: evidence.pending,
    outdate: () => hypotheses.outdate(),
    click() {
      hypotheses.outdate();
      acceptance.labelled();
    },
    begin(classes = [0, 1]) {
      hypotheses.start({ type: 'run', run: ++runs, seq: runs, count: 3, classes });
    },
    arrive(rank, digest = `${runs}:${rank}`) {
      hypotheses.add({ run: runs, seq: runs, rank, digest, energy: -rank, labels: Uint8Array.of(rank % 2, 1) });
      acceptance.placed(rank);
      acceptance.caughtUp();
    },
    /** A click whose three hypotheses have all come. */
    answered() {
      this.click();
      this.begin();
      for (const rank of [0, 1, 2]) this.arrive(rank);
      this.end();
    },
    end(reason = 'complete') {
      hypotheses.finish({ type: 'done', run: runs, reason });
      acceptance.finished();
      acceptance.caughtUp();
    },
  };
}

test('a step and Enter count for the hypotheses of the last click, however many have come', () => {
  for (const runs of [1, 2]) { // the first strip grows, later ones replace what is shown
    for (let early = 0; early <= 3; early++) {
      const s = strip();
      for (let run = 1; run <= runs; run++) {
        s.click();
        s.begin();
        const some = run === runs ? early : 3;
        for (let rank = 0; rank < some; rank++) s.arrive(rank);
        if (run < runs) s.end();
      }
      s.acceptance.walk(1);
      s.acceptance.accept();
      for (let rank = early; rank < 3; rank++) s.arrive(rank);
      s.end();
      assert.deepEqual(s.accepted, [`${runs}:1`], `in run ${runs} the keys came after ${early} hypotheses`);
    }
  }
});

test('a step and Enter wait for the hypotheses of a click that is on its way, whatever comes for the one before', () => {
  const s = strip();
  s.click();
  s.click();
  s.pending.push({ event: { kind: 'label' } }); // the second
  s.begin();
  for (const rank of [0, 1, 2]) s.arrive(rank);
  s.acceptance.walk(1);
  s.acceptance.accept();
  assert.deepEqual(s.accepted, []);
  s.pending.length = 0;
  s.outdate();
  s.begin();
  for (const rank of [0, 1, 2]) s.arrive(rank);
  s.end();
  assert.deepEqual(s.accepted, ['2:1']);
});

test('steps beyond the last hypothesis end there, and steps back take early ones back', () => {
  const s = strip();
  s.click();
  s.begin();
  s.arrive(0);
  for (const step of [1, 1, 1, -1, 1, 1]) s.acceptance.walk(step);
  assert.equal(s.acceptance.choice.selected.place, 0);
  for (const rank of [1, 2]) s.arrive(rank);
  s.end();
  assert.equal(s.acceptance.choice.selected.place, 2);
  s.acceptance.walk(1);
  assert.equal(s.acceptance.choice.selected.place, 2);
  s.acceptance.walk(-1);
  assert.equal(s.acceptance.choice.selected.place, 1);
  s.acceptance.accept();
  assert.deepEqual(s.accepted, ['1:1']);
});

/** Collects what messages say. @param {import('node:test').TestContext} t @returns {string[]} */
function messages(t) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  /** @type {string[]} */
  const shown = [];
  const part = () => ({ dataset: {}, children: [], addEventListener() {}, setAttribute() {}, append() {}, querySelector: part });
  const element = () => ({
    ...part(),
    querySelector: (/** @type {string} */ what) => ({ ...part(), set textContent(/** @type {string} */ text) { if (text && /title|detail/.test(what)) shown.push(text); } }),
  });
  globalThis.document = /** @type {any} */ ({ getElementById: part, importNode: () => ({ firstElementChild: element() }) });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  return shown;
}

test('an Enter on a card of older clicks waits for the run that takes all of them into account, and says when that does not bring it', (t) => {
  const shown = messages(t);
  for (const again of [true, false]) {
    const s = strip();
    s.answered();
    s.click();
    s.begin(); // run 2, which a further click supersedes
    s.pending.push({ event: { kind: 'label' } });
    s.acceptance.take(1);
    s.acceptance.accept();
    assert.equal(s.said.at(-1), 'Will be accepted when it arrives');
    s.end('superseded');
    s.pending.length = 0;
    s.outdate();
    s.begin();
    s.arrive(0);
    if (again) s.arrive(1, '1:1');
    s.end();
    assert.deepEqual(s.accepted, again ? ['1:1'] : []);
    assert.equal(shown.join(': '), again ? '' : 'Nothing was accepted: The hypothesis you chose is not among those for your latest clicks. Choose another one.');
    assert.equal(s.acceptance.missed, !again);
  }
});

test('an Enter on a card of older clicks accepts no other one, not even the only one', (t) => {
  const shown = messages(t);
  const s = strip();
  s.answered();
  s.outdate();
  s.acceptance.take(1);
  s.acceptance.accept();
  s.begin([0]);
  s.arrive(0);
  s.end('one-class');
  assert.deepEqual(s.accepted, []);
  assert.equal(shown[0], 'Nothing was accepted');
});

test('where an accepted labelling is shown, nothing is waited for, also when that is known only later', (t) => {
  const shown = messages(t);
  for (const known of [true, false]) {
    const s = strip();
    if (!known) s.session.evidence.division.blank = () => true;
    s.acceptance.accept();
    assert.equal(s.acceptance.eager, !known);
    s.session.evidence.division.blank = () => false;
    s.begin();
    if (known) s.acceptance.accept();
    s.arrive(0);
    assert.equal(s.acceptance.eager, false);
    s.end();
    assert.deepEqual([s.accepted, shown, s.acceptance.missed], [[], [], false]);
  }
});

test('an Enter waits while the server is busy, and says when the server goes away', (t) => {
  const shown = messages(t);
  const s = strip();
  s.click();
  s.begin();
  s.acceptance.accept();
  s.end('busy');
  assert.ok(s.acceptance.eager);
  s.session.save = 'offline';
  s.acceptance.caughtUp();
  assert.equal(shown.join(': '), 'Nothing was accepted: Hypotheses come once the server is back.');
  s.acceptance.caughtUp();
  assert.equal(shown.length, 2, 'it is said once');
});

test('a card that is taken is not announced as a preview, one that only is selected is', () => {
  const s = strip();
  s.answered();
  s.acceptance.select(1);
  assert.equal(s.said.splice(0).length, 1);
  s.acceptance.take(1);
  assert.deepEqual([s.accepted, s.said], [['1:1'], []], 'the message says that it was accepted');
  s.acceptance.regionTap.awaited = true;
  s.acceptance.take(2);
  assert.match(s.said.join(), /^Preview of hypothesis 3/, 'a region of it is to be tapped');
  assert.equal(s.accepted.length, 1);
});

test('the tap on a region counts for the hypothesis that is shown, and for no later tap', (t) => {
  const attributes = new Map();
  const messages = new Set();
  t.mock.timers.enable({ apis: ['setTimeout'] }); // of the messages
  const element = () => {
    const one = { dataset: {}, children: [], contains: () => false, remove: () => messages.delete(one), append: (message) => messages.add(message), addEventListener() {}, setAttribute: (name, to) => attributes.set(name, to), querySelector: () => element() };
    return one;
  };
  globalThis.document = /** @type {any} */ ({ getElementById: element, importNode: () => ({ firstElementChild: element() }) });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const s = strip();
  s.answered();
  s.acceptance.select(1);
  s.acceptance.pickRegion(true);
  assert.equal(messages.size, 1, 'the page says what it waits for');
  s.acceptance.accept();
  assert.equal(messages.size, 0);
  assert.deepEqual(s.accepted, ['1:1']);
  assert.equal(attributes.get('aria-pressed'), 'false', 'all is accepted');
  assert.equal(s.acceptance.tapped(0), false, 'the next tap labels');
  s.acceptance.pickRegion(true);
  assert.equal(s.acceptance.tapped(0), false, 'no hypothesis is shown');
  assert.equal(s.acceptance.picking, false);
});
