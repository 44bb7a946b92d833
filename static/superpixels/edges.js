import { nothing, union } from './box.js';

/**
 * The lines between different classes along the pixels' true edges in and
 * around one superpixel, for superpixels with repaired pixels.
 * Between two of these only one draws.
 *
 * @param {import('./idmap.js').IdMap} map
 * @param {Uint8Array} field class per pixel of the map
 * @param {number} s
 * @param {(superpixel: number) => boolean} drawsItself
 * @returns {{segments: number[], box: import('./box.js').Box}} x0, y0, x1, y1 in turn
 */
export function edgesOf({ width, height, ids, first, start, length }, field, s, drawsItself) {
  /** @type {number[]} */
  const segments = [];
  /** @type {Map<number, number>} where an upright line ended, by x + y * (width + 1), to its place in segments */
  const upright = new Map();
  let box = nothing();
  const across = width + 1;
  const vertical = (/** @type {number} */ x, /** @type {number} */ y) => {
    const above = upright.get(x + y * across);
    if (above === undefined) {
      upright.set(x + (y + 1) * across, segments.length);
      segments.push(x, y, x, y + 1);
      return;
    }
    segments[above + 3] = y + 1;
    upright.delete(x + y * across);
    upright.set(x + (y + 1) * across, above);
  };
  let open = -1; // the lying line that the next pixel may continue
  const horizontal = (/** @type {number} */ x, /** @type {number} */ y) => {
    if (open >= 0 && segments[open + 2] === x && segments[open + 3] === y) segments[open + 2] = x + 1;
    else {
      open = segments.length;
      segments.push(x, y, x + 1, y);
    }
  };
  for (let r = first[s]; r < first[s + 1]; r++) {
    const y = Math.floor(start[r] / width);
    const from = start[r] - y * width;
    box = union(box, { left: from, top: y, right: from + length[r], bottom: y + 1 });
    for (let x = from, i = start[r]; x < from + length[r]; x++, i++) {
      if (x + 1 < width && field[i] !== field[i + 1]) vertical(x + 1, y);
      if (x > 0 && field[i] !== field[i - 1] && !drawsItself(ids[i - 1])) vertical(x, y);
    }
    for (let x = from, i = start[r]; x < from + length[r]; x++, i++) {
      if (y + 1 < height && field[i] !== field[i + width]) horizontal(x, y + 1);
    }
    for (let x = from, i = start[r]; x < from + length[r]; x++, i++) {
      if (y > 0 && field[i] !== field[i - width] && !drawsItself(ids[i - width])) horizontal(x, y);
    }
  }
  return { segments, box };
}
