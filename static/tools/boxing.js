import { cornersOf } from '../evidence/constraints.js';

/**
 * @typedef {import('./strokes.js').Point} Point
 * @typedef {import('./strokes.js').Drawn} Drawn
 */

/** CSS pixels that a drag has to go at least, both ways, to be a box. */
const LEAST = 5;

/** The rectangle around an object while it is dragged; the same to a drawing as a stroke. */
export class Boxing {
  /**
   * @param {import('./strokes.js').Mode} mode
   * @param {Point} from
   * @param {{width: number, height: number}} image that it stays within
   * @param {() => number} scale CSS pixels per pixel of the image
   */
  constructor(mode, from, image, scale) {
    /** @type {import('./strokes.js').ToolKind} */
    this.tool = 'box';
    this.mode = mode;
    this.image = image;
    this.scale = scale;
    this.from = this.to = this.within(from);
  }

  /** The nearest point of the image, to a tenth of a pixel. @param {Point} point @returns {Point} */
  within([x, y]) {
    const { width, height } = this.image;
    const held = (/** @type {number} */ v, /** @type {number} */ most) => Math.round(Math.min(most, Math.max(0, v)) * 10) / 10;
    return [held(x, width), held(y, height)];
  }

  /** @param {Point} point */
  extend(point) {
    this.to = this.within(point);
  }

  /** @returns {Drawn} */
  drawn() {
    const corners = cornersOf(this.from, this.to);
    const [left, top, right, bottom] = corners;
    const least = Math.max(1, LEAST / this.scale());
    return { tool: this.tool, mode: this.mode, superpixels: [], points: [], runs: null, box: { corners, tap: right - left < least || bottom - top < least } };
  }
}
