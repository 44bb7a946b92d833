import { HATCHED, pixelsOf, repairRuns } from './repairs.js';
import { anchors, at } from '../superpixels/idmap.js';

/** @typedef {import('../superpixels/idmap.js').IdMap} IdMap */

/** Where the parts of divided superpixels lie, and how large they are. */
export class Parts {
  /**
   * @param {IdMap} map
   * @param {IdMap | null} cells the finest map; null as long as nothing is divided
   * @param {import('./division.js').Division} division
   */
  constructor(map, cells, division) {
    this.map = map;
    this.cells = cells;
    this.division = division;
    /** Pixels of the image per number. */
    this.area = new Float64Array(division.size);
    this.area.set(map.area);
    /** A point in each, x and y in turn. */
    this.anchors = new Float32Array(2 * division.size);
    this.anchors.set(anchors(map));
    /** The same per cell. */
    this.middles = cells ? anchors(cells) : new Float32Array();
    division.cells.forEach((cell, i) => {
      if (!cells) return;
      this.area[map.n + i] = cells.area[cell];
      this.area[division.bases[i]] -= cells.area[cell];
      this.anchors.set(this.middle(cell), 2 * (map.n + i));
    });
    if (cells && division.parts.size > 0) this.placeFirst(cells, new Set(division.cells));
    /** @type {Map<number, number[]>} pixels of cells, made when first needed */
    this.runs = new Map();
    /** What pixels() returned last, and for what. */
    this.last = { labels: '', repairs: /** @type {import('./repairs.js').Repairs | null} */ (null), pixels: /** @type {import('./repairs.js').Repairs | null} */ (null) };
  }

  /**
   * Moves the anchors of divided superpixels into their first parts. O(cells).
   *
   * @param {IdMap} cells
   * @param {Set<number>} others that the other parts are
   */
  placeFirst(cells, others) {
    const first = [...cells.area.keys()].filter((cell) => !others.has(cell) && cells.first[cell] < cells.first[cell + 1]); // the smallest have no pixel of the map
    basesOf(this.map, cells, first).forEach((base, i) => {
      if (this.division.parts.has(base)) this.anchors.set(this.middle(first[i]), 2 * base);
    });
  }

  /** The middle of a cell. @param {number} cell @returns {[number, number]} pixels of the image */
  middle(cell) {
    return [this.middles[2 * cell], this.middles[2 * cell + 1]];
  }

  /**
   * The middle of what a click at a point labels: of the cell there, or the point
   * itself as long as the cells aren't known.
   *
   * @param {[number, number]} point
   * @returns {[number, number]}
   */
  middleAt(point) {
    return this.cells ? this.middle(at(this.cells, ...point)) : point;
  }

  /**
   * The pixels that look other than the first part of their superpixel: those of
   * other parts, and on them the repairs.
   *
   * @param {Uint8Array} labels per number
   * @param {import('./repairs.js').Repairs} repairs
   * @param {Uint8Array | null} [picked] 1 for each number that is hatched
   * @returns {import('./repairs.js').Repairs}
   */
  pixels(labels, repairs, picked = null) {
    const { division: { n, cells, bases }, last } = this;
    const looks = (/** @type {number} */ s) => labels[s] + (picked?.[s] ? HATCHED : 0);
    /** @type {Map<number, number[]>} cells by class and hatch */
    const differ = new Map();
    cells.forEach((cell, i) => {
      const label = looks(n + i);
      if (label !== looks(bases[i])) differ.set(label, [...(differ.get(label) ?? []), cell]);
    });
    if (differ.size === 0) return repairs;
    const key = [...differ].map(([label, list]) => `${label}: ${list}`).join();
    if (last.pixels && last.labels === key && last.repairs === repairs) return last.pixels;
    const pixels = repairRuns([...differ].map(([label, list]) => ({ label, runs: list.flatMap((cell) => this.runsOf(cell)) })), repairs);
    this.last = { labels: key, repairs, pixels };
    return pixels;
  }

  /** @param {number} cell */
  runsOf(cell) {
    const known = this.runs.get(cell);
    if (known) return known;
    const runs = this.cells ? pixelsOf(this.cells, [cell]) : [];
    this.runs.set(cell, runs);
    return runs;
  }
}

/**
 * The superpixel of the map that holds each of some cells.
 *
 * @param {IdMap} map
 * @param {IdMap} cells
 * @param {readonly number[]} list of cells
 * @returns {number[]}
 */
export function basesOf(map, cells, list) {
  return list.map((cell) => map.ids[cells.start[cells.first[cell]]]);
}
