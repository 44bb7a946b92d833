import { detailAt, visible, weight } from './lines.js';
import { contextOf } from '../ui/dom.js';

/** Milliseconds without movement after which dense boundaries are drawn sharp again. */
const SETTLED = 70;

/** Points above which lines are too dense to be drawn in every frame. */
export const DENSE = 12_000;

/** CSS pixels across a superpixel at which boundaries begin to show, and from which they show in full. */
const FADE = { from: 5, to: 18 };

/**
 * How visible boundaries are, 0..1: they fade where they would cover the image.
 *
 * @param {number} across CSS pixels of a superpixel, on average
 */
export function visibility(across) {
  return Math.min(1, Math.max(0, (across - FADE.from) / (FADE.to - FADE.from)));
}

/**
 * The boundaries between superpixels, drawn sharp into a layer of their own.
 * While many of them move, the layer is moved as a picture; it is drawn again
 * when they rest.
 */
export class Mesh {
  /** @param {import('./painter.js').Painter} painter */
  constructor(painter) {
    this.painter = painter;
    this.context = contextOf(document.createElement('canvas'));
    /** @type {import('./view.js').View | null} the view that the layer was drawn for */
    this.view = null;
    this.settle = 0;
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
   */
  paint(scene, part) {
    const { view, ratio, map } = this.painter;
    const strength = visibility(Math.sqrt((map.fullWidth * map.fullHeight) / map.n) * view.scale);
    if (strength === 0) return;
    const moved = !this.view || this.view.scale !== view.scale || this.view.left !== view.left || this.view.top !== view.top;
    if (moved) this.update();
    const from = /** @type {import('./view.js').View} */ (this.view);
    if (from === view || !moved) {
      const size = /** @type {const} */ ([part.left, part.top, part.right - part.left, part.bottom - part.top]);
      scene.setTransform(1, 0, 0, 1, 0, 0);
      scene.globalAlpha = strength;
      scene.drawImage(this.context.canvas, ...size, ...size);
      scene.globalAlpha = 1;
      return;
    }
    const zoom = view.scale / from.scale;
    scene.setTransform(zoom, 0, 0, zoom, (view.left - from.left * zoom) * ratio, (view.top - from.top * zoom) * ratio);
    scene.imageSmoothingEnabled = true;
    scene.globalAlpha = strength;
    scene.drawImage(this.context.canvas, 0, 0);
    scene.globalAlpha = 1;
  }

  /** Draws the lines for a view that has moved, or postpones it until the view rests when there are many. */
  update() {
    const { painter } = this;
    const drawings = visible(painter.lines.all(detailAt(painter.mapScale)), painter.window);
    clearTimeout(this.settle);
    if (!this.view || weight(drawings) < DENSE) {
      this.draw(drawings);
      return;
    }
    this.settle = window.setTimeout(() => {
      this.forget();
      painter.touch();
    }, SETTLED);
  }

  /** @param {import('./lines.js').Drawing[]} drawings */
  draw(drawings) {
    const { context, painter } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    painter.enter(context);
    painter.stroke(context, drawings, [['rgb(0 0 0 / 0.26)', 1.6], ['rgb(255 255 255 / 0.44)', 0.7]]);
    this.view = painter.view;
  }
}
