import { contextOf } from '../ui/dom.js';
import { channels } from './colour.js';
import { VOID } from '../evidence/protocol.js';

/** Pixels across a thumbnail at most. */
const WIDEST = 200;

/**
 * Paints small pictures of hypotheses: in the full colour of the class where
 * one differs from what it is compared with, tinted where it only fills what is
 * undecided, grey where it agrees with the labelling.
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
   * @param {HTMLCanvasElement} canvas
   * @param {Uint8Array} labels of the hypothesis
   * @param {Uint8Array} current labelling
   * @param {Uint8Array} compared what it is compared with, see reference()
   * @param {readonly string[]} colors of the classes
   */
  paint(canvas, labels, current, compared, colors) {
    canvas.width = this.width;
    canvas.height = this.height;
    const context = contextOf(canvas);
    const picture = new ImageData(this.width, this.height);
    const table = colors.map(channels);
    for (let i = 0, o = 0; i < this.grey.length; i++, o += 4) {
      const s = this.ids[i];
      const grey = this.grey[i];
      const color = table[labels[s]] ?? [0, 0, 0];
      const strength = labels[s] !== compared[s] ? 0.92 : current[s] === VOID ? 0.42 : 0;
      for (let c = 0; c < 3; c++) {
        picture.data[o + c] = strength * color[c] * (0.62 + (0.5 * grey) / 255) + (1 - strength) * (20 + grey * 0.62);
      }
      picture.data[o + 3] = 255;
    }
    context.putImageData(picture, 0, 0);
  }
}
