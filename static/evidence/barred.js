import { VOID } from './protocol.js';
import { repairAt } from './repairs.js';

/**
 * @typedef {object} Painted what a person paints
 * @property {number} label a class, or VOID to clear
 * @property {readonly number[]} superpixels of the map
 * @property {boolean} point whether it is a click at one point, which divides its superpixel if need be
 */

/**
 * The locked classes that all of what is painted belongs to, so that the server would refuse
 * it. Empty when something of it can be painted, or when only the server knows.
 *
 * @param {{labels: Uint8Array, said: import('./constraints.js').Said}} present
 * @param {Painted} painted
 * @param {import('./division.js').Division} division
 * @returns {number[]} ids of classes
 */
export function barring({ labels, said: { locked } }, { label, superpixels, point }, division) {
  if (locked.length === 0) return [];
  const bars = superpixels.map((base) => {
    const parts = division.numbers([base]);
    const guarded = parts.map((s) => labels[s]).filter((l) => l !== label && locked.includes(l));
    return point && guarded.length < parts.length ? [] : guarded;
  });
  return bars.some((found) => found.length === 0) ? [] : [...new Set(bars.flat())];
}

/**
 * The same of pixels.
 *
 * @param {{labels: Uint8Array, said: import('./constraints.js').Said, repairs: import('./repairs.js').Repairs}} present
 * @param {{label: number, runs: readonly number[]}} painted runs are start and length in turn
 * @param {import('./division.js').Division} division
 * @param {(pixel: number) => number} superpixelOf
 * @returns {number[]} ids of classes
 */
export function barringPixels({ labels, said: { locked }, repairs }, { label, runs }, division, superpixelOf) {
  if (locked.length === 0) return [];
  /** @type {Set<number>} */
  const found = new Set();
  for (let r = 0; r < runs.length; r += 2) {
    for (let i = runs[r]; i < runs[r] + runs[r + 1]; i++) {
      const repaired = repairAt(repairs, i);
      const shown = repaired >= 0 ? [repaired] : division.numbers([superpixelOf(i)]).map((s) => labels[s]);
      if (shown.some((l) => l === label || l === VOID || !locked.includes(l))) return [];
      for (const l of shown) found.add(l);
    }
  }
  return [...found];
}
