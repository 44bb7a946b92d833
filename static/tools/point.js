import { at } from '../superpixels/idmap.js';
import { moved, reached, stepOf } from './steer.js';

/** @typedef {import('./strokes.js').Point} Point */

/**
 * The point that arrow keys move over the image in place of the pointer, with
 * the tools that draw at points, and what Space and Enter do there.
 */
export class PointCursor {
  /** @param {import('./stage.js').Stage} stage */
  constructor(stage) {
    this.stage = stage;
    /** @type {Point | null} pixels of the image; null while the pointer or a superpixel is what keys work on */
    this.at = null;
    /** Whether Space is down and began a stroke or shape. */
    this.pressed = false;
    /** Whether the point has moved since. */
    this.moved = false;
    /** Where the resting pointer is, CSS pixels. */
    this.pointer = '';
    /** The tool that keys last worked with. */
    this.kind = stage.tools.kind;
  }

  get drawing() {
    return this.stage.drawing;
  }

  /** Whether keys have begun a stroke or a rectangle. */
  get begun() {
    return this.at !== null && this.drawing.stroke !== null;
  }

  /** Where the first arrow key begins, if anywhere in the window. @returns {Point | null} */
  start() {
    const { stage, drawing } = this;
    const { cursor } = stage.painter.marks;
    const point = this.at ?? (cursor >= 0 ? stage.pointIn(cursor) : drawing.pointer);
    return point && (drawing.busy || stage.shows(point)) ? point : null;
  }

  /** @param {readonly [number, number]} direction @param {boolean} far */
  move(direction, far) {
    const { stage } = this;
    const start = this.start();
    const from = start ?? stage.middle();
    this.at = moved(from, start ? direction : [0, 0], stepOf(stage.painter.view.scale, far), stage.image);
    this.moved = true;
    stage.follow(this.at);
    if (this.begun) this.drawing.extend(this.at);
    stage.hover(this.at);
    this.mark();
    stage.listener.say(reached(this.at, stage.listener.nameAt(this.at)));
  }

  /** Space goes down: begins, sets a corner or, of a rectangle, the corner opposite. @returns {boolean} whether there is a point to do it at */
  press() {
    const { stage, drawing } = this;
    if (!this.at) return false;
    if (stage.listener.tapped(at(stage.map, ...this.at)) || this.finish()) return true;
    this.pressed = true;
    this.moved = false;
    drawing.begin('paint', this.at, false);
    if (drawing.polygon) stage.listener.say(`Polygon corner ${drawing.polygon.corners.length}`);
    else if (stage.tools.kind === 'rectangle' || stage.tools.kind === 'box') stage.listener.say(`First corner of the ${stage.tools.kind}`);
    return true;
  }

  /** Space is let go. @returns {boolean} whether it was drawing */
  release() {
    if (!this.pressed) return false;
    this.pressed = false;
    if (this.stage.tools.swept || this.moved) this.finish();
    return true;
  }

  /** Finishes the stroke or rectangle that keys have begun. @returns {boolean} whether there was one */
  finish() {
    if (!this.begun) return false;
    this.pressed = false;
    this.drawing.end();
    return true;
  }

  /**
   * Whether the pointer has really moved, so that it takes over; browsers report
   * one that rests as well.
   *
   * @param {number} x CSS pixels
   * @param {number} y
   */
  yields(x, y) {
    const now = `${x} ${y}`;
    const rests = this.pointer === now;
    this.pointer = now;
    if (rests) return !this.at;
    this.leave();
    return true;
  }

  /** Keys work on the pointer or a superpixel from now on. */
  leave() {
    if (!this.at) return;
    if (this.begun) this.drawing.cancel();
    this.at = null;
    this.pressed = false;
    this.drawing.hover(null);
    this.mark();
  }

  /** The tool or how it works has changed: keys go on where they were, at a superpixel or at a point. */
  refresh() {
    const { stage, drawing } = this;
    const { marks } = stage.painter;
    const { kind } = stage.tools;
    const taken = kind !== this.kind;
    const walks = ['superpixel', 'objects'].includes(kind);
    this.kind = kind;
    if (!this.at && taken && !walks && marks.cursor >= 0) {
      this.at = stage.pointIn(marks.cursor);
      stage.hover(this.at);
      this.mark();
    }
    if (!this.at) return;
    if (drawing.stroke && drawing.stroke.tool !== kind) drawing.cancel();
    if (!walks) return;
    const superpixel = at(stage.map, ...this.at);
    stage.hover(null);
    marks.cursor = superpixel;
    this.leave();
  }

  mark() {
    const { painter, map } = this.stage;
    painter.marks.point = this.at && [(this.at[0] * map.width) / map.fullWidth, (this.at[1] * map.height) / map.fullHeight];
    painter.touchMarks();
  }
}
