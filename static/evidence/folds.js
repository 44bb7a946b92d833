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
  let image = 0;
  for (let i = 0; i < area.length; i++) image += area[i];
  const least = ALIKE * image;
  /** @type {number[]} */
  const found = [];
  cards.forEach((card, place) => {
    const leader = card.stale
      ? undefined
      : found.findIndex((l, p) => l === p && !cards[p].stale && !apart(cards[p].labels, card.labels, area, least));
    found.push(leader === undefined || leader < 0 ? place : leader);
  });
  return found;
}

/**
 * Whether two labellings differ on at least so much area.
 *
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 * @param {ArrayLike<number>} area per superpixel
 * @param {number} least
 */
function apart(a, b, area, least) {
  let different = 0;
  for (let i = 0; i < area.length && different < least; i++) if (a[i] !== b[i]) different += area[i];
  return different >= least;
}
