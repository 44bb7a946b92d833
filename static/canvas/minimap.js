import { byId, contextOf } from '../ui/dom.js';
import { fit } from './view.js';

/** The largest it gets, CSS pixels. */
const LARGEST = { width: 168, height: 126 };

/**
 * @typedef {object} Window the window onto the image
 * @property {import('./painter.js').Painter} painter
 * @property {{width: number, height: number}} image pixels
 * @property {{width: number, height: number}} size CSS pixels
 * @property {(x: number, y: number) => void} centre shows a point of the image in the middle
 */

/** The whole image in a corner, with a frame around what the window shows. Hidden while the window shows all of it. */
export class Minimap {
  /** @param {Window} stage */
  constructor(stage) {
    this.stage = stage;
    this.element = byId('minimap');
    this.frame = byId('minimap-frame');
    const { scale } = fit(stage.image, LARGEST);
    this.scale = scale;
    const canvas = /** @type {HTMLCanvasElement} */ (byId('minimap-picture'));
    const ratio = devicePixelRatio || 1;
    const [width, height] = [stage.image.width * scale, stage.image.height * scale];
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    this.element.style.width = `${width}px`;
    this.element.style.height = `${height}px`;
    this.context = contextOf(canvas);
    this.draw();
    this.element.addEventListener('pointerdown', (e) => {
      this.element.setPointerCapture(e.pointerId);
      this.centre(e);
    });
    this.element.addEventListener('pointermove', (e) => {
      if (e.buttons & 1) this.centre(e);
    });
    this.update();
  }

  /** Paints the image as it is shown now. */
  draw() {
    const { canvas } = this.context;
    this.context.drawImage(this.stage.painter.pyramid.level(canvas.width), 0, 0, canvas.width, canvas.height);
  }

  /** Moves the frame to what the window shows. */
  update() {
    const { painter, size, image } = this.stage;
    const { scale, left, top } = painter.view;
    const within = left >= 0 && top >= 0 && left + image.width * scale <= size.width && top + image.height * scale <= size.height;
    this.element.hidden = within;
    if (within) return;
    const style = this.frame.style;
    const edge = (/** @type {number} */ v, /** @type {number} */ most) => Math.min(most, Math.max(0, v)) * this.scale;
    const [x, y] = [edge(-left / scale, image.width), edge(-top / scale, image.height)];
    style.left = `${x}px`;
    style.top = `${y}px`;
    style.width = `${edge((size.width - left) / scale, image.width) - x}px`;
    style.height = `${edge((size.height - top) / scale, image.height) - y}px`;
  }

  /** @param {PointerEvent} e shows what lies under the pointer in the middle of the window */
  centre(e) {
    const box = this.element.getBoundingClientRect();
    const [x, y] = [(e.clientX - box.left) / this.scale, (e.clientY - box.top) / this.scale];
    this.stage.centre(x, y);
  }
}
