import { percent } from '../ui/numbers.js';
import { VOID } from './protocol.js';

/**
 * What one labelling changes about another.
 *
 * @typedef {object} Change
 * @property {number} from class, or VOID
 * @property {number} to
 * @property {number} share of the image, 0..1
 *
 * @typedef {(label: number) => string} NameOf a class in words
 */

/** Share of all that changes above which one change stands for it. */
const MAINLY = 0.8;

/**
 * The changes from one labelling to another, the largest first. O(superpixels).
 *
 * @param {Uint8Array} from
 * @param {Uint8Array} to
 * @param {ArrayLike<number>} area per superpixel
 * @returns {Change[]}
 */
export function changes(from, to, area) {
  /** @type {Map<number, number>} */
  const sums = new Map();
  let total = 0;
  for (let s = 0; s < to.length; s++) {
    total += area[s];
    if (from[s] === to[s]) continue;
    const key = from[s] * 256 + to[s];
    sums.set(key, (sums.get(key) ?? 0) + area[s]);
  }
  return [...sums]
    .sort(([a, x], [b, y]) => y - x || a - b)
    .map(([key, sum]) => ({ from: key >> 8, to: key & 255, share: sum / total }));
}

/** @param {readonly Change[]} all @returns {number} share of the image that changes */
export function shareOf(all) {
  return all.reduce((sum, { share }) => sum + share, 0);
}

/**
 * Changes in a few words: 'cup → table', and the second largest where the
 * largest is not most of it. What is labelled for the first time is named by its
 * classes, the smallest first: the largest is usually the background.
 *
 * @param {readonly Change[]} all the largest first
 * @param {NameOf} nameOf
 */
export function whatChanges(all, nameOf) {
  const share = shareOf(all);
  const first = all.filter(({ from }) => from === VOID);
  if (shareOf(first) > share / 2) {
    return first.slice(0, 3).reverse().map((c) => `${nameOf(c.to)} ${percent(c.share)}`).join(', ');
  }
  const few = all.length > 0 && all[0].share >= MAINLY * share ? all.slice(0, 1) : all.slice(0, 2);
  const words = few.map(({ from, to }) => `${nameOf(from)} → ${nameOf(to)}`).join(', ');
  return all.length > 2 && few.length === 2 ? `${words}, …` : words;
}

/**
 * The same with how much of the image changes: 'cup → table, 4 %'.
 *
 * @param {readonly Change[]} all
 * @param {NameOf} nameOf
 */
export function inWords(all, nameOf) {
  if (all.length === 0) return 'same as now';
  const what = whatChanges(all, nameOf);
  return what.endsWith('%') ? what : `${what}, ${percent(shareOf(all))}`;
}
