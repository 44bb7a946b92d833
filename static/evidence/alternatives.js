import { region } from '../superpixels/graph.js';
import { VOID } from './protocol.js';

/**
 * @typedef {import('./hypotheses.js').Card} Card
 *
 * @typedef {object} Option what one part of the hypotheses says of a region
 * @property {number} label
 * @property {number} count hypotheses that say so of the superpixel in question
 * @property {Card} card the first of them
 * @property {number[]} superpixels of the region to which it gives that label
 * @property {boolean} current the labelling says so already
 *
 * @typedef {object} Alternatives
 * @property {number[]} superpixels the region
 * @property {number} total hypotheses
 * @property {Option[]} options two or more, the most frequent first
 */

/** Share of the hypotheses that must agree on two neighbouring superpixels for both to belong to one region. */
const ALIKE = 0.6;

/**
 * The region around a superpixel on which the hypotheses differ together, and
 * what they say of it. Null where they agree, and where the person has said
 * what it is. O(region × hypotheses).
 *
 * @param {number} at
 * @param {object} known
 * @param {readonly Card[]} known.cards of the current run
 * @param {import('../superpixels/graph.js').Graph} known.graph
 * @param {Uint8Array} known.clicks
 * @param {Uint8Array} known.labels the labelling
 * @returns {Alternatives | null}
 */
export function alternatives(at, { cards, graph, clicks, labels }) {
  if (at < 0 || cards.length === 0 || clicks[at] !== VOID) return null;
  const total = cards.reduce((sum, { count }) => sum + count, 0);
  /** @type {Map<number, {count: number, card: Card}>} */
  const said = new Map();
  for (const card of cards) {
    const label = card.labels[at];
    const known = said.get(label);
    if (known) known.count += card.count;
    else said.set(label, { count: card.count, card });
  }
  if (said.size < 2) return null;
  const superpixels = region(graph, at, (s) => {
    if (clicks[s] !== VOID) return false;
    let same = 0;
    for (const { labels: l, count } of cards) if (l[s] === l[at]) same += count;
    return same >= ALIKE * total && cards.some(({ labels: l }) => l[s] !== cards[0].labels[s]);
  });
  const inside = new Set(superpixels);
  const options = [...said]
    .sort(([a, x], [b, y]) => y.count - x.count || a - b)
    .map(([label, { count, card }]) => {
      const part = region(graph, at, (s) => inside.has(s) && card.labels[s] === label);
      return { label, count, card, superpixels: part, current: part.every((s) => labels[s] === label) };
    });
  return { superpixels, total, options };
}
