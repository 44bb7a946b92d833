import { pixels } from './colour.js';
import { VOID } from './protocol.js';

/**
 * The coloured labelling as a canvas of the id map's size. Only superpixels
 * whose class has changed are written again.
 */
export class Overlay {
  /** @param {import('./idmap.js').IdMap} map */
  constructor(map) {
    this.map = map;
    this.canvas = document.createElement('canvas');
    this.canvas.width = map.width;
    this.canvas.height = map.height;
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    this.image = new ImageData(map.width, map.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.colors = pixels([]);
    this.labels = new Uint8Array(map.n).fill(VOID);
    this.dirty = nothing();
  }

  /**
   * @param {Uint8Array} labels
   * @returns {boolean} whether anything has changed
   */
  show(labels) {
    let any = false;
    for (let s = 0; s < labels.length; s++) {
      if (labels[s] === this.labels[s]) continue;
      this.labels[s] = labels[s];
      this.fill(s, this.colors[labels[s]]);
      any = true;
    }
    return any;
  }

  /** @param {Uint32Array} colors of 256, see colour.js */
  recolor(colors) {
    for (let s = 0; s < this.map.n; s++) {
      const label = this.labels[s];
      if (colors[label] !== this.colors[label]) this.fill(s, colors[label]);
    }
    this.colors = colors;
  }

  /** @param {number} s @param {number} color */
  fill(s, color) {
    const { first, start, length, width } = this.map;
    const dirty = this.dirty;
    for (let r = first[s]; r < first[s + 1]; r++) {
      const from = start[r];
      this.pixels.fill(color, from, from + length[r]);
      const x = from % width;
      const y = (from - x) / width;
      if (x < dirty.left) dirty.left = x;
      if (y < dirty.top) dirty.top = y;
      if (x + length[r] > dirty.right) dirty.right = x + length[r];
      if (y + 1 > dirty.bottom) dirty.bottom = y + 1;
    }
  }

  /** Brings the canvas up to date. */
  flush() {
    const { left, top, right, bottom } = this.dirty;
    if (right <= left) return;
    this.context.putImageData(this.image, 0, 0, left, top, right - left, bottom - top);
    this.dirty = nothing();
  }
}

function nothing() {
  return { left: Infinity, top: Infinity, right: 0, bottom: 0 };
}
