import { pixels, vocColor } from './colour.js';
import { VOID } from '../evidence/protocol.js';

/** An earlier labelling, drawn in place of the present one. */
export class Past {
  /**
   * @param {ImageBitmap} mask of class places in the colours of the VOC palette
   * @param {import('../superpixels/idmap.js').IdMap} map
   * @param {readonly string[]} colors of the classes in order
   */
  constructor(mask, { width, height }, colors) {
    this.width = width;
    this.height = height;
    this.canvas = document.createElement('canvas');
    this.canvas.width = width;
    this.canvas.height = height;
    const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d', { willReadFrequently: true }));
    context.imageSmoothingEnabled = false;
    context.drawImage(mask, 0, 0, width, height);
    const image = context.getImageData(0, 0, width, height);
    const data = new Uint32Array(image.data.buffer);
    const table = pixels(colors);
    const places = new Map(Array.from({ length: VOID + 1 }, (_, place) => [vocColor(place), place]));
    for (let i = 0; i < data.length; i++) data[i] = table[places.get(data[i] & 0xffffff) ?? VOID];
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
