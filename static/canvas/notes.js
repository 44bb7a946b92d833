import { toWindow } from './view.js';

/**
 * What is drawn over the labelling of what was said of classes.
 *
 * @typedef {object} Note
 * @property {number} class
 * @property {string} color
 * @property {string} name
 *
 * @typedef {Note & {box: import('../evidence/constraints.js').Corners}} BoxNote
 * @typedef {Note & {superpixels: readonly number[]}} ExcludedNote
 */

/** CSS pixels from the middle of a mark to its edge. */
const RADIUS = 4.5;

/** CSS pixels between the marks of several classes on one superpixel. */
const APART = 12;

/** Boxes around objects, and a struck-through dot on each superpixel that is not of a class. */
export class Notes {
  constructor() {
    /** @type {readonly BoxNote[]} */
    this.boxes = [];
    /** @type {readonly ExcludedNote[]} */
    this.excluded = [];
  }

  /**
   * @param {import('./painter.js').Painter} painter whose scene counts CSS pixels now
   * @param {import('../superpixels/box.js').Box} part of it to paint, device pixels
   */
  paint(painter, part) {
    for (const note of this.boxes) outline(painter.scene, painter.view, note);
    const { scene, view, ratio } = painter;
    const reach = RADIUS + APART;
    /** @type {Map<number, number>} marks so far on each superpixel */
    const marked = new Map();
    for (const { color, superpixels } of this.excluded) {
      for (const s of superpixels) {
        const [x, y] = toWindow(view, ...painter.anchorOf(s));
        const place = marked.get(s) ?? 0;
        marked.set(s, place + 1);
        const at = x + place * APART;
        if (at < part.left / ratio - reach || y < part.top / ratio - reach || at > part.right / ratio + reach || y > part.bottom / ratio + reach) continue;
        struck(scene, at, y, color);
      }
    }
  }
}

/**
 * @param {CanvasRenderingContext2D} context counting CSS pixels
 * @param {import('./view.js').View} view
 * @param {BoxNote} note
 */
export function outline(context, view, { box: [left, top, right, bottom], color, name }) {
  const [x, y] = toWindow(view, left, top);
  const [width, height] = [(right - left) * view.scale, (bottom - top) * view.scale];
  context.lineJoin = 'miter';
  for (const [style, line] of /** @type {[string, number][]} */ ([['rgb(0 0 0 / 0.7)', 5], ['#ffffff', 3.6], [color, 2]])) {
    context.strokeStyle = style;
    context.lineWidth = line;
    context.strokeRect(x, y, width, height);
  }
  context.font = '600 12px system-ui, sans-serif';
  context.textBaseline = 'middle';
  const across = context.measureText(name).width + 12;
  const above = y > 22 ? y - 21 : y + 3;
  const from = y > 22 ? x - 2 : x + 3;
  context.fillStyle = 'rgb(0 0 0 / 0.78)';
  context.fillRect(from, above, across, 18);
  context.fillStyle = color;
  context.fillRect(from, above, 3, 18);
  context.fillStyle = '#ffffff';
  context.fillText(name, from + 8, above + 9.5);
}

/**
 * @param {CanvasRenderingContext2D} context counting CSS pixels
 * @param {number} x
 * @param {number} y
 * @param {string} color
 */
function struck(context, x, y, color) {
  const arc = () => {
    context.beginPath();
    context.arc(x, y, RADIUS, 0, 2 * Math.PI);
  };
  arc();
  context.fillStyle = '#ffffff';
  context.fill();
  arc();
  context.strokeStyle = 'rgb(0 0 0 / 0.7)';
  context.lineWidth = 4;
  context.stroke();
  arc();
  context.fillStyle = color;
  context.fill();
  const bar = RADIUS + 2.5;
  for (const [style, width] of /** @type {[string, number][]} */ ([['#000000', 4], ['#ffffff', 1.8]])) {
    context.beginPath();
    context.moveTo(x - bar, y + bar);
    context.lineTo(x + bar, y - bar);
    context.strokeStyle = style;
    context.lineWidth = width;
    context.stroke();
  }
}
