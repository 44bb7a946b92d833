import { VOID } from '../evidence/protocol.js';

/**
 * @param {string} color #rrggbb
 * @returns {[number, number, number]} 0..255 each
 */
export function channels(color) {
  const n = Number.parseInt(color.slice(1), 16);
  return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}

/** Opacity of the class of the rest, of 255: 0.13 of the image where other classes have 0.45. */
const FAINT = 74;

/**
 * The colours as pixels of an ImageData seen through a Uint32Array, indexed by
 * class. Void, and any class without a colour, is transparent; the class of the
 * rest is faint, so that the photograph stays visible.
 *
 * @param {readonly string[]} colors #rrggbb
 * @param {number} [rest] class, or -1
 * @returns {Uint32Array} of 256
 */
export function pixels(colors, rest = -1) {
  const table = new Uint32Array(256);
  const bytes = new Uint8Array(table.buffer);
  colors.slice(0, VOID).forEach((color, i) => {
    const [r, g, b] = channels(color);
    bytes.set([r, g, b, i === rest ? FAINT : 255], i * 4);
  });
  return table;
}

/**
 * The colour that the palette of PASCAL VOC gives to an index: its bits, three
 * by three, become the high bits of red, green and blue.
 *
 * @param {number} index
 * @returns {number} red in the lowest byte, blue in the third
 */
export function vocColor(index) {
  let color = 0;
  for (let bit = 7; index > 0; bit--, index >>= 3) color |= ((index & 1) | ((index & 2) << 7) | ((index & 4) << 14)) << bit;
  return color;
}

/**
 * Black or white, whichever reads better on the colour (WCAG 2 relative
 * luminance; 0.179 is where both contrasts are equal).
 *
 * @param {string} color #rrggbb
 * @returns {'#000000' | '#ffffff'}
 */
export function ink(color) {
  const [r, g, b] = channels(color).map((v) => {
    const s = v / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
}
