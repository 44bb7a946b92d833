import { contextOf } from '../ui/dom.js';

/** Milliseconds without movement after which many lines are drawn sharp again. */
const SETTLED = 70;

/** Points above which lines are too many to be drawn in every frame while they move: a frame has 16 ms, and two layers may move. */
const QUICK = 3000;

/** Points above which lines are too many to be drawn in every frame that changes them. */
export const DENSE = 12_000;

/**
 * @typedef {object} Sketch what to draw
 * @property {number} points of all lines
 * @property {(context: CanvasRenderingContext2D) => void} draw
 */

/**
 * Lines over the image, drawn sharp into a canvas of their own, from which the
 * scene copies. While many of them move, the canvas is moved as a picture; it is
 * drawn again when they rest.
 */
export class Layer {
  /**
   * @param {import('./painter.js').Painter} painter
   * @param {() => Sketch} sketch for the painter's view as it is now
   */
  constructor(painter, sketch) {
    this.painter = painter;
    this.sketch = sketch;
    this.context = fresh();
    /** @type {import('./view.js').View | null} the view that the layer was drawn for */
    this.view = null;
    this.settle = 0;
  }

  /** Takes a new canvas, which has no size yet. */
  renew() {
    this.context = fresh();
  }

  /** The lines are different ones now, or their canvas has a new size. */
  forget() {
    this.view = null;
  }

  /**
   * Paints a part of the layer into the scene.
   *
   * @param {CanvasRenderingContext2D} scene
   * @param {import('../superpixels/box.js').Box} part device pixels
   * @param {number} [strength] 0..1
   */
  paint(scene, part, strength = 1) {
    const { view, ratio } = this.painter;
    const moved = !this.view || this.view.scale !== view.scale || this.view.left !== view.left || this.view.top !== view.top;
    if (moved) this.update();
    const from = /** @type {import('./view.js').View} */ (this.view);
    scene.globalAlpha = strength;
    if (from === view || !moved) {
      const size = /** @type {const} */ ([part.left, part.top, part.right - part.left, part.bottom - part.top]);
      scene.setTransform(1, 0, 0, 1, 0, 0);
      scene.drawImage(this.context.canvas, ...size, ...size);
    } else {
      const zoom = view.scale / from.scale;
      scene.setTransform(zoom, 0, 0, zoom, (view.left - from.left * zoom) * ratio, (view.top - from.top * zoom) * ratio);
      scene.imageSmoothingEnabled = true;
      scene.drawImage(this.context.canvas, 0, 0);
    }
    scene.globalAlpha = 1;
  }

  /** Draws the lines for a view that has moved, or postpones it until the view rests when there are many. */
  update() {
    const { painter, context } = this;
    const { points, draw } = this.sketch();
    clearTimeout(this.settle);
    if (!this.view || points < QUICK) {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, context.canvas.width, context.canvas.height);
      draw(context);
      this.view = painter.view;
      return;
    }
    this.rest();
  }

  /** Draws the lines sharp once they rest, in a frame of their own: two layers in one would drop it. */
  rest() {
    this.settle = window.setTimeout(() => {
      if (this.painter.frame) return this.rest();
      this.forget();
      this.painter.touch();
    }, SETTLED);
  }
}

function fresh() {
  return contextOf(document.createElement('canvas'));
}
