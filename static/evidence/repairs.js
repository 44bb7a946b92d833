/**
 * Pixels whose class is not that of their superpixel: start, end and class in
 * turn, in ascending order, disjoint, row-major and at the image's size; end
 * lies outside. The lists are never changed, so they can be shared.
 *
 * @typedef {Uint32Array} Repairs
 *
 * @typedef {{class: number, runs: number[]}} RepairRecord as it travels: start and length in turn
 */

/** Added to the class of pixels that are shown hatched. */
export const HATCHED = 256;

/** @type {Repairs} */
export const NO_REPAIRS = new Uint32Array(0);

/**
 * @param {readonly RepairRecord[]} records that do not overlap
 * @returns {Repairs}
 */
export function fromRecords(records) {
  /** @type {[number, number, number][]} */
  const all = [];
  for (const { class: label, runs } of records) {
    for (let i = 0; i < runs.length; i += 2) all.push([runs[i], runs[i] + runs[i + 1], label]);
  }
  all.sort((a, b) => a[0] - b[0]);
  const found = writer();
  for (const [start, end, label] of all) found.add(start, end, label);
  return found.done();
}

/**
 * The repairs after a shape was painted over them, or taken out of them.
 *
 * @param {Repairs} repairs
 * @param {ArrayLike<number>} runs start and length in turn, ascending and disjoint
 * @param {number} label a class or VOID; -1 takes the shape out
 * @returns {Repairs}
 */
export function painted(repairs, runs, label) {
  if (runs.length === 0 || (repairs.length === 0 && label < 0)) return repairs;
  const found = writer();
  let i = 0;
  let from = repairs.length > 0 ? repairs[0] : 0; // of what is left of repair i
  /** @param {number} until copies what lies before it */
  const copy = (until) => {
    while (i < repairs.length && from < until) {
      const end = Math.min(until, repairs[i + 1]);
      found.add(from, end, repairs[i + 2]);
      if (end < repairs[i + 1]) {
        from = end;
        return;
      }
      i += 3;
      from = repairs[i];
    }
  };
  for (let r = 0; r < runs.length; r += 2) {
    const start = runs[r];
    const end = start + runs[r + 1];
    copy(start);
    if (label >= 0) found.add(start, end, label);
    while (i < repairs.length && repairs[i + 1] <= end) {
      i += 3;
      from = repairs[i];
    }
    if (i < repairs.length && from < end) from = end;
  }
  copy(Infinity);
  return found.done();
}

/**
 * Shapes of one class each, disjoint, with repairs on them.
 *
 * @param {readonly {label: number, runs: readonly number[]}[]} shapes runs are start and length in turn
 * @param {Repairs} repairs
 * @returns {Repairs}
 */
export function repairRuns(shapes, repairs) {
  /** @type {[number, number, number][]} */
  const all = [];
  for (const { label, runs } of shapes) for (let i = 0; i < runs.length; i += 2) all.push([runs[i], runs[i] + runs[i + 1], label]);
  all.sort((a, b) => a[0] - b[0]);
  const found = writer();
  for (const [start, end, label] of all) found.add(start, end, label);
  /** @type {Map<number, number[]>} */
  const above = new Map();
  for (let r = 0; r < repairs.length; r += 3) above.set(repairs[r + 2], [...(above.get(repairs[r + 2]) ?? []), repairs[r], repairs[r + 1] - repairs[r]]);
  /** @type {Repairs} */
  let merged = found.done();
  for (const [label, runs] of above) merged = painted(merged, runs, label);
  return merged;
}

/** Collects runs in ascending order and joins those that belong together. */
function writer() {
  /** @type {number[]} */
  const list = [];
  return {
    /** @param {number} start @param {number} end @param {number} label */
    add(start, end, label) {
      const last = list.length - 3;
      if (last >= 0 && list[last + 1] === start && list[last + 2] === label) list[last + 1] = end;
      else list.push(start, end, label);
    },
    done: () => Uint32Array.from(list),
  };
}

/**
 * Visits the pixels for which two lists say something else.
 *
 * @param {Repairs} old
 * @param {Repairs} now
 * @param {(start: number, end: number, label: number, before: number) => void} visit classes as now and old have it, -1 for none
 */
