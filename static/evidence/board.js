import { NOTHING_SAID } from './constraints.js';
import { VOID } from './protocol.js';
import { NO_REPAIRS } from './repairs.js';

/**
 * The evidence of an image at one moment, and the steps that led to it.
 *
 * @typedef {object} Step what one event changed
 * @property {number[]} superpixels
 * @property {Layers} before
 * @property {Layers} after
 *
 * @typedef {{clicks: Uint8Array, labels: Uint8Array, repairs: import('./repairs.js').Repairs, said: import('./constraints.js').Said}} Layers
 * @typedef {Layers & {done: Step[], undone: Step[]}} Board
 */

/** @param {number} n superpixels @returns {Board} */
export function blank(n) {
  return { clicks: new Uint8Array(n).fill(VOID), labels: new Uint8Array(n).fill(VOID), repairs: NO_REPAIRS, said: NOTHING_SAID, done: [], undone: [] };
}

/** @param {Board} board @returns {Board} */
export function copy({ clicks, labels, repairs, said, done, undone }) {
  return { clicks: clicks.slice(), labels: labels.slice(), repairs, said, done: done.slice(), undone: undone.slice() };
}

/** @param {Board} board @param {number[]} superpixels @returns {Layers} */
export function snapshot(board, superpixels) {
  return {
    clicks: Uint8Array.from(superpixels, (s) => board.clicks[s]),
    labels: Uint8Array.from(superpixels, (s) => board.labels[s]),
    repairs: board.repairs,
    said: board.said,
  };
}

/** @param {Board} board @param {number[]} superpixels @param {Layers} layers */
export function restore(board, superpixels, layers) {
  superpixels.forEach((s, i) => {
    board.clicks[s] = layers.clicks[i];
    board.labels[s] = layers.labels[i];
  });
  board.repairs = layers.repairs;
  board.said = layers.said;
}

/** @param {Uint32Array} a @param {Uint32Array} b */
export function same(a, b) {
  return a === b || (a.length === b.length && a.every((v, i) => v === b[i]));
}
