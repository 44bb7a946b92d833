import { VOID } from '../evidence/protocol.js';
import { counted } from '../ui/numbers.js';

/**
 * The line above the strip: the state of the search, or what to do to get hypotheses.
 *
 * @param {object} now
 * @param {Uint8Array} now.clicks
 * @param {boolean} [now.boxed] whether there is an object box or a first guess, from which a search may start
 * @param {readonly {id: number, name: string}[]} now.classes in order
 * @param {number} [now.rest] the id of the class that nobody need click, or -1
 * @param {import('../evidence/hypotheses.js').Hypotheses} now.hypotheses
 * @param {boolean} now.touch whether there is probably no keyboard
 * @returns {string}
 */
export function statusLine({ clicks, boxed = false, classes, rest = -1, hypotheses, touch }) {
  const { done, fresh, wanted, received } = hypotheses;
  if (done?.reason === 'failed') return done.detail || 'Hypotheses could not be computed. Your clicks are saved.';
  if (done?.reason === 'busy') return done.detail || 'Waiting for the server, which is busy with other people’s hypotheses';
  const clicked = new Set(clicks);
  clicked.delete(VOID);
  const started = boxed && (hypotheses.running || fresh > 0);
  if (clicked.size === 0 && !started) {
    const first = Math.max(0, classes.findIndex(({ id }) => id !== rest));
    const name = classes[first]?.name ?? 'background';
    return touch ? 'Choose a class, then tap a piece of it' : `Press ${first + 1}, then click a piece of ${name}`;
  }
  const searched = hypotheses.classes > 1 && (hypotheses.running || fresh > 0); // one class and the rest
  const enough = rest >= 0 && !clicked.has(rest) && !(done && hypotheses.classes < 2); // the rest has no need of clicks
  if (clicked.size === 1 && !started && !searched && !enough) {
    const next = classes.findIndex(({ id }) => !clicked.has(id));
    if (next < 0) return 'Add a second class, then click a piece of it to get hypotheses';
    const { name } = classes[next];
    return touch || next > 8
      ? `To get hypotheses, click a piece of a second class, for example ${name}`
      : `To get hypotheses, press ${next + 1}, then click a piece of ${name}`;
  }
  if (hypotheses.running) {
    return fresh === 0 ? 'Searching for hypotheses' : `${hypothesesIn(fresh)} so far, ${received} of ${wanted} tried`;
  }
  if (!done) return 'Searching for hypotheses';
  if (done.reason === 'complete' && done.detail) return done.detail;
  const folded = received - fresh;
  const stopped = done.reason === 'stopped' ? ', stopped' : '';
  return (folded > 0 ? `${hypothesesIn(fresh)} (${counted(folded, 'duplicate')})` : hypothesesIn(fresh)) + stopped;
}

/** @param {number} n */
const hypothesesIn = (n) => counted(n, 'hypothesis', 'hypotheses');
