import { Layer } from './layer.js';
import { meet } from '../superpixels/box.js';
import { toWindow } from './view.js';

/**
 * An object that is told apart from others of its class.
 *
 * @typedef {object} Instance
 * @property {number} class
 * @property {number} number
 * @property {string} color
 * @property {Path2D} path in pixels of the image
 * @property {number} points of the path
 * @property {import('../superpixels/box.js').Box} box around it
 * @property {readonly [number, number][]} marks pixels of the image
 */

/** Strokes of an outline: colour, or null for that of its class, and width in CSS pixels, from below. */
const OUTLINE = /** @type {[string | null, number][]} */ ([['rgb(0 0 0 / 0.75)', 5.5], ['#ffffff', 3.8], [null, 2]]);

/** The outlines of objects that are told apart, with their numbers. */
export class Instances {
  /** @param {import('./painter.js').Painter} painter */
  constructor(painter) {
    /** @type {readonly Instance[]} */
    this.list = [];
    this.layer = new Layer(painter, () => {
      const seen = this.list.filter(({ box }) => meet(box, painter.seen));
      return { points: seen.reduce((sum, { points }) => sum + points, 0), draw: (context) => paint(context, painter, seen) };
    });
    this.painter = painter;
  }

  /** @param {readonly Instance[]} list */
  show(list) {
    this.list = list;
    this.layer.forget();
    this.painter.touch();
  }

  /**
   * @param {CanvasRenderingContext2D} scene
   * @param {import('../superpixels/box.js').Box} part device pixels
   */
  paint(scene, part) {
    if (this.list.length > 0) this.layer.paint(scene, part);
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import('./painter.js').Painter} painter
 * @param {readonly Instance[]} list
 */
function paint(context, { view, ratio, imagePlacing: { sx, sy, left, top } }, list) {
  context.setTransform(sx, 0, 0, sy, left, top);
  context.lineJoin = 'round';
  for (const { path, color } of list) {
    for (const [style, width] of OUTLINE) {
      context.strokeStyle = style ?? color;
      context.lineWidth = width / view.scale;
      context.stroke(path);
    }
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = '600 12px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const { number, color, marks } of list) {
    if (marks.length === 0) continue;
    const [x, y] = toWindow(view, marks[0][0] + 0.5, marks[0][1] + 0.5);
    const text = String(number);
    const half = Math.max(9, context.measureText(text).width / 2 + 5);
    context.beginPath();
    context.roundRect(x - half, y - 9, 2 * half, 18, 9);
    context.fillStyle = 'rgb(0 0 0 / 0.82)';
    context.fill();
    context.strokeStyle = color;
    context.lineWidth = 2;
    context.stroke();
    context.fillStyle = '#ffffff';
    context.fillText(text, x, y + 0.5);
  }
}
