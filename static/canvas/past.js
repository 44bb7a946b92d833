import { pixels, vocColor } from './colour.js';
import { VOID } from '../evidence/protocol.js';
import { readable } from './readable.js';

/** Most pixels of a mask that are kept; they take 64 MiB. */
const MOST = 4096 * 4096;

/** The bits that tell colours of the palette apart, whose channels are multiples of 32, and what rounds to them: Brave changes some pixels by 1. */
const TELLING = 0xe0e0e0;
const HALF = 0x101010;

/** An earlier labelling, drawn in place of the current one. */
export class Past {
  /**
   * @param {ImageBitmap} mask of class places in the colours of the VOC palette, at the image's size
   * @param {import('../superpixels/idmap.js').IdMap} map
   * @param {readonly string[]} colors of the classes in order
   */
  constructor(mask, { width, height }, colors) {
    this.width = width;
    this.height = height;
    this.canvas = document.createElement('canvas');
    const whole = mask.width * mask.height <= MOST; // else at the map's size
    this.canvas.width = whole ? mask.width : width;
    this.canvas.height = whole ? mask.height : height;
    const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d', { willReadFrequently: true }));
    const paintable = readable(context);
    context.imageSmoothingEnabled = false;
    context.drawImage(mask, 0, 0, this.canvas.width, this.canvas.height);
    if (!paintable) return; // it keeps the colours of the palette
    const image = context.getImageData(0, 0, this.canvas.width, this.canvas.height);
    const data = new Uint32Array(image.data.buffer);
    const table = pixels(colors);
    const places = new Map(Array.from({ length: VOID + 1 }, (_, place) => [vocColor(place), place]));
    let [last, color] = [-1, 0];
    for (let i = 0; i < data.length; i++) {
      const found = ((data[i] & 0xffffff) + HALF) & TELLING;
      if (found !== last) color = table[places.get(found) ?? VOID];
      last = found;
      data[i] = color;
    }
    context.putImageData(image, 0, 0);
  }

  /**
   * @param {CanvasRenderingContext2D} context counting device pixels
   * @param {import('../superpixels/box.js').Placing} placing of the map in them
   */
  draw(context, { sx, sy, left, top }) {
    context.drawImage(this.canvas, left, top, this.width * sx, this.height * sy);
  }
}
