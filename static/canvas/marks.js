import { empty, nothing, placed, union } from '../superpixels/box.js';
import { detailAt } from './lines.js';
import { outline } from './notes.js';

/** @typedef {import('../superpixels/box.js').Box} Box */

/** Widest stroke, CSS pixels, on either side of a line. */
const REACH = 6;

/** CSS pixels from the middle of a dot to its edge. */
const DOT = 9;

/** CSS pixels from the middle of the cross that marks a point to the ends of its arms. */
const CROSS = { near: 4, far: 13 };

/** Outlines above the scene that follow the pointer and the keyboard. */
export class Marks {
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import('./painter.js').Painter} painter
   */
  constructor(context, painter) {
    this.context = context;
    this.painter = painter;
    /** @type {readonly number[]} superpixels outlined under the pointer */
    this.hover = [];
    /** Superpixel in keyboard focus, or -1. */
    this.cursor = -1;
    /** Superpixel suggested for the next click, or -1. */
    this.suggested = -1;
    /** @type {{at: [number, number], radius: number} | null} the brush, in pixels of the map */
    this.brush = null;
    /** @type {[number, number] | null} the point that keys work on, in pixels of the map */
    this.point = null;
    /** @type {{corners: [number, number][], pointer: [number, number] | null, free: boolean} | null} a polygon being drawn, in pixels of the map; free: by a drag */
    this.shape = null;
    /** @type {import('./notes.js').BoxNote | null} a box being drawn */
    this.box = null;
    /** The painted area, device pixels. */
    this.painted = nothing();
  }

  paint() {
    const { context, painter } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (!empty(this.painted)) {
      const { left, top, right, bottom } = this.painted;
      context.clearRect(left, top, right - left, bottom - top);
    }
    this.painted = nothing();
    painter.enter(context);
    const dash = 1 / painter.mapScale;
    if (this.suggested >= 0) {
      this.outline([this.suggested], [['#000000', 5.5], ['#ffd23f', 3.5]]);
      this.ring(this.suggested);
    }
    if (this.hover.length > 0) this.outline(this.hover, [['rgb(0 0 0 / 0.55)', 3.6], ['#ffffff', 1.8]]);
    if (this.cursor >= 0) {
      this.outline([this.cursor], [['#000000', 4]]);
      context.setLineDash([6 * dash, 4 * dash]);
      this.outline([this.cursor], [['#ffffff', 2.4]]);
      context.setLineDash([]);
    }
    this.dots(this.cursor >= 0 ? [this.cursor] : this.hover);
    if (this.brush) this.circle(this.brush.at, this.brush.radius, [['rgb(0 0 0 / 0.7)', 3], ['#ffffff', 1.3]]);
    if (this.shape) this.polygon(this.shape);
    if (this.box) this.frame(this.box);
    if (this.point) this.cross(this.point);
  }

  /** The clicks that the outlines of these superpixels may cover. @param {readonly number[]} superpixels */
  dots(superpixels) {
    const { context, painter } = this;
    if (!painter.labelled) return;
    context.setTransform(painter.ratio, 0, 0, painter.ratio, 0, 0);
    for (const s of superpixels) {
      painter.dots.one(painter, context, s);
      this.paintedOver(painter.boxOf(s), DOT);
    }
    painter.enter(context);
  }

  /**
   * @param {[number, number]} at
   * @param {number} radius
   * @param {[string, number][]} strokes colour and width in CSS pixels, from below
   */
  circle([x, y], radius, strokes) {
    const path = new Path2D();
    path.arc(x, y, radius, 0, 2 * Math.PI);
    this.painter.stroke(this.context, [{ path }], strokes);
    this.paintedOver({ left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }, REACH);
  }

  /** @param {import('./notes.js').BoxNote} note */
  frame(note) {
    const { context, painter } = this;
    context.setTransform(painter.ratio, 0, 0, painter.ratio, 0, 0);
    outline(context, painter.view, note);
    painter.enter(context);
    this.painted = painter.whole; // its label may be anywhere around it
  }

  /** A cross with an open middle. @param {[number, number]} at */
  cross([x, y]) {
    const [near, far] = [CROSS.near / this.painter.mapScale, CROSS.far / this.painter.mapScale];
    const path = new Path2D();
    for (const [dx, dy] of [[-1, 0], [1, 0], [0, -1], [0, 1]]) {
      path.moveTo(x + dx * near, y + dy * near);
      path.lineTo(x + dx * far, y + dy * far);
    }
    this.painter.stroke(this.context, [{ path }], [['#000000', 4.5], ['#ffffff', 2]]);
    this.paintedOver({ left: x - far, top: y - far, right: x + far, bottom: y + far }, REACH);
  }

  /** @param {{corners: [number, number][], pointer: [number, number] | null, free: boolean}} shape */
  polygon({ corners, pointer, free }) {
    const path = new Path2D();
    const all = pointer ? [...corners, pointer] : corners;
    all.forEach(([x, y], i) => (i === 0 ? path.moveTo(x, y) : path.lineTo(x, y)));
    this.painter.stroke(this.context, [{ path }], [['rgb(0 0 0 / 0.7)', 3.4], ['#ffffff', 1.6]]);
    for (const [x, y] of all) this.paintedOver({ left: x, top: y, right: x + 1e-3, bottom: y + 1e-3 }, REACH);
    if (!free) corners.forEach((corner, i) => this.circle(corner, (i === 0 ? 6 : 2.5) / this.painter.mapScale, [['#000000', 3.4], ['#ffffff', 1.8]]));
  }

  /**
   * @param {readonly number[]} superpixels
   * @param {[string, number][]} strokes colour and width in CSS pixels, from below
   */
  outline(superpixels, strokes) {
    const { context, painter } = this;
    const drawing = painter.lines.outline(superpixels, detailAt(painter.mapScale));
    painter.stroke(context, [drawing], strokes);
    this.paintedOver(drawing.box, REACH);
  }

  /** A ring around a superpixel, so that a small one is found at a glance. @param {number} s */
  ring(s) {
    const { context, painter } = this;
    const box = painter.boxOf(s);
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const reach = Math.max(26, 12 + 0.7 * Math.sqrt(painter.map.area[s]) * painter.view.scale);
    const radius = reach / painter.mapScale;
    for (const [color, width] of /** @type {[string, number][]} */ ([['rgb(0 0 0 / 0.8)', 5], ['#ffd23f', 2.5]])) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.strokeStyle = color;
      context.lineWidth = width / painter.mapScale;
      context.stroke();
    }
    this.paintedOver(box, reach + REACH);
  }

  /** @param {Box} box in pixels of the map @param {number} reach CSS pixels */
  paintedOver(box, reach) {
    if (!empty(box)) this.painted = union(this.painted, placed(box, this.painter.placing, reach * this.painter.ratio));
  }
}
