import { Layer } from './layer.js';
import { detailAt, visible, weight } from './lines.js';

/** CSS pixels across a superpixel at which boundaries begin to show, and from which they show in full. */
const FADE = { from: 5, to: 18 };

/** Colour and width in CSS pixels, from below. @type {[string, number][]} */
const STROKES = [['rgb(0 0 0 / 0.26)', 1.6], ['rgb(255 255 255 / 0.44)', 0.7]];

/**
 * How visible boundaries are, 0..1: they fade where they would cover the image.
 *
 * @param {number} across CSS pixels of a superpixel, on average
 */
export function visibility(across) {
  return Math.min(1, Math.max(0, (across - FADE.from) / (FADE.to - FADE.from)));
}

/** The boundaries between superpixels. */
export class Mesh {
  /** @param {import('./painter.js').Painter} painter */
  constructor(painter) {
    this.painter = painter;
    this.layer = new Layer(painter, () => {
      const drawings = visible(painter.lines.all(detailAt(painter.mapScale)), painter.window);
      const draw = (/** @type {CanvasRenderingContext2D} */ context) => {
        painter.enter(context);
        painter.stroke(context, drawings, STROKES);
      };
      return { points: weight(drawings), draw };
    });
  }

  /**
   * @param {CanvasRenderingContext2D} scene
   * @param {import('../superpixels/box.js').Box} part device pixels
   */
  paint(scene, part) {
    const { view, map } = this.painter;
    const strength = visibility(Math.sqrt((map.fullWidth * map.fullHeight) / map.n) * view.scale);
    if (strength > 0) this.layer.paint(scene, part, strength);
  }
}
