/**
 * @typedef {import('../superpixels/box.js').Box} Box
 * @typedef {{width: number, height: number}} Size
 */

/** Share of what differs that may lie outside a crop, on each side: stray superpixels don't make it larger. */
const STRAY = 0.03;

/** Least share of the picture's longer side that a crop shows, so that its surroundings can be recognised. */
const LEAST = 0.22;

/** How much larger than what differs a crop is. */
const AROUND = 1.4;

/**
 * The part of a picture that shows what differs, with some of its surroundings:
 * a box of whole pixels with the given proportions, as far as the picture allows.
 *
 * @param {Float64Array} columns how much differs in each
 * @param {Float64Array} rows
 * @param {number} aspect width over height
 * @returns {Box} the whole picture when nothing differs
 */
export function cropTo(columns, rows, aspect) {
  const [width, height] = [columns.length, rows.length];
  const [x, y] = [middling(columns), middling(rows)];
  if (!x || !y) return { left: 0, top: 0, right: width, bottom: height };
  const least = LEAST * Math.max(width, height);
  let w = Math.max(least, (x.end - x.start) * AROUND);
  let h = Math.max(least / aspect, (y.end - y.start) * AROUND);
  if (w / h < aspect) w = h * aspect;
  else h = w / aspect;
  const [left, right] = placed(x, w, width);
  const [top, bottom] = placed(y, h, height);
  return { left, top, right, bottom };
}

/** Where all but the strays lie. @param {Float64Array} sums @returns {{start: number, end: number} | null} */
function middling(sums) {
  const total = sums.reduce((all, v) => all + v, 0);
  if (total === 0) return null;
  let start = 0;
  let end = sums.length;
  for (let before = 0; before + sums[start] <= STRAY * total; start++) before += sums[start];
  for (let after = 0; after + sums[end - 1] <= STRAY * total; end--) after += sums[end - 1];
  return { start, end };
}

/** @param {{start: number, end: number}} part in the middle @param {number} length @param {number} room @returns {[number, number]} */
function placed({ start, end }, length, room) {
  if (length >= room) return [0, room];
  const from = Math.round(Math.min(room - length, Math.max(0, (start + end - length) / 2)));
  return [from, Math.min(room, from + Math.round(length))];
}
