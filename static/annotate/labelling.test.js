import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Acceptance } from '../choosing/acceptance.js';
import { Hypotheses } from '../evidence/hypotheses.js';
import { VOID } from '../evidence/protocol.js';
import { Labelling } from './labelling.js';

/** A page on which a click waits for its hypotheses. */
function page() {
  const hypotheses = new Hypotheses();
  /** @type {string[]} */
  const log = [];
  const session = /** @type {any} */ ({
    hypotheses, save: 'saved', readOnly: true, mayChange: () => true,
    evidence: { present: { labels: Uint8Array.of(0, 0), clicks: Uint8Array.of(VOID, VOID) }, pending: [], depth: () => ({ undo: 1, redo: 1 }), division: { blank: () => true } },
    accept: () => log.push('accept'),
    travel: (/** @type {string} */ kind) => log.push(kind),
    restore: (/** @type {number} */ to) => log.push(`restore ${to}`),
  });
  const strip = { reveal: () => {}, visible: () => true, numberOf: () => '1', total: 1 };
  const acceptance = new Acceptance(/** @type {any} */ ({ session, strip, nameOf: String, area: () => [1, 1], graph: () => null, focus: () => -1, say: () => {}, refresh: () => {} }));
  const labelling = new Labelling(/** @type {any} */ ({ session, acceptance, stage: { painter: {} }, history: { leave: () => false }, say: () => {} }));
  let runs = 0;
  const arrive = () => {
    const run = ++runs;
    hypotheses.start({ type: 'run', run, seq: run, count: 3, classes: [0, 1] });
    hypotheses.add({ run, seq: run, rank: 0, digest: String(run), energy: 0, labels: Uint8Array.of(1, 1) });
    acceptance.placed(0);
    acceptance.caughtUp();
  };
  return { labelling, acceptance, log, arrive, outdate: () => hypotheses.outdate() };
}

for (const [name, turn] of /** @type {[string, (labelling: Labelling) => void][]} */ ([
  ['undo', (l) => l.travel('undo')],
  ['redo', (l) => l.travel('redo')],
  ['restore 3', (l) => l.restore(3)],
])) {
  test(`an early Enter is not kept for the hypotheses after ${name}`, () => {
    const { labelling, acceptance, log, arrive, outdate } = page();
    outdate();
    acceptance.labelled();
    acceptance.accept();
    assert.equal(acceptance.eager, true, 'Enter waits');
    turn(labelling);
    arrive();
    assert.deepEqual(log, [name]);
  });
}
