import { simplify } from './simplify.js';

/**
 * The lines between superpixels: every arc runs from one junction to the next
 * and has one superpixel on either side, so it is drawn once for both.
 *
 * @typedef {object} Arc
 * @property {number} a superpixel on one side
 * @property {number} b superpixel on the other, or -1 at the frame
 * @property {Float32Array} exact x and y in turn, pixels of the map, along the pixels' edges
 * @property {Float32Array} smooth the same without the staircase
 * @property {[number, number, number, number]} box least x, least y, greatest x, greatest y
 */

// Directions along the edges of pixels: right, down, left, up.
const DX = [1, 0, -1, 0];
const DY = [0, 1, 0, -1];

/**
 * Traces the borders of an id map. O(pixels).
 *
 * @param {{width: number, height: number, ids: ArrayLike<number>}} map
 * @returns {Arc[]}
 */
export function trace({ width, height, ids }) {
  /** @param {number} x @param {number} y */
  const id = (x, y) => (x < 0 || y < 0 || x >= width || y >= height ? -1 : ids[y * width + x]);
  // Per corner (x, y): bit d is set when an edge between two superpixels leaves
  // it in direction d. Tracing takes these bits away; JUNCTION stays.
  const stride = width + 1;
  const edges = new Uint8Array(stride * (height + 1));
  for (let y = 0; y <= height; y++) {
    for (let x = 0, left = -1; x <= width; x++) {
      const here = x < width && y < height ? ids[y * width + x] : -1;
      const corner = y * stride + x;
      if (x < width && here !== (y > 0 ? ids[(y - 1) * width + x] : -1)) {
        edges[corner] |= 1;
        edges[corner + 1] |= 4;
      }
      if (y < height && here !== left) {
        edges[corner] |= 2;
        edges[corner + stride] |= 8;
      }
      left = here;
    }
  }
  for (let corner = 0; corner < edges.length; corner++) {
    if (COUNT[edges[corner]] > 2) edges[corner] |= JUNCTION;
  }
  /** @type {Arc[]} */
  const arcs = [];
  /** @param {number} corner @param {number} direction */
  const follow = (corner, direction) => {
    let x = corner % stride;
    let y = (corner - x) / stride;
    const [a, b] = sides(id, x, y, direction);
    const points = [x, y];
    for (;;) {
      edges[y * stride + x] &= ~(1 << direction);
      x += DX[direction];
      y += DY[direction];
      const here = y * stride + x;
      edges[here] &= ~(1 << ((direction + 2) & 3));
      const onward = edges[here] & JUNCTION ? -1 : ONLY[edges[here]];
      if (onward !== direction) points.push(x, y);
      if (onward < 0) break;
      direction = onward;
    }
    arcs.push(arc(a, b, points));
  };
  for (let corner = 0; corner < edges.length; corner++) {
    while (edges[corner] > JUNCTION) follow(corner, lowest(edges[corner]));
  }
  for (let corner = 0; corner < edges.length; corner++) { // what is left are closed rings
    if (edges[corner] & ~JUNCTION) follow(corner, lowest(edges[corner]));
  }
  return arcs;
}

/** Marks a corner where three or four edges meet. */
const JUNCTION = 16;

/** @param {number} bits @returns {number} the first direction among them */
const lowest = (bits) => ONLY[bits & -bits];

const COUNT = Uint8Array.from({ length: 16 }, (_, bits) => (bits & 1) + ((bits >> 1) & 1) + ((bits >> 2) & 1) + (bits >> 3));
const ONLY = Int8Array.from({ length: 16 }, (_, bits) => [1, 2, 4, 8].indexOf(bits));

/**
 * The superpixels on both sides of the edge that leaves a corner.
 *
 * @param {(x: number, y: number) => number} id
 * @param {number} x
 * @param {number} y
 * @param {number} direction
 */
function sides(id, x, y, direction) {
  const cx = direction === 2 ? x - 1 : x;
  const cy = direction === 3 ? y - 1 : y;
  const here = id(cx, cy);
  const across = direction % 2 === 0 ? id(cx, cy - 1) : id(cx - 1, cy);
  return here < 0 ? [across, here] : [here, across];
}

/**
 * @param {number} a
 * @param {number} b
 * @param {number[]} points
 * @returns {Arc}
 */
function arc(a, b, points) {
  const exact = Float32Array.from(points);
  /** @type {[number, number, number, number]} */
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < exact.length; i += 2) {
    box[0] = Math.min(box[0], exact[i]);
    box[1] = Math.min(box[1], exact[i + 1]);
    box[2] = Math.max(box[2], exact[i]);
    box[3] = Math.max(box[3], exact[i + 1]);
  }
  return { a, b, exact, smooth: b < 0 ? exact : simplify(exact, 0.75), box };
}
