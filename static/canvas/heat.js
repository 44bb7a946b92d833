import { VOID } from '../evidence/protocol.js';

/** From certain to uncertain: dark violet, red, pale yellow. Lightness rises throughout, so it reads without colour too. */
const STOPS = [
  [0, 46, 16, 101],
  [0.35, 156, 38, 113],
  [0.65, 240, 96, 54],
  [1, 253, 240, 150],
];

/** The highest level; values beyond it are certain and stay transparent. */
const HIGHEST = VOID - 1;

/**
 * The colours of the levels as pixels of an ImageData seen through a
 * Uint32Array: level 0 is the least doubt.
 *
 * @returns {Uint32Array} of 256
 */
export function ramp() {
  const table = new Uint32Array(256);
  const bytes = new Uint8Array(table.buffer);
  for (let level = 0; level <= HIGHEST; level++) {
    const t = level / HIGHEST;
    const i = Math.max(1, STOPS.findIndex(([stop]) => stop >= t));
    const [[t0, ...low], [t1, ...high]] = [STOPS[i - 1], STOPS[i]];
    const part = (t - t0) / (t1 - t0);
    low.forEach((v, c) => (bytes[level * 4 + c] = Math.round(v + (high[c] - v) * part)));
    bytes[level * 4 + 3] = Math.round(120 + 135 * Math.min(1, 2 * t));
  }
  return table;
}

/**
 * The level of every superpixel.
 *
 * @param {Float64Array} entropy nats
 * @param {number} classes in play
 */
export function levels(entropy, classes) {
  const most = Math.log(Math.max(2, classes));
  return Uint8Array.from(entropy, (h) => (h <= 0 ? VOID : Math.min(HIGHEST, Math.round((h / most) * HIGHEST))));
}