export function differences(old, now, visit) {
  let i = 0;
  let j = 0;
  let at = 0;
  while (i < old.length || j < now.length) {
    const a = i < old.length ? old[i] : Infinity;
    const b = j < now.length ? now[j] : Infinity;
    at = Math.max(at, Math.min(a, b));
    const before = a <= at ? old[i + 2] : -1;
    const after = b <= at ? now[j + 2] : -1;
    const end = Math.min(a <= at ? old[i + 1] : a, b <= at ? now[j + 1] : b);
    if (before !== after) visit(at, end, after, before);
    at = end;
    if (i < old.length && old[i + 1] <= at) i += 3;
    if (j < now.length && now[j + 1] <= at) j += 3;
  }
}

/**
 * The repairs as a smaller map shows them, which samples the image as idmap.js
 * does. The same list when the map has the image's size.
 *
 * @param {Repairs} repairs
 * @param {import('../superpixels/idmap.js').IdMap} map
 * @returns {Repairs} in pixels of the map
 */
export function sampled(repairs, { width, height, fullWidth, fullHeight }) {
  if (width === fullWidth && height === fullHeight) return repairs;
  const found = writer();
  const nextOf = (/** @type {number} */ at, /** @type {number} */ size, /** @type {number} */ full) => {
    let i = Math.max(0, Math.floor((at * size) / full) - 1); // the first that shows a coordinate of at least `at`
    while (i < size && Math.floor(((i + 0.5) * full) / size) < at) i++;
    return i;
  };
  for (let i = 0; i < repairs.length; i += 3) {
    const last = repairs[i + 1] - 1;
    const [top, bottom] = [Math.floor(repairs[i] / fullWidth), Math.floor(last / fullWidth)];
    for (let y = top; y <= bottom; y++) {
      const row = nextOf(y, height, fullHeight);
      if (row >= height || Math.floor(((row + 0.5) * fullHeight) / height) !== y) continue;
      const from = nextOf(y === top ? repairs[i] - y * fullWidth : 0, width, fullWidth);
      const to = nextOf(y === bottom ? last - y * fullWidth + 1 : fullWidth, width, fullWidth);
      if (from < to) found.add(row * width + from, row * width + to, repairs[i + 2]);
    }
  }
  return found.done();
}

/**
 * The repairs in a part of the image.
 *
 * @param {Repairs} repairs
 * @param {number} fullWidth pixels of the image
 * @param {import('../superpixels/box.js').Box} part whole pixels
 * @returns {Repairs} in pixels of the part
 */
export function cut(repairs, fullWidth, { left, top, right, bottom }) {
  const found = writer();
  for (let i = 0; i < repairs.length; i += 3) {
    const [start, end] = [repairs[i], repairs[i + 1]];
    const until = Math.min(bottom, Math.ceil(end / fullWidth));
    for (let y = Math.max(top, Math.floor(start / fullWidth)); y < until; y++) {
      const from = Math.max(left, start - y * fullWidth);
      const to = Math.min(right, end - y * fullWidth);
      const begin = (y - top) * (right - left) - left;
      if (from < to) found.add(begin + from, begin + to, repairs[i + 2]);
    }
  }
  return found.done();
}

/**
 * The pixels of superpixels as runs of the image; near the edges they are only
 * as good as the map.
 *
 * @param {import('../superpixels/idmap.js').IdMap} map
 * @param {readonly number[]} superpixels
 * @returns {number[]} start and length in turn
 */
export function pixelsOf(map, superpixels) {
  const { first, start, length, width, height, fullWidth, fullHeight } = map;
  /** @type {[number, number][]} */
  const parts = [];
  /** @param {number} i @param {number} size @param {number} full the first coordinate that falls on i */
  const begins = (i, size, full) => Math.ceil((i * full) / size);
  for (const s of superpixels) {
    for (let r = first[s]; r < first[s + 1]; r++) {
      const row = Math.floor(start[r] / width);
      const column = start[r] - row * width;
      const [from, to] = [begins(column, width, fullWidth), begins(column + length[r], width, fullWidth)];
      for (let y = begins(row, height, fullHeight); y < begins(row + 1, height, fullHeight); y++) parts.push([y * fullWidth + from, to - from]);
    }
  }
  return parts.sort((a, b) => a[0] - b[0]).flat();
}

/**
 * The class that repairs give to a pixel, or -1.
 *
 * @param {Repairs} repairs
 * @param {number} pixel
 */
export function repairAt(repairs, pixel) {
  let low = 0;
  let high = repairs.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (repairs[middle * 3 + 1] <= pixel) low = middle + 1;
    else high = middle;
  }
  return low * 3 < repairs.length && repairs[low * 3] <= pixel ? repairs[low * 3 + 2] : -1;
}
