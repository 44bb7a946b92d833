import { anchors, at } from './idmap.js';

/**
 * Carries what is known about one superpixel map over to another one of the same
 * image.
 *
 * @typedef {import('./idmap.js').IdMap} IdMap
 */

/**
 * For each superpixel of one map the one of the other at its place.
 *
 * @param {IdMap} from
 * @param {IdMap} to
 * @returns {Int32Array} superpixel of `from` per superpixel of `to`
 */
export function sources(from, to) {
  const points = anchors(to);
  return Int32Array.from({ length: to.n }, (_, s) => at(from, points[s * 2], points[s * 2 + 1]));
}

/**
 * The superpixels of another map that a stroke covers: those under its points or,
 * when these are unknown, all that overlap the old ones.
 *
 * @param {readonly number[]} superpixels of `from`
 * @param {readonly [number, number][]} points pixels of the image
 * @param {IdMap} from
 * @param {IdMap} to
 * @returns {number[]} in ascending order
 */
export function renumbered(superpixels, points, from, to) {
  /** @type {Set<number>} */
  const found = new Set();
  for (const [x, y] of points) found.add(at(to, x, y));
  if (points.length === 0) {
    for (const s of superpixels) {
      for (let r = from.first[s]; r < from.first[s + 1]; r++) {
        for (let i = from.start[r]; i < from.start[r] + from.length[r]; i++) found.add(to.ids[i]);
      }
    }
  }
  return [...found].sort((p, q) => p - q);
}
