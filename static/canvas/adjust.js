/**
 * How the image is shown, without changing it: out = in × slope + intercept,
 * values from 0 to 1.
 *
 * @typedef {object} Adjustment
 * @property {number} brightness -1..1, added
 * @property {number} contrast -1..1; 0 leaves it
 * @property {number} low 0..1, the value that becomes black
 * @property {number} high 0..1, the value that becomes white
 */

/** @type {Readonly<Adjustment>} */
export const NEUTRAL = { brightness: 0, contrast: 0, low: 0, high: 1 };

/** The narrowest window. */
const NARROWEST = 1 / 255;

/**
 * The window first, then contrast around the middle, then brightness.
 *
 * @param {Adjustment} adjustment
 * @returns {{slope: number, intercept: number}}
 */
export function line({ brightness, contrast, low, high }) {
  const span = Math.max(NARROWEST, high - low);
  const gain = contrast >= 0 ? 1 + 4 * contrast ** 1.5 : 1 + contrast * 0.9;
  return { slope: gain / span, intercept: gain * (-low / span - 0.5) + 0.5 + brightness * 0.6 };
}

/**
 * @param {Adjustment} adjustment
 * @returns {boolean} whether it changes nothing
 */
export function neutral({ brightness, contrast, low, high }) {
  return brightness === 0 && contrast === 0 && low === 0 && high === 1;
}
