/**
 * Areas of pixels. A pixel belongs to a shape when its centre does.
 *
 * @typedef {[number, number]} Point
 * @typedef {(y: number, from: number, to: number) => void} Visit a part of a row, without `to`
 */

/** A growing set of pixels of a picture, as disjoint parts of its rows. */
export class Area {
  /**
   * @param {number} width
   * @param {number} height
   */
  constructor(width, height) {
    this.width = width;
    this.height = height;
    /** @type {number[][]} per row from, to, from, to, … in ascending order; rows without pixels are absent */
    this.rows = [];
  }

  /**
   * Adds a part of a row; what lies outside the picture is left out.
   *
   * @param {number} y
   * @param {number} from
   * @param {number} to
   */
  add(y, from, to) {
    from = Math.max(0, from);
    to = Math.min(this.width, to);
    if (from >= to || y < 0 || y >= this.height) return;
    const row = (this.rows[y] ??= []);
    let i = 0;
    while (i < row.length && row[i + 1] < from) i += 2;
    let j = i;
    while (j < row.length && row[j] <= to) {
      from = Math.min(from, row[j]);
      to = Math.max(to, row[j + 1]);
      j += 2;
    }
    row.splice(i, j - i, from, to);
  }

  /** @returns {number[]} start and length in turn, row-major; a run may go on in the next row */
  runs() {
    /** @type {number[]} */
    const runs = [];
    let end = -1;
    this.rows.forEach((row, y) => {
      for (let i = 0; i < row.length; i += 2) {
        const start = y * this.width + row[i];
        const length = row[i + 1] - row[i];
        if (start === end) runs[runs.length - 1] += length;
        else runs.push(start, length);
        end = start + length;
      }
    });
    return runs;
  }

  /**
   * The superpixels that lie at least half in the area.
   *
   * @param {import('./idmap.js').IdMap} map of the area's size
   * @returns {number[]} in ascending order
   */
  covered({ n, width, first, start, length }) {
    const found = [];
    for (let s = 0; s < n; s++) {
      let size = 0;
      let inside = 0;
      for (let r = first[s]; r < first[s + 1]; r++) {
        size += length[r];
        const y = Math.floor(start[r] / width);
        const row = this.rows[y];
        if (row) inside += common(row, start[r] - y * width, start[r] - y * width + length[r]);
      }
      if (inside > 0 && inside * 2 >= size) found.push(s);
    }
    return found;
  }
}

/** @param {number[]} row @param {number} from @param {number} to @returns {number} pixels of the row's parts in it */
function common(row, from, to) {
  let sum = 0;
  for (let i = 0; i < row.length; i += 2) sum += Math.max(0, Math.min(to, row[i + 1]) - Math.max(from, row[i]));
  return sum;
}

/**
 * The pixels that a round brush covers on a straight line between two points; at
 * least those under the line.
 *
 * @param {Point} a
 * @param {Point} b
 * @param {number} radius
 * @param {Visit} visit
 */
export function sweep([ax, ay], [bx, by], radius, visit) {
  const length = Math.hypot(bx - ax, by - ay);
  if (radius < 1) {
    const steps = Math.max(1, Math.ceil(length * 2));
    for (let i = 0; i <= steps; i++) {
      const x = Math.floor(ax + ((bx - ax) * i) / steps);
      visit(Math.floor(ay + ((by - ay) * i) / steps), x, x + 1);
    }
  }
  const [nx, ny] = length > 0 ? [((ay - by) / length) * radius, ((bx - ax) / length) * radius] : [0, 0];
  const corners = /** @type {Point[]} */ ([[ax + nx, ay + ny], [bx + nx, by + ny], [bx - nx, by - ny], [ax - nx, ay - ny]]);
  for (let y = Math.ceil(Math.min(ay, by) - radius - 0.5); y + 0.5 <= Math.max(ay, by) + radius; y++) {
    const middle = y + 0.5;
    let left = Infinity;
    let right = -Infinity;
    for (const [x, cy] of [[ax, ay], [bx, by]]) {
      const reach = radius ** 2 - (middle - cy) ** 2;
      if (reach < 0) continue;
      left = Math.min(left, x - Math.sqrt(reach));
      right = Math.max(right, x + Math.sqrt(reach));
    }
    for (const x of crossings(corners, middle)) {
      left = Math.min(left, x);
      right = Math.max(right, x);
    }
    visit(y, Math.ceil(left - 0.5), Math.floor(right - 0.5) + 1);
  }
}

/**
 * The inside of a polygon; where it crosses itself, by the even-odd rule.
 *
 * @param {Point[]} points
 * @param {Visit} visit
 */
export function inside(points, visit) {
  const ys = points.map(([, y]) => y);
  for (let y = Math.ceil(Math.min(...ys) - 0.5); y + 0.5 < Math.max(...ys); y++) {
    const xs = crossings(points, y + 0.5).sort((p, q) => p - q);
    for (let i = 0; i + 1 < xs.length; i += 2) visit(y, Math.ceil(xs[i] - 0.5), Math.ceil(xs[i + 1] - 0.5));
  }
}

/** Where the sides of a polygon cross a row. @param {Point[]} points @param {number} y @returns {number[]} */
function crossings(points, y) {
  const xs = [];
  for (let i = 0; i < points.length; i++) {
    const [ax, ay] = points[i];
    const [bx, by] = points[(i + 1) % points.length];
    if (ay <= y !== by <= y) xs.push(ax + ((y - ay) / (by - ay)) * (bx - ax));
  }
  return xs;
}
