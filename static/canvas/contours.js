import { edgesOf } from '../superpixels/edges.js';
import { VOID } from '../evidence/protocol.js';

/**
 * The lines between different classes, kept per tile of the image and, where
 * pixels have been repaired, per superpixel: only what has changed is made
 * again.
 */
export class Contours {
  /** @param {import('./lines.js').Lines} lines */
  constructor(lines) {
    this.lines = lines;
    /** @type {import('./overlay.js').Overlay | null} */
    this.overlay = null;
    this.labels = new Uint8Array(0);
    /** @type {import('./lines.js').Detail | -1} */
    this.detail = -1;
    /** @type {(import('./lines.js').Drawing | null)[]} */
    this.drawings = lines.tiles.map(() => null);
    /** @type {Map<number, import('./lines.js').Drawing>} by superpixel */
    this.edges = new Map();
  }

  /**
   * @param {import('./overlay.js').Overlay} overlay
   * @param {import('./lines.js').Detail} detail
   * @param {{width: number, height: number}} size of the map that the lines are of
   * @returns {import('./lines.js').Drawing[]} one per tile, then one per superpixel with repairs; in pixels of that map
   */
  update(overlay, detail, size) {
    const { labels, repaired, map, field } = overlay;
    if (detail !== this.detail || overlay !== this.overlay) {
      this.detail = detail;
      this.overlay = overlay;
      this.labels = new Uint8Array(labels.length).fill(VOID);
      this.drawings.fill(null);
      this.edges.clear();
    }
    for (let s = 0; s < labels.length; s++) {
      if (labels[s] === this.labels[s]) continue;
      this.labels[s] = labels[s];
      this.outdate(s);
    }
    for (const s of overlay.retraced()) this.outdate(s);
    const mixed = (/** @type {number} */ s) => repaired[s] > 0;
    const tiles = this.drawings.map((known, tile) => (this.drawings[tile] = known ?? this.lines.between(tile, labels, detail, mixed)));
    if (field) {
      repaired.forEach((pixels, s) => {
        if (pixels === 0) this.edges.delete(s);
        else if (!this.edges.has(s)) this.edges.set(s, drawingOf(edgesOf(map, field, s, mixed), overlay.within, size));
      });
    }
    return this.edges.size > 0 ? [...tiles, ...this.edges.values()] : tiles;
  }

  /** The class of a superpixel, or of pixels in it, has changed. @param {number} s */
  outdate(s) {
    for (const tile of this.lines.tilesOf.get(s) ?? []) this.drawings[tile] = null;
    this.edges.delete(s);
    if (this.edges.size === 0) return;
    for (const { a, b } of this.lines.around.get(s) ?? []) {
      this.edges.delete(a);
      this.edges.delete(b);
    }
  }
}

/**
 * @param {ReturnType<typeof edgesOf>} edges
 * @param {import('./overlay.js').Within} within their pixels
 * @param {{width: number, height: number}} size of the picture that is drawn
 * @returns {import('./lines.js').Drawing}
 */
function drawingOf({ segments, box }, { left, top, width, height }, size) {
  const x = (/** @type {number} */ at) => ((at + left) * size.width) / width;
  const y = (/** @type {number} */ at) => ((at + top) * size.height) / height;
  const path = new Path2D();
  for (let i = 0; i < segments.length; i += 4) {
    path.moveTo(x(segments[i]), y(segments[i + 1]));
    path.lineTo(x(segments[i + 2]), y(segments[i + 3]));
  }
  return { path, points: segments.length / 2, box: { left: x(box.left), top: y(box.top), right: x(box.right), bottom: y(box.bottom) } };
}
