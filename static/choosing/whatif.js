import { call } from '../ui/api.js';
import { percent } from '../ui/numbers.js';
import { toastProblem } from '../ui/toast.js';

/**
 * @typedef {import('../evidence/hypotheses.js').Card} Card
 *
 * @typedef {object} Supposed the best labelling in which some superpixels have a class
 * @property {number} class id
 * @property {number[]} labels class ids per superpixel
 * @property {string} digest
 * @property {number} energy
 * @property {number} area share of the image that changes, 0..1
 */

/**
 * A supposed labelling as a hypothesis that can be previewed and accepted.
 *
 * @param {Supposed} supposed
 * @param {readonly number[]} superpixels that were asked about
 * @param {(id: number) => string} nameOf a class
 * @returns {Card}
 */
export function cardOf({ class: label, labels, digest, energy, area }, superpixels, nameOf) {
  const name = `${nameOf(label)}, changes ${percent(area)}`;
  return { rank: -1, digest, energy, labels: Uint8Array.from(labels), count: 1, stale: false, offer: { superpixels: [...superpixels], class: label }, name };
}

/**
 * Asks the server for what follows from the evidence. Null when that has changed
 * meanwhile, or after a problem, which it shows.
 *
 * @param {string} address
 * @param {import('../exchange/session.js').Session} session
 */
export async function followed(address, session) {
  const { run } = session.hypotheses;
  if (!session.mayAsk()) return null;
  try {
    const answer = await call('GET', address);
    return run === session.hypotheses.run && answer.seq === session.evidence.seq && answer.map === session.evidence.map ? answer : null;
  } catch (error) {
    toastProblem(error);
    return null;
  }
}

/**
 * Asks the server what the image would be if some superpixels were of another
 * class: one labelling for each class that they can have, the most likely first,
 * or null; see followed.
 *
 * @param {string} image id
 * @param {import('../exchange/session.js').Session} session
 * @param {readonly number[]} superpixels as hypotheses number them
 * @param {(id: number) => string} nameOf a class
 * @returns {Promise<Card[] | null>}
 */
export async function suppose(image, session, superpixels, nameOf) {
  const answer = await followed(`/api/v1/images/${image}/alternatives?superpixels=${superpixels.join(',')}`, session);
  return answer && answer.alternatives.map((/** @type {Supposed} */ a) => cardOf(a, superpixels, nameOf));
}
