import { at } from '../superpixels/idmap.js';
import { Boxing } from './boxing.js';
import { Stroke } from './strokes.js';

/**
 * @typedef {import('./strokes.js').Drawn} Drawn
 * @typedef {import('./strokes.js').Point} Point
 * @typedef {import('./strokes.js').Mode} Mode
 *
 * @typedef {object} Polygon one that is not closed yet
 * @property {Mode} mode
 * @property {boolean} exact
 * @property {Point[]} corners
 * @property {Point[]} removed those that can come back, the last one removed at the end
 */

/** CSS pixels around a corner within which a tap hits it. */
const NEAR = 12;

/** CSS pixels between the two presses of a double click at most; farther apart they are corners of something small. */
const TWICE = 4;

/** CSS pixels between the corners of an outline that is drawn freely. */
const STEP = 4;

/** Turns gestures into strokes and shapes of the active tool. */
export class Drawing {
  /**
   * @param {import('./stage.js').Stage} stage
   * @param {import('./tools.js').Tools} tools
   */
  constructor(stage, tools) {
    this.stage = stage;
    this.tools = tools;
    /** @type {Stroke | Boxing | null} */
    this.stroke = null;
    /** @type {Polygon | null} the one that is being drawn */
    this.polygon = null;
    /** @type {Polygon | null} one that another tool has interrupted */
    this.interrupted = null;
    /** Whether a drag is drawing the outline of the polygon. */
    this.free = false;
    /** @type {Point | null} where the pointer is */
    this.pointer = null;
    this.frame = 0;
  }

  /** Whether a stroke or shape is in progress. */
  get busy() {
    return this.stroke !== null || this.polygon !== null;
  }

  /**
   * @param {'paint' | 'clear'} asked
   * @param {Point} point
   * @param {boolean} exact
   */
  begin(asked, point, exact) {
    const { tools, stage } = this;
    /** @type {Mode} */
    const mode = tools.mode === 'paint' || asked === 'clear' && tools.mode === 'apart' ? asked : tools.mode;
    if (tools.kind === 'polygon') this.corner(mode, point, exact);
    else {
      this.stroke = tools.kind === 'box' ? new Boxing(mode, point, stage.image, () => stage.painter.view.scale) : this.make(mode, exact || tools.exact, [point]);
      this.tell();
    }
  }

  /**
   * @param {Mode} mode
   * @param {boolean} exact
   * @param {Point[]} points
   */
  make(mode, exact, points) {
    const { kind, size } = this.tools;
    return new Stroke(this.stage.map, { tool: kind, mode, exact, size, pointIn: (s) => this.stage.pointIn(s) }, points);
  }

  /**
   * A drag where no polygon has begun draws the outline of one freely, until the end.
   *
   * @param {{mode: 'paint' | 'clear', exact: boolean, point: Point}} from where it began
   * @param {Point} point
   * @returns {boolean} whether it is one
   */
  loosen(from, point) {
    if (this.polygon || this.near(from.point, point, NEAR)) return false;
    this.begin(from.mode, from.point, from.exact);
    this.free = true;
    this.extend(point);
    return true;
  }

  /** @param {Point} point */
  extend(point) {
    const corners = this.free ? this.polygon?.corners : undefined;
    if (corners && !this.near(/** @type {Point} */ (corners.at(-1)), point, STEP)) corners.push(point);
    if (!this.stroke) return;
    this.stroke.extend(point);
    this.frame ||= requestAnimationFrame(() => this.tell());
  }

  /** Shows what is drawn so far. */
  tell() {
    this.frame = 0;
    if (this.stroke) this.stage.listener.draft(this.stroke.drawn());
  }

  end() {
    const { stroke, polygon, free } = this;
    this.stroke = null;
    this.free = false;
    if (stroke) this.hand(stroke);
    else if (free && polygon && polygon.corners.length > 2) this.close(); // with fewer, clicks go on with it
  }

  /** @param {Stroke | Boxing} stroke that is complete */
  hand(stroke) {
    const drawn = stroke.drawn();
    if (drawn.box || drawn.superpixels.length > 0 || (drawn.runs?.length ?? 0) > 0) this.stage.listener.stroke(drawn);
    else this.stage.listener.cancelled();
  }

