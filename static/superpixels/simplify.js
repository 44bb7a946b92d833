/**
 * Douglas and Peucker's line simplification (Cartographica 10(2), 1973): the
 * fewest of the points such that none is farther than the tolerance from the
 * line. The ends stay; of a closed ring, so does the point farthest from them.
 *
 * @param {Float32Array} points x and y in turn
 * @param {number} tolerance
 * @returns {Float32Array}
 */
export function simplify(points, tolerance) {
  const count = points.length / 2;
  if (count < 3) return points;
  const keep = new Uint8Array(count);
  keep[0] = keep[count - 1] = 1;
  const stack = [0, count - 1];
  while (stack.length) {
    const to = /** @type {number} */ (stack.pop());
    const from = /** @type {number} */ (stack.pop());
    const [x0, y0] = [points[from * 2], points[from * 2 + 1]];
    const dx = points[to * 2] - x0;
    const dy = points[to * 2 + 1] - y0;
    const span = Math.hypot(dx, dy);
    let farthest = -1;
    let distance = tolerance;
    for (let i = from + 1; i < to; i++) {
      const px = points[i * 2] - x0;
      const py = points[i * 2 + 1] - y0;
      const d = span > 0 ? Math.abs(px * dy - py * dx) / span : Math.hypot(px, py);
      if (d > distance) {
        distance = d;
        farthest = i;
      }
    }
    if (farthest < 0) continue;
    keep[farthest] = 1;
    stack.push(from, farthest, farthest, to);
  }
  const kept = [];
  for (let i = 0; i < count; i++) if (keep[i]) kept.push(points[i * 2], points[i * 2 + 1]);
  return Float32Array.from(kept);
}
