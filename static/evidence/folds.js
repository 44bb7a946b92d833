import { changed } from './hypotheses.js';

/** Hypotheses that differ on less than this share of the image look the same. */
export const ALIKE = 0.005;

/**
 * For each card the place of the first nearly identical one, which may be its
 * own. Stale cards are never folded.
 * O(cards² × superpixels).
 *
 * @param {readonly import('./hypotheses.js').Card[]} cards
 * @param {ArrayLike<number>} area per superpixel
 * @returns {number[]}
 */
export function leaders(cards, area) {
  /** @type {number[]} */
  const found = [];
  cards.forEach((card, place) => {
    const leader = card.stale
      ? undefined
      : found.findIndex((l, p) => l === p && !cards[p].stale && changed(cards[p].labels, card.labels, area) < ALIKE);
    found.push(leader === undefined || leader < 0 ? place : leader);
  });
  return found;
}
