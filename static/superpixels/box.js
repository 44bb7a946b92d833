/**
 * Rectangles, in whatever pixels the caller counts; right and bottom lie outside.
 *
 * @typedef {{left: number, top: number, right: number, bottom: number}} Box
 */

/** @returns {Box} a box that holds nothing and grows by union */
export function nothing() {
  return { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
}

/** @param {Box} box */
export function empty({ left, top, right, bottom }) {
  return right <= left || bottom <= top;
}

/** @param {Box} a @param {Box} b @returns {Box} the smallest that holds both */
export function union(a, b) {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

/** @param {Box} a @param {Box} b @returns {Box} what both hold; may be empty */
export function intersection(a, b) {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

/** @param {Box} a @param {Box} b whether they touch or overlap */
export function meet(a, b) {
  return a.right >= b.left && a.left <= b.right && a.bottom >= b.top && a.top <= b.bottom;
}

/** @param {Box} outer @param {Box} inner whether one lies in the other */
export function holds(outer, inner) {
  return outer.left <= inner.left && outer.top <= inner.top && outer.right >= inner.right && outer.bottom >= inner.bottom;
}

/**
 * The box under x * scale + shift, widened by a margin to whole pixels.
 *
 * @param {Box} box
 * @param {Placing} placing
 * @param {number} margin
 * @returns {Box}
 */
export function placed(box, { sx, sy, left, top }, margin) {
  return {
    left: Math.floor(box.left * sx + left - margin),
    top: Math.floor(box.top * sy + top - margin),
    right: Math.ceil(box.right * sx + left + margin),
    bottom: Math.ceil(box.bottom * sy + top + margin),
  };
}

/**
 * Where a picture lies: its point (x, y) is at (x * sx + left, y * sy + top).
 *
 * @typedef {{sx: number, sy: number, left: number, top: number}} Placing
 */

/**
 * What a box is in the coordinates that were placed.
 *
 * @param {Box} box
 * @param {Placing} placing
 * @returns {Box}
 */
export function unplaced(box, { sx, sy, left, top }) {
  return { left: (box.left - left) / sx, top: (box.top - top) / sy, right: (box.right - left) / sx, bottom: (box.bottom - top) / sy };
}
