/**
 * @typedef {import('../canvas/view.js').View} View
 * @typedef {import('../canvas/view.js').Size} Size
 * @typedef {[number, number]} Point pixels of the image
 */

/** The ways that arrow keys point. @type {Record<string, [number, number]>} */
export const DIRECTIONS = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };

/** CSS pixels of one step of the point, and of one with Shift. */
const STEP = { near: 8, far: 64 };

/** How far a key pans, as a share of the window. */
const PAN = 0.25;

/** CSS pixels from the rim of the window within which the keyboard's place is not left. */
const EDGE = 64;

/**
 * Image pixels, a whole number, per press of an arrow key: a step looks the same at
 * every zoom, and is one pixel where pixels are large.
 *
 * @param {number} scale CSS pixels per pixel of the image
 * @param {boolean} far
 */
export function stepOf(scale, far) {
  return Math.max(1, Math.round((far ? STEP.far : STEP.near) / scale));
}

/**
 * The middle of the pixel that lies so many pixels away, within the image.
 *
 * @param {Point} from
 * @param {readonly [number, number]} direction
 * @param {number} step pixels of the image
 * @param {Size} image
 * @returns {Point}
 */
export function moved([x, y], [dx, dy], step, { width, height }) {
  const within = (/** @type {number} */ v, /** @type {number} */ size) => Math.min(size - 1, Math.max(0, Math.floor(v))) + 0.5;
  return [within(x + dx * step, width), within(y + dy * step, height)];
}

/**
 * How a key pans: the image goes the other way.
 *
 * @param {readonly [number, number]} direction in which more of the image is wanted
 * @param {Size} window
 * @returns {[number, number]} CSS pixels
 */
export function panned([dx, dy], { width, height }) {
  return [-dx * width * PAN || 0, -dy * height * PAN || 0];
}

/**
 * How far the view moves so that a place is well within the window.
 *
 * @param {readonly [number, number]} place CSS pixels
 * @param {Size} window
 * @returns {[number, number]} CSS pixels
 */
export function followed([x, y], { width, height }) {
  const off = (/** @type {number} */ v, /** @type {number} */ size) => {
    const edge = Math.min(EDGE, size / 4);
    return v < edge ? edge - v : v > size - edge ? size - edge - v : 0;
  };
  return [off(x, width), off(y, height)];
}

/**
 * A place in words, first what tells it from the one before.
 *
 * @param {Point} point
 * @param {string} name what is there
 */
export function reached([x, y], name) {
  return `${name}, column ${Math.floor(x)}, row ${Math.floor(y)}`;
}
