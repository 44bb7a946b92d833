import { VOID } from '../evidence/protocol.js';

/**
 * What the line above the strip says: what is there, or what to do to get it.
 *
 * @param {object} now
 * @param {Uint8Array} now.clicks
 * @param {readonly {id: number, name: string}[]} now.classes in order
 * @param {import('../evidence/hypotheses.js').Hypotheses} now.hypotheses
 * @param {boolean} now.touch whether there is likely no keyboard
 * @returns {string}
 */
export function statusLine({ clicks, classes, hypotheses, touch }) {
  const { done, fresh, wanted, received } = hypotheses;
  if (done?.reason === 'failed') return done.detail || 'The hypotheses could not be computed. Your clicks are safe.';
  if (done?.reason === 'busy') return done.detail || 'The hypotheses have to wait for other people’s';
  const clicked = new Set(clicks);
  clicked.delete(VOID);
  if (clicked.size === 0) {
    const name = classes[0]?.name ?? 'background';
    return touch ? `No information yet: choose a class and tap some of it` : `No information yet: press 1 and click some ${name}`;
  }
  if (clicked.size === 1) {
    const next = classes.findIndex(({ id }) => !clicked.has(id));
    if (next < 0) return 'Add a second class and click some of it to get hypotheses';
    const { name } = classes[next];
    return touch || next > 8
      ? `Click a second class to get hypotheses, for example ${name}`
      : `Click a second class to get hypotheses: press ${next + 1} and click some ${name}`;
  }
  if (hypotheses.running) {
    return fresh === 0 ? 'Looking for hypotheses' : `${counted(fresh)} so far, ${received} of ${wanted} tried`;
  }
  if (!done) return 'Looking for hypotheses';
  const folded = received - fresh;
  const stopped = done.reason === 'stopped' ? ', stopped' : '';
  return (folded > 0 ? `${counted(fresh)} (${folded} more came out the same)` : counted(fresh)) + stopped;
}

/** @param {number} n */
function counted(n) {
  return n === 1 ? '1 hypothesis' : `${n} hypotheses`;
}