  /** Cancels the stroke or shape in progress. @returns {boolean} whether there was one */
  cancel() {
    const { busy } = this;
    this.stroke = null;
    this.polygon = null;
    this.free = false;
    if (busy) this.stage.listener.cancelled();
    this.mark();
    return busy;
  }

  /**
   * Sets a corner of the polygon; near the first one closes it, and so does a double click.
   *
   * @param {Mode} mode
   * @param {Point} point
   * @param {boolean} exact
   */
  corner(mode, point, exact) {
    this.pointer = point;
    this.polygon ??= { mode, exact, corners: [], removed: [] };
    const { corners } = this.polygon;
    this.polygon.exact ||= exact;
    const twice = corners.length > 0 && this.near(/** @type {Point} */ (corners.at(-1)), point, this.stage.hands.hand === 'touch' ? NEAR : TWICE);
    if (corners.length > 2 && (twice || this.near(corners[0], point, NEAR))) this.close();
    else if (!twice) {
      corners.push(point);
      this.polygon.removed = [];
      this.mark();
    }
  }

  /** @param {Point} a @param {Point} b @param {number} within CSS pixels */
  near(a, b, within) {
    return Math.hypot(a[0] - b[0], a[1] - b[1]) * this.stage.painter.view.scale < within;
  }

  /** Closes the polygon, once it has three corners. @returns {boolean} whether there is one */
  close() {
    const { polygon } = this;
    if (!polygon) return false;
    if (polygon.corners.length < 3) {
      this.stage.listener.say('A polygon needs at least three corners');
      return true;
    }
    this.polygon = null;
    this.hand(this.make(polygon.mode, polygon.exact || this.tools.exact, polygon.corners));
    this.mark();
    return true;
  }

  /** Removes the last corner. @returns {boolean} whether there was one */
  back() {
    if (!this.polygon) return false;
    const { corners, removed } = this.polygon;
    removed.push(/** @type {Point} */ (corners.pop()));
    if (corners.length === 0) this.polygon = null;
    this.mark();
    return true;
  }

  /** Sets the corner again that was removed last. @returns {boolean} whether there is a polygon */
  forth() {
    if (!this.polygon) return false;
    const { corners, removed } = this.polygon;
    corners.push(...removed.splice(-1));
    this.mark();
    return true;
  }

  /** @param {Point | null} point the pointer is there, or is gone */
  hover(point) {
    this.pointer = point;
    this.mark();
  }

  /** The tool, its size or the view has changed. */
  refresh() {
    if (this.polygon && this.tools.kind !== 'polygon') this.interrupt();
    else if (this.interrupted && this.tools.kind === 'polygon') [this.polygon, this.interrupted] = [this.interrupted, null];
    if (this.pointer) this.stage.painter.marks.hover = this.under(this.pointer);
    this.stage.painter.touchMarks();
    this.mark();
  }

  /** Another tool was taken before the polygon was closed. */
  interrupt() {
    this.free = false;
    [this.interrupted, this.polygon] = [this.polygon, null];
    this.stage.listener.interrupted();
  }

  /** Brings the outlines that follow the pointer up to date. */
  mark() {
    const { painter, map } = this.stage;
    const { marks } = painter;
    this.tools.drawn(this.polygon?.corners.length ?? 0);
    const { pointer, polygon } = this;
    const inMap = (/** @type {Point} */ [x, y]) => /** @type {Point} */ ([(x * map.width) / map.fullWidth, (y * map.height) / map.fullHeight]);
    const brush = pointer && this.tools.swept ? { at: inMap(pointer), radius: ((this.tools.size / 2) * map.width) / map.fullWidth } : null;
    const shape = polygon ? { corners: polygon.corners.map(inMap), pointer: pointer && inMap(pointer), free: this.free } : null;
    if (!brush && !shape && !marks.brush && !marks.shape) return;
    marks.brush = brush;
    marks.shape = shape;
    painter.touchMarks();
  }

  /** Superpixels that a press there would affect. @param {Point} point @returns {number[]} */
  under(point) {
    if (this.tools.kind === 'box') return [];
    if (this.tools.swept) return this.tools.exact || this.stroke ? [] : this.make('paint', false, [point]).drawn().superpixels;
    const s = at(this.stage.map, ...point);
    return s < 0 ? [] : [s];
  }
}
