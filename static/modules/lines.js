/**
 * @typedef {import('./borders.js').Arc} Arc
 * @typedef {{left: number, top: number, right: number, bottom: number}} Rectangle pixels of the map
 */

const TILES = 6; // per side

/** Pixels of the window per pixel of the map from which the pixels' true edges are drawn. */
const EXACT_FROM = 5;

/**
 * The arcs between superpixels as paths, in tiles, so that only what is in the
 * window is stroked.
 */
export class Lines {
  /**
   * @param {Arc[]} arcs
   * @param {number} width of the map
   * @param {number} height
   */
  constructor(arcs, width, height) {
    this.arcs = arcs;
    /** @type {{arcs: Arc[], box: Rectangle, smooth?: Path2D, exact?: Path2D}[]} */
    this.tiles = Array.from({ length: TILES * TILES }, () => ({
      arcs: [],
      box: { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity },
    }));
    for (const arc of arcs) {
      if (arc.b < 0) continue;
      const [left, top, right, bottom] = arc.box;
      const column = Math.min(TILES - 1, Math.floor(((left + right) / 2 / width) * TILES));
      const row = Math.min(TILES - 1, Math.floor(((top + bottom) / 2 / height) * TILES));
      const { arcs: list, box } = this.tiles[row * TILES + column];
      list.push(arc);
      box.left = Math.min(box.left, left);
      box.top = Math.min(box.top, top);
      box.right = Math.max(box.right, right);
      box.bottom = Math.max(box.bottom, bottom);
    }
    /** @type {Map<number, Arc[]>} */
    this.around = new Map();
    for (const arc of arcs) {
      for (const s of [arc.a, arc.b]) {
        const list = this.around.get(s);
        if (list) list.push(arc);
        else this.around.set(s, [arc]);
      }
    }
  }

  /**
   * The borders of all superpixels within a rectangle.
   *
   * @param {Rectangle} window
   * @param {number} scale
   * @returns {Path2D[]}
   */
  within(window, scale) {
    const exact = scale >= EXACT_FROM;
    const paths = [];
    for (const tile of this.tiles) {
      const { box } = tile;
      if (box.right < window.left || box.left > window.right || box.bottom < window.top || box.top > window.bottom) continue;
      paths.push(exact ? (tile.exact ??= pathOf(tile.arcs, true)) : (tile.smooth ??= pathOf(tile.arcs, false)));
    }
    return paths;
  }

  /**
   * The outline of a set of superpixels.
   *
   * @param {Iterable<number>} superpixels
   * @param {number} scale
   * @returns {Path2D}
   */
  outline(superpixels, scale) {
    const set = new Set(superpixels);
    /** @type {Arc[]} */
    const arcs = [];
    for (const s of set) {
      for (const arc of this.around.get(s) ?? []) if (set.has(arc.a) !== set.has(arc.b)) arcs.push(arc);
    }
    return pathOf(arcs, scale >= EXACT_FROM);
  }

  /**
   * The lines between different classes.
   *
   * @param {Uint8Array} labels
   * @param {number} scale
   * @returns {Path2D}
   */
  between(labels, scale) {
    return pathOf(
      this.arcs.filter(({ a, b }) => b >= 0 && labels[a] !== labels[b]),
      scale >= EXACT_FROM,
    );
  }

  /** @param {number} scale */
  exactAt(scale) {
    return scale >= EXACT_FROM;
  }
}

/**
 * @param {Arc[]} arcs
 * @param {boolean} exact
 */
function pathOf(arcs, exact) {
  const path = new Path2D();
  for (const arc of arcs) {
    const points = exact ? arc.exact : arc.smooth;
    path.moveTo(points[0], points[1]);
    for (let i = 2; i < points.length; i += 2) path.lineTo(points[i], points[i + 1]);
  }
  return path;
}
