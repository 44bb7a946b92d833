import { meet, nothing, union } from '../superpixels/box.js';
import { simplify } from '../superpixels/simplify.js';

/**
 * @typedef {import('../superpixels/borders.js').Arc} Arc
 * @typedef {import('../superpixels/box.js').Box} Box
 * @typedef {{path: Path2D, points: number, box: Box}} Drawing lines of one part of the image
 * @typedef {0 | 1 | 2} Detail coarse, smooth, or along the pixels' true edges
 */

const TILES = 10; // per side

/**
 * How much detail can be seen.
 *
 * @param {number} scale pixels of the window per pixel of the map
 * @returns {Detail}
 */
export function detailAt(scale) {
  return scale < 0.45 ? 0 : scale < 5 ? 1 : 2;
}

/** The arcs between superpixels as paths, in tiles, so that only what is in the window is stroked. */
export class Lines {
  /**
   * @param {Arc[]} arcs
   * @param {number} width of the map
   * @param {number} height
   */
  constructor(arcs, width, height) {
    /** @type {{arcs: Arc[], box: Box, drawings: Drawing[]}[]} */
    this.tiles = Array.from({ length: TILES * TILES }, () => ({ arcs: [], box: nothing(), drawings: [] }));
    /** @type {Map<number, Arc[]>} arcs around each superpixel */
    this.around = new Map();
    /** @type {Map<number, Set<number>>} tiles that hold arcs around each superpixel */
    this.tilesOf = new Map();
    /** @type {WeakMap<Arc, Float32Array>} */
    this.coarse = new WeakMap();
    for (const arc of arcs) {
      for (const s of [arc.a, arc.b]) {
        const list = this.around.get(s);
        if (list) list.push(arc);
        else this.around.set(s, [arc]);
      }
      if (arc.b < 0) continue;
      const [left, top, right, bottom] = arc.box;
      const column = Math.min(TILES - 1, Math.floor(((left + right) / 2 / width) * TILES));
      const row = Math.min(TILES - 1, Math.floor(((top + bottom) / 2 / height) * TILES));
      const index = row * TILES + column;
      const tile = this.tiles[index];
      tile.arcs.push(arc);
      tile.box = union(tile.box, { left, top, right, bottom });
      for (const s of [arc.a, arc.b]) {
        const tiles = this.tilesOf.get(s);
        if (tiles) tiles.add(index);
        else this.tilesOf.set(s, new Set([index]));
      }
    }
  }

  /** The superpixels that touch one; some may come twice, and -1 stands for the frame. @param {number} s */
  *beside(s) {
    for (const { a, b } of this.around.get(s) ?? []) yield a === s ? b : a;
  }

  /**
   * The borders of all superpixels.
   *
   * @param {Detail} detail
   * @returns {Drawing[]}
   */
  all(detail) {
    return this.tiles.map((tile) => (tile.drawings[detail] ??= { ...this.draw(tile.arcs, detail), box: tile.box }));
  }

  /**
   * The lines between different classes in one tile.
   *
   * @param {number} tile
   * @param {Uint8Array} labels
   * @param {Detail} detail
   * @param {(superpixel: number) => boolean} mixed whether a superpixel holds several classes and is left to others
   * @returns {Drawing}
   */
  between(tile, labels, detail, mixed) {
    const { arcs, box } = this.tiles[tile];
    return { ...this.draw(arcs.filter(({ a, b }) => labels[a] !== labels[b] && !mixed(a) && !mixed(b)), detail), box };
  }

  /**
   * The outline of a set of superpixels.
   *
   * @param {Iterable<number>} superpixels
   * @param {Detail} detail
   * @returns {Drawing}
   */
  outline(superpixels, detail) {
    const set = new Set(superpixels);
    /** @type {Arc[]} */
    const arcs = [];
    for (const s of set) {
      for (const arc of this.around.get(s) ?? []) if (set.has(arc.a) !== set.has(arc.b)) arcs.push(arc);
    }
    const box = arcs.reduce((all, { box: [left, top, right, bottom] }) => union(all, { left, top, right, bottom }), nothing());
    return { ...this.draw(arcs, detail), box };
  }

  /**
   * @param {Arc[]} arcs
   * @param {Detail} detail
   */
  draw(arcs, detail) {
    const path = new Path2D();
    let count = 0;
    for (const arc of arcs) {
      const points = this.points(arc, detail);
      count += points.length / 2;
      path.moveTo(points[0], points[1]);
      for (let i = 2; i < points.length; i += 2) path.lineTo(points[i], points[i + 1]);
    }
    return { path, points: count };
  }

  /**
   * @param {Arc} arc
   * @param {Detail} detail
   */
  points(arc, detail) {
    if (detail === 2) return arc.exact;
    if (detail === 1) return arc.smooth;
    const known = this.coarse.get(arc);
    if (known) return known;
    const points = simplify(arc.smooth, 2);
    this.coarse.set(arc, points);
    return points;
  }
}

/**
 * The drawings that reach into a part of the image.
 *
 * @param {Drawing[]} drawings
 * @param {Box} part
 */
export function visible(drawings, part) {
  return drawings.filter(({ box }) => meet(box, part));
}

/** @param {readonly Drawing[]} drawings @returns {number} points to draw */
export function weight(drawings) {
  return drawings.reduce((sum, { points }) => sum + points, 0);
}
