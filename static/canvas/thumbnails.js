import { contextOf } from '../ui/dom.js';
import { channels } from './colour.js';
import { cropTo } from './crop.js';
import { VOID } from '../evidence/protocol.js';

/** Pixels across the picture that cards are cut from, at most. */
const WIDEST = 800;

/** Pixels across a card's picture. */
const ACROSS = 264;

/** Pixels across the whole image in its corner. */
const SMALL = 72;

/** Pixels of the picture per sample when looking for what differs. */
const STRIDE = 4;

/** Share of the image's area below which a crop is shown with the whole image beside it. */
const CLOSE = 0.6;

/** How strongly classes are drawn. */
const STRENGTH = { differs: 0.72, filled: 0.42, same: 0.2, rest: 0.06 };

/**
 * Paints small pictures of hypotheses, cropped to what differs: in the colour of
 * the class where one differs from what it is compared with, with an outline,
 * and grey with a tint of the class where it agrees.
 *
 * @typedef {object} Compared
 * @property {Uint8Array} labels of the hypothesis
 * @property {Uint8Array} current labelling
 * @property {Uint8Array} compared what it is compared with, see reference()
 * @property {readonly string[]} colors of the classes
 * @property {number} rest id of the class that nobody need click, or -1
 */
export class Thumbnails {
  /**
   * @param {CanvasImageSource} image
   * @param {import('../superpixels/idmap.js').IdMap} map
   */
  constructor(image, map) {
    const shrink = Math.min(1, WIDEST / map.width, WIDEST / map.height);
    this.width = Math.max(1, Math.round(map.width * shrink));
    this.height = Math.max(1, Math.round(map.height * shrink));
    /** Width over height of the pictures, never narrower or wider than what a card has room for. */
    this.aspect = Math.min(1.5, Math.max(0.85, map.width / map.height));
    const canvas = document.createElement('canvas');
    canvas.width = this.width;
    canvas.height = this.height;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, this.width, this.height);
    const { data } = context.getImageData(0, 0, this.width, this.height);
    this.grey = new Uint8Array(this.width * this.height);
    this.ids = new Uint32Array(this.grey.length);
    for (let y = 0, i = 0; y < this.height; y++) {
      const row = Math.floor(((y + 0.5) * map.height) / this.height) * map.width;
      for (let x = 0; x < this.width; x++, i++) {
        this.grey[i] = 0.299 * data[i * 4] + 0.587 * data[i * 4 + 1] + 0.114 * data[i * 4 + 2];
        this.ids[i] = map.ids[row + Math.floor(((x + 0.5) * map.width) / this.width)];
      }
    }
  }

  /**
   * Shows parts of superpixels apart.
   *
   * @param {import('../superpixels/idmap.js').IdMap} map
   * @param {import('../evidence/parts.js').Parts} parts
   */
  divide(map, { cells, division }) {
    const part = new Map(division.cells.map((cell, i) => [cell, division.n + i]));
    for (let y = 0, i = 0; y < this.height; y++) {
      const row = Math.floor(((y + 0.5) * map.height) / this.height) * map.width;
      for (let x = 0; x < this.width; x++, i++) {
        const at = row + Math.floor(((x + 0.5) * map.width) / this.width);
        this.ids[i] = (cells && part.get(cells.ids[at])) ?? map.ids[at];
      }
    }
  }

  /**
   * Paints what differs, and the whole image with a frame around it when that is
   * only a part.
   *
   * @param {HTMLCanvasElement} close
   * @param {HTMLCanvasElement} whole hidden when it would show the same
   * @param {Compared} what
   */
  paint(close, whole, what) {
    const crop = this.cropOf(what);
    const [width, height] = [crop.right - crop.left, crop.bottom - crop.top];
    const across = Math.min(ACROSS, Math.round((ACROSS / this.aspect) * (width / height)));
    this.draw(close, crop, across, what);
    whole.hidden = width * height >= CLOSE * this.width * this.height;
    if (whole.hidden) return;
    const long = Math.max(this.width, this.height);
    this.draw(whole, { left: 0, top: 0, right: this.width, bottom: this.height }, Math.max(8, Math.round((SMALL * this.width) / long)), what);
    const scale = whole.width / this.width;
    const context = contextOf(whole);
    context.strokeStyle = '#ffffff';
    context.lineWidth = 2;
    context.strokeRect(crop.left * scale + 1, crop.top * scale + 1, width * scale - 2, height * scale - 2);
  }

  /** What a card shows of the picture. @param {Compared} what @returns {import('../superpixels/box.js').Box} */
  cropOf({ labels, compared }) {
    const columns = new Float64Array(this.width);
    const rows = new Float64Array(this.height);
    for (let y = 0; y < this.height; y += STRIDE) {
      for (let x = 0, i = y * this.width; x < this.width; x += STRIDE, i += STRIDE) {
        const s = this.ids[i];
        if (labels[s] === compared[s]) continue;
        columns[x]++;
        rows[y]++;
      }
    }
    return cropTo(columns, rows, this.aspect);
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import('../superpixels/box.js').Box} part of the picture
   * @param {number} across pixels of the canvas
   * @param {Compared} what
   */
  draw(canvas, { left, top, right, bottom }, across, { labels, current, compared, colors, rest }) {
    const step = (right - left) / across;
    canvas.width = across;
    canvas.height = Math.max(1, Math.round((bottom - top) / step));
    const picture = new ImageData(canvas.width, canvas.height);
    const { data } = picture;
    const table = colors.map(channels);
    const strengths = strengthsOf(labels, current, compared, rest);
    const above = new Uint8Array(across); // whether the pixel above differs
    for (let y = 0, o = 0; y < canvas.height; y++) {
      const row = Math.min(bottom - 1, Math.floor(top + (y + 0.5) * step)) * this.width;
      let before = -1;
      for (let x = 0; x < across; x++, o += 4) {
        const i = row + Math.min(right - 1, Math.floor(left + (x + 0.5) * step));
        const s = this.ids[i];
        const grey = this.grey[i];
        const strength = strengths[s];
        const [r, g, b] = table[labels[s]] ?? [0, 0, 0];
        const differs = labels[s] !== compared[s] ? 1 : 0;
        const edge = (before >= 0 && before !== differs) || (y > 0 && above[x] !== differs);
        before = above[x] = differs;
        const light = 0.6 + (0.5 * grey) / 255;
        const dim = edge ? 255 : (1 - strength) * (28 + grey * 0.68);
        const part = edge ? 0 : strength * light;
        data[o] = part * r + dim;
        data[o + 1] = part * g + dim;
        data[o + 2] = part * b + dim;
        data[o + 3] = 255;
      }
    }
    contextOf(canvas).putImageData(picture, 0, 0);
  }
}

/**
 * How strongly each superpixel is drawn.
 *
 * @param {Uint8Array} labels
 * @param {Uint8Array} current
 * @param {Uint8Array} compared
 * @param {number} rest
 */
function strengthsOf(labels, current, compared, rest) {
  return Float32Array.from(labels, (label, s) => {
    if (label !== compared[s]) return STRENGTH.differs;
    if (label === rest || label === VOID) return STRENGTH.rest;
    return current[s] === VOID ? STRENGTH.filled : STRENGTH.same;
  });
}
