import { contextOf } from '../ui/dom.js';
import { channels } from './colour.js';
import { cropTo } from './crop.js';
import { readable } from './readable.js';
import { VOID } from '../evidence/protocol.js';

/** Pixels across the picture that cards are cut from, at most. */
const WIDEST = 800;

/** Pixels across a card's picture. */
const ACROSS = 264;

/** Pixels across the whole image in its corner. */
const SMALL = 72;

/** Pixels of the picture per sample when looking for what differs. */
const STRIDE = 4;

/** The grey of a photograph that can't be read. */
const PLAIN = 128;

/** Share of the image's area below which a crop is shown with the whole image beside it. */
const CLOSE = 0.6;

/** The outline of what differs: a white pixel. */
const EDGE = 0xffffffff;

/** How strongly classes are drawn, by what the superpixel is. */
const STRENGTHS = [0.72, 0.42, 0.2, 0.06];
const [DIFFERS, FILLED, SAME, REST] = STRENGTHS.keys();

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
    /** Whether the cards show the photograph, which some browsers hide from scripts. */
    this.pictured = readable(context);
    this.grey = new Uint8Array(this.width * this.height).fill(PLAIN);
    if (this.pictured) {
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, this.width, this.height);
      const { data } = context.getImageData(0, 0, this.width, this.height);
      this.grey = this.grey.map((_, i) => 0.299 * data[i * 4] + 0.587 * data[i * 4 + 1] + 0.114 * data[i * 4 + 2]);
    }
    this.map = map;
    this.ids = new Uint32Array(this.grey.length);
    /** @type {import('../evidence/parts.js').Parts | null} parts that ids does not tell apart yet */
    this.parts = null;
    /** @type {Map<string, Uint32Array>} pixels per grey, by colour and strength */
    this.shades = new Map();
    this.number(null);
  }

  /** Shows parts of superpixels apart, from the next picture on. @param {import('../evidence/parts.js').Parts} parts */
  divide(parts) {
    this.parts = parts;
  }

  /** Writes the superpixel or part that each pixel of the picture is in. @param {import('../evidence/parts.js').Parts | null} parts */
  number(parts) {
    const { map, ids, width, height } = this;
    const cells = parts?.cells;
    const part = new Uint32Array(cells?.n ?? 0); // per cell, 0 where it has no number of its own
    if (cells) parts.division.cells.forEach((cell, i) => (part[cell] = map.n + i));
    const columns = Uint32Array.from({ length: width }, (_, x) => ((x + 0.5) * map.width) / width);
    for (let y = 0, i = 0; y < height; y++) {
      const row = Math.floor(((y + 0.5) * map.height) / height) * map.width;
      for (let x = 0; x < width; x++, i++) {
        const at = row + columns[x];
        ids[i] = (cells && part[cells.ids[at]]) || map.ids[at];
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
    if (this.parts) this.number(this.parts);
    this.parts = null;
    const crop = this.cropOf(what);
    const looks = this.looksOf(what);
    const [width, height] = [crop.right - crop.left, crop.bottom - crop.top];
    const across = Math.min(ACROSS, Math.max(1, Math.round((ACROSS / this.aspect) * (width / height))));
    this.draw(close, crop, across, looks);
    whole.hidden = width * height >= CLOSE * this.width * this.height;
    if (whole.hidden) return;
    const long = Math.max(this.width, this.height);
    this.draw(whole, { left: 0, top: 0, right: this.width, bottom: this.height }, Math.max(8, Math.round((SMALL * this.width) / long)), looks);
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
   * How each superpixel is drawn: which of the palettes its pixels come from, of 256
   * greys each, and whether it differs.
   *
   * @param {Compared} what
   */
  looksOf({ labels, current, compared, colors, rest }) {
    const differs = new Uint8Array(labels.length);
    const look = new Uint16Array(labels.length);
    /** @type {Uint32Array[]} */
    const shades = [];
    /** @type {number[]} palettes by class and STRENGTHS */
    const known = [];
    for (let s = 0; s < labels.length; s++) {
      const label = labels[s];
      const faint = label === rest || label === VOID;
      differs[s] = Number(label !== compared[s]);
      const strength = differs[s] ? DIFFERS : faint ? REST : current[s] === VOID ? FILLED : SAME;
      const key = label * STRENGTHS.length + strength;
      look[s] = known[key] ??= shades.push(this.shadesOf(colors[label] ?? '#000000', STRENGTHS[strength])) - 1;
    }
    const palettes = new Uint32Array(256 * shades.length);
    shades.forEach((pixels, i) => palettes.set(pixels, 256 * i));
    return { palettes, look, differs };
  }

  /**
   * The pixels of a class, as an ImageData has them, for each grey of the picture.
   *
   * @param {string} color
   * @param {number} strength
   */
  shadesOf(color, strength) {
    const key = color + strength;
    const known = this.shades.get(key);
    if (known) return known;
    const bytes = new Uint8ClampedArray(4 * 256).fill(255);
    for (let grey = 0; grey < 256; grey++) {
      const light = strength * (0.6 + (0.5 * grey) / 255);
      const dim = (1 - strength) * (28 + grey * 0.68);
      channels(color).forEach((channel, i) => (bytes[4 * grey + i] = light * channel + dim));
    }
    const made = new Uint32Array(bytes.buffer);
    this.shades.set(key, made);
    return made;
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import('../superpixels/box.js').Box} part of the picture
   * @param {number} across pixels of the canvas
   * @param {ReturnType<Thumbnails['looksOf']>} looks
   */
  draw(canvas, { left, top, right, bottom }, across, { palettes, look, differs }) {
    const { ids, grey } = this;
    const step = (right - left) / across;
    const down = Math.max(1, Math.round((bottom - top) / step));
    canvas.width = across;
    canvas.height = down;
    const picture = new ImageData(across, down);
    const pixels = new Uint32Array(picture.data.buffer);
    const columns = Uint32Array.from({ length: across }, (_, x) => Math.min(right - 1, left + (x + 0.5) * step));
    const rowOf = (/** @type {number} */ y) => Math.min(bottom - 1, Math.floor(top + (y + 0.5) * step)) * this.width;
    const above = Uint8Array.from(columns, (column) => differs[ids[rowOf(0) + column]]); // whether the pixel above differs
    for (let y = 0, o = 0; y < down; y++) {
      const row = rowOf(y);
      let before = differs[ids[row + columns[0]]];
      for (let x = 0; x < across; x++, o++) {
        const i = row + columns[x];
        const s = ids[i];
        const differ = differs[s];
        pixels[o] = differ !== before || differ !== above[x] ? EDGE : palettes[(look[s] << 8) | grey[i]];
        before = above[x] = differ;
      }
    }
    contextOf(canvas).putImageData(picture, 0, 0);
  }
}
