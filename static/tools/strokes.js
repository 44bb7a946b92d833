import { Area, inside, sweep } from '../superpixels/area.js';
import { at, passed, shown } from '../superpixels/idmap.js';

/**
 * @typedef {import('../superpixels/area.js').Point} Point pixels of the image
 * @typedef {import('../superpixels/idmap.js').IdMap} IdMap
 * @typedef {'superpixel' | 'brush' | 'eraser' | 'rectangle' | 'polygon' | 'box' | 'objects'} ToolKind
 * @typedef {'paint' | 'clear' | 'exclude' | 'apart'} Mode exclude: not of the active class; apart: of one object
 *
 * @typedef {object} Drawn what a stroke or a shape means so far
 * @property {ToolKind} tool that it was begun with; a key may have taken another since
 * @property {Mode} mode
 * @property {number[]} superpixels
 * @property {Point[]} points one in each of the superpixels
 * @property {number[] | null} runs pixels of the image as start and length in turn; in place of superpixels
 * @property {{corners: import('../evidence/constraints.js').Corners, tap: boolean}} [box] around an object; in place of superpixels. A tap is too small to be one
 */

/** What one gesture of a tool draws: superpixels, or exactly the pixels. */
export class Stroke {
  /**
   * @param {IdMap} map
   * @param {object} how
   * @param {ToolKind} how.tool
   * @param {Mode} how.mode
   * @param {boolean} how.exact whether pixels are meant and not superpixels
   * @param {number} how.size pixels of the image across the brush
   * @param {(superpixel: number) => Point} how.pointIn
   * @param {Point[]} points where it begins; of a polygon all corners
   */
  constructor(map, { tool, mode, exact, size, pointIn }, points) {
    this.map = map;
    this.tool = tool;
    this.mode = mode;
    this.exact = exact && !this.pointed && mode !== 'exclude';
    this.pointIn = pointIn;
    this.width = this.exact ? map.fullWidth : map.width;
    this.height = this.exact ? map.fullHeight : map.height;
    this.radius = (size / 2) * (this.width / map.fullWidth);
    this.area = new Area(this.width, this.height);
    /** @type {Map<number, Point>} superpixels on the way, with the point where it enters them */
    this.found = new Map();
    this.points = points;
    if (this.swept || this.pointed) this.step(points[0], points[0]);
  }

  /** Whether a brush is drawn along a path. */
  get swept() {
    return this.tool === 'brush' || this.tool === 'eraser';
  }

  /** Whether it means what it passes, and no area. */
  get pointed() {
    return this.tool === 'superpixel' || this.tool === 'objects';
  }

  /** @param {Point} point */
  extend(point) {
    if (this.tool === 'rectangle') this.points[1] = point;
    else {
      this.step(/** @type {Point} */ (this.points.at(-1)), point);
      this.points[0] = point;
    }
  }

  /** @param {Point} from @param {Point} to */
  step(from, to) {
    if (!this.exact) {
      for (const { superpixel, point } of passed(this.map, from, to)) if (!this.found.has(superpixel)) this.found.set(superpixel, point);
    }
    if (this.swept) sweep(this.scaled(from), this.scaled(to), this.radius, (y, a, b) => this.area.add(y, a, b));
  }

  /** @param {Point} point @returns {Point} in pixels of the area */
  scaled([x, y]) {
    return [(x * this.width) / this.map.fullWidth, (y * this.height) / this.map.fullHeight];
  }

  /** @returns {Drawn} */
  drawn() {
    const { mode, exact, tool, map, found } = this;
    if (tool === 'rectangle' || tool === 'polygon') {
      this.area = new Area(this.width, this.height);
      inside(this.corners.map((p) => this.scaled(p)), (y, a, b) => this.area.add(y, a, b));
    }
    if (exact) return { tool, mode, superpixels: [], points: [], runs: this.area.runs() };
    const all = new Map(found);
    if (!this.pointed) for (const s of this.area.covered(map)) if (!all.has(s)) all.set(s, this.pointIn(s));
    if (all.size === 0) {
      const [x, y] = middle(this.corners);
      const s = at(map, x, y);
      if (s >= 0) all.set(s, shown(map, x, y));
    }
    return { tool, mode, superpixels: [...all.keys()], points: [...all.values()], runs: null };
  }

  /** @returns {Point[]} */
  get corners() {
    const [a, b = a] = this.points;
    return this.tool === 'rectangle' ? [a, [b[0], a[1]], b, [a[0], b[1]]] : this.points;
  }
}

/** @param {Point[]} points @returns {Point} */
function middle(points) {
  const sum = (/** @type {0 | 1} */ axis) => points.reduce((all, p) => all + p[axis], 0) / points.length;
  return [sum(0), sum(1)];
}

/** Widths of the brush, in pixels of the image. */
export const SIZES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/**
 * The place in SIZES of a brush that fits an image of such a size.
 *
 * @param {number} side pixels, the longer one
 */
export function fitting(side) {
  const off = SIZES.map((size) => Math.abs(Math.log(size / (side / 32))));
  return off.indexOf(Math.min(...off));
}
