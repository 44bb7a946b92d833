/**
 * Patterns that tell classes apart for those who don't see their colours apart:
 * stripes and dots, darker or lighter than the class, eight of them in turn.
 */

/** Patterns there are; class c has pattern c modulo this. */
export const PATTERNS = 8;

/** Repeats of a pattern across a large image; in a small one it is 8 pixels wide. */
const REPEATS = 90;

/**
 * Whether a pattern has a mark at a point; x and y count in periods of 8.
 *
 * @param {number} pattern 0..7; 0 is plain
 * @param {number} x
 * @param {number} y
 * @returns {boolean}
 */
export function marked(pattern, x, y) {
  const u = x & 7;
  const v = y & 7;
  switch (pattern) {
    case 1: return ((x + y) & 7) < 3; // rising diagonals
    case 2: return v < 3; // lying stripes
    case 3: return ((x - y) & 7) < 3; // falling diagonals
    case 4: return u < 3; // upright stripes
    case 5: return u < 4 && v < 4; // dots
    case 6: return u < 2 || v < 2; // grid
    case 7: return ((x >> 2) + (y >> 2)) % 2 === 0; // chequers
  }
  return false;
}

/**
 * A colour a good deal darker, or lighter when it is dark, as a pixel of an
 * ImageData seen through a Uint32Array.
 *
 * @param {number} color
 */
export function shaded(color) {
  const part = (/** @type {number} */ shift) => (color >>> shift) & 255;
  const dark = 0.299 * part(0) + 0.587 * part(8) + 0.114 * part(16) < 110;
  const shade = (/** @type {number} */ v) => (dark ? v + (255 - v) * 0.5 : v * 0.5) & 255;
  return ((part(24) << 24) | (shade(part(16)) << 16) | (shade(part(8)) << 8) | shade(part(0))) >>> 0;
}

/**
 * A function that writes the marks of a class into a run of pixels, or null for
 * a plain class.
 *
 * @param {number} label
 * @param {number} width of the picture; patterns are as large in every picture when it is fitted
 * @returns {((pixels: Uint32Array, color: number, from: number, length: number, x: number, y: number) => void) | null}
 */
export function striped(label, width) {
  const pattern = label % PATTERNS;
  if (pattern === 0) return null;
  const across = Math.min(1, (8 * REPEATS) / width);
  return (pixels, color, from, length, x, y) => {
    const shade = shaded(color);
    const row = Math.floor(y * across);
    for (let i = 0; i < length; i++) if (marked(pattern, Math.floor((x + i) * across), row)) pixels[from + i] = shade;
  };
}

/** Periods of the hatch across an image, which is finer than a pattern. */
const HATCHES = 110;

/**
 * A function that writes a fine hatch into a run of pixels: falling lines, lighter
 * than the colour, or darker when it is light, so that they show on patterns too.
 * Each writes one pixel in six or fewer.
 *
 * @param {number} color
 * @param {number} width of the picture; the hatch is as large in every picture when it is fitted
 * @returns {(pixels: Uint32Array, from: number, length: number, x: number, y: number) => void}
 */
export function hatched(color, width) {
  const line = tinted(color);
  const period = Math.max(6, Math.round(width / HATCHES));
  const thick = Math.max(1, Math.round(period / 7));
  return (pixels, from, length, x, y) => {
    const end = from + length;
    const phase = (((x - y) % period) + period) % period;
    for (let begin = from - phase; begin < end; begin += period) {
      for (let i = Math.max(begin, from); i < begin + thick && i < end; i++) pixels[i] = line;
    }
  };
}

/** A colour much lighter, or darker when it is light. @param {number} color */
function tinted(color) {
  const part = (/** @type {number} */ shift) => (color >>> shift) & 255;
  const light = 0.299 * part(0) + 0.587 * part(8) + 0.114 * part(16) > 170;
  const tint = (/** @type {number} */ v) => (light ? v * 0.65 : v + (255 - v) * 0.4) & 255;
  return ((part(24) << 24) | (tint(part(16)) << 16) | (tint(part(8)) << 8) | tint(part(0))) >>> 0;
}
