/**
 * Which superpixels touch: the neighbours of i are to[first[i]] .. to[first[i+1]].
 *
 * @typedef {{first: Uint32Array, to: Uint32Array}} Graph
 */

/**
 * @param {readonly {a: number, b: number}[]} arcs b is -1 at the frame
 * @param {number} n superpixels
 * @returns {Graph}
 */
export function adjacency(arcs, n) {
  /** @type {Set<number>[]} */
  const sets = Array.from({ length: n }, () => new Set());
  for (const { a, b } of arcs) {
    if (b < 0) continue;
    sets[a].add(b);
    sets[b].add(a);
  }
  const first = new Uint32Array(n + 1);
  sets.forEach((set, i) => (first[i + 1] = first[i] + set.size));
  const to = new Uint32Array(first[n]);
  sets.forEach((set, i) => to.set([...set].sort((p, q) => p - q), first[i]));
  return { first, to };
}

/**
 * The superpixels connected to one through superpixels that all belong.
 *
 * @param {Graph} graph
 * @param {number} from
 * @param {(superpixel: number) => boolean} belongs
 * @returns {number[]} in ascending order; empty when from itself does not belong
 */
export function region(graph, from, belongs) {
  if (from < 0 || !belongs(from)) return [];
  const seen = new Set([from]);
  const stack = [from];
  while (stack.length) {
    const s = /** @type {number} */ (stack.pop());
    for (let i = graph.first[s]; i < graph.first[s + 1]; i++) {
      const neighbour = graph.to[i];
      if (seen.has(neighbour) || !belongs(neighbour)) continue;
      seen.add(neighbour);
      stack.push(neighbour);
    }
  }
  return [...seen].sort((p, q) => p - q);
}

/**
 * The neighbour of a superpixel that lies best in a direction, or the
 * superpixel itself when no neighbour lies within 72° of it.
 *
 * @param {Graph} graph
 * @param {Float32Array} anchors x and y of a point inside every superpixel
 * @param {number} from
 * @param {[number, number]} direction of length 1
 */
export function towards(graph, anchors, from, [dx, dy]) {
  let best = from;
  let least = Infinity;
  for (let i = graph.first[from]; i < graph.first[from + 1]; i++) {
    const s = graph.to[i];
    const x = anchors[s * 2] - anchors[from * 2];
    const y = anchors[s * 2 + 1] - anchors[from * 2 + 1];
    const length = Math.hypot(x, y);
    const cosine = (x * dx + y * dy) / length;
    if (!(cosine > 0.3)) continue;
    const cost = length / cosine ** 2;
    if (cost < least) {
      least = cost;
      best = s;
    }
  }
  return best;
}
