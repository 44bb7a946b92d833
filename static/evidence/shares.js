import { VOID } from './protocol.js';
import { HATCHED, sampled } from './repairs.js';

/**
 * How much of the image each class has, and VOID.
 *
 * @param {Uint8Array} labels per superpixel
 * @param {import('../superpixels/idmap.js').IdMap} map
 * @param {import('./repairs.js').Repairs} repairs in pixels of the map
 * @returns {Float64Array} shares of the area by class id
 */
export function shares(labels, { area, ids, width, height }, repairs) {
  const sums = new Float64Array(VOID + 1);
  let total = 0;
  for (let s = 0; s < labels.length; s++) {
    sums[labels[s]] += area[s];
    total += area[s];
  }
  const each = total / (width * height);
  for (let r = 0; r < repairs.length; r += 3) {
    sums[repairs[r + 2] % HATCHED] += (repairs[r + 1] - repairs[r]) * each;
    for (let i = repairs[r]; i < repairs[r + 1]; i++) sums[labels[ids[i]]] -= each;
  }
  return sums.map((sum) => Math.max(0, sum < each / 2 ? 0 : sum / total));
}

/**
 * The share of the image that has no class, with what pixels were painted or erased.
 *
 * @param {{labels: Uint8Array, repairs: import('./repairs.js').Repairs}} labelling per number
 * @param {import('./parts.js').Parts} parts
 * @returns {number} 0..1; exactly 0 or 1 when it is all or nothing
 */
export function undecided({ labels, repairs }, parts) {
  const { map } = parts;
  const each = shares(labels.subarray(0, map.n), map, sampled(parts.pixels(labels, repairs), map));
  return each[VOID] === 0 ? 0 : 1 - each.subarray(0, VOID).reduce((sum, share) => sum + share, 0);
}
