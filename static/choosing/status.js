import { VOID } from '../evidence/protocol.js';
import { isolated } from '../ui/names.js';
import { counted } from '../ui/numbers.js';

const BUSY = 'Waiting for the server, which is busy with other people’s hypotheses';

/**
 * The line above the strip: the state of the search, or what to do to get hypotheses.
 *
 * @param {object} now
 * @param {Uint8Array} now.clicks
 * @param {Uint8Array} now.labels what is accepted
 * @param {boolean} [now.boxed] whether there is an object box or a first guess, from which a search may start
 * @param {readonly {id: number, name: string}[]} now.classes in order
 * @param {number} [now.active] the id of the active class
 * @param {number} [now.rest] the id of the class that nobody need click, or -1
 * @param {import('../evidence/hypotheses.js').Hypotheses} now.hypotheses
 * @param {boolean} now.touch whether there is probably no keyboard
 * @returns {string}
 */
export function statusLine({ clicks, labels, boxed = false, classes, active = -1, rest = -1, hypotheses, touch }) {
  const { done, fresh } = hypotheses;
  if (done?.reason === 'failed') return done.detail || 'Hypotheses could not be computed. Your clicks are saved.';
  if (done?.reason === 'busy') return done.detail || BUSY;
  const clicked = new Set(clicks);
  clicked.delete(VOID);
  const started = boxed && (hypotheses.running || fresh > 0);
  const ready = active === rest || clicked.has(active) ? undefined : classes.find(({ id }) => id === active);
  if (clicked.size === 0 && !started) {
    if (!empty(labels)) return `Labelled without clicks. ${touch ? 'Tap' : 'Click'} where it is wrong.`;
    if (ready) return `${touch ? 'Tap' : 'Click'} a piece of ${isolated(ready.name)}`;
    const first = Math.max(0, classes.findIndex(({ id }) => id !== rest));
    const name = isolated(classes[first]?.name ?? 'background');
    return touch ? 'Choose a class, then tap a piece of it' : `Press ${first + 1}, then click a piece of ${name}`;
  }
  const searched = hypotheses.classes > 1 && (hypotheses.running || fresh > 0); // one class and the rest
  const enough = rest >= 0 && !clicked.has(rest) && !(done && hypotheses.classes < 2); // the rest has no need of clicks
  if (clicked.size === 1 && !started && !searched && !enough) {
    if (ready) return `To get hypotheses, ${touch ? 'tap' : 'click'} a piece of ${isolated(ready.name)}`;
    const next = classes.findIndex(({ id }) => !clicked.has(id));
    if (next < 0) return 'Add a second class, then click a piece of it to get hypotheses';
    const name = isolated(classes[next].name);
    return touch || next > 8
      ? `Now choose a second class, such as ${name}, and ${touch ? 'tap' : 'click'} a piece of it`
      : `To get hypotheses, press ${next + 1}, then click a piece of ${name}`;
  }
  if (done?.reason === 'complete' && done.detail) return touch ? 'Everything is accepted. Tap where it is wrong.' : done.detail;
  return searchLine(hypotheses);
}

/**
 * The line above the strip for people who can only view, of whom nothing is asked.
 *
 * @param {object} now
 * @param {Uint8Array} now.clicks
 * @param {Uint8Array} now.labels
 * @param {import('../evidence/hypotheses.js').Hypotheses} now.hypotheses
 */
export function viewedLine({ clicks, labels, hypotheses }) {
  const { done, fresh, running } = hypotheses;
  if (fresh === 0 && empty(clicks)) return empty(labels) ? 'Nobody has labelled this image yet' : 'Labelled without clicks: there are no hypotheses';
  if (running || !done) return searchLine(hypotheses);
  if (done.reason === 'failed') return 'Hypotheses could not be computed';
  if (done.reason === 'busy') return done.detail || BUSY;
  if (done.reason === 'complete' && done.detail) return 'Everything is accepted';
  return hypotheses.classes < 2 ? 'Only one class is labelled so far' : searchLine(hypotheses);
}

/** Whether no superpixel has a class. @param {Uint8Array} labels */
function empty(labels) {
  return labels.every((label) => label === VOID);
}

/** How far the search is. @param {import('../evidence/hypotheses.js').Hypotheses} hypotheses */
function searchLine({ done, running, fresh, wanted, received }) {
  if (running) {
    return fresh === 0 ? 'Searching for hypotheses' : `${hypothesesIn(fresh)}, ${received} of ${wanted} tried`;
  }
  if (!done) return 'Searching for hypotheses';
  const folded = received - fresh;
  const stopped = done.reason === 'stopped' ? ', stopped' : '';
  return (folded > 0 ? `${hypothesesIn(fresh)} (${counted(folded, 'duplicate')})` : hypothesesIn(fresh)) + stopped;
}

/** @param {number} n */
const hypothesesIn = (n) => counted(n, 'hypothesis', 'hypotheses');
