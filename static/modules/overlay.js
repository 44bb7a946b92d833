import { empty, intersection, meet, nothing, union } from './box.js';
import { pixels } from './colour.js';
import { striped } from './patterns.js';
import { VOID } from './protocol.js';

/** Pixels per side of a tile; a canvas that has been drawn from is copied by browsers before it is written again. */
const TILE = 256;

/**
 * A colour per superpixel as a picture of the id map's size, kept in tiles.
 * Only superpixels whose value has changed are written again.
 */
export class Overlay {
  /** @param {import('./idmap.js').IdMap} map */
  constructor(map) {
    this.map = map;
    this.image = new ImageData(map.width, map.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.colors = pixels([]);
    /** Whether classes differ by a pattern beside their colour. */
    this.patterned = false;
    this.labels = new Uint8Array(map.n).fill(VOID);
    /** What of the picture has changed since drawn() was last called, in its pixels. */
    this.changed = nothing();
    /** @type {{box: import('./box.js').Box, dirty: import('./box.js').Box, context: CanvasRenderingContext2D | null}[]} */
    this.tiles = [];
    for (let top = 0; top < map.height; top += TILE) {
      for (let left = 0; left < map.width; left += TILE) {
        const box = { left, top, right: Math.min(map.width, left + TILE), bottom: Math.min(map.height, top + TILE) };
        this.tiles.push({ box, dirty: nothing(), context: null });
      }
    }
  }

  /**
   * @param {Uint8Array} labels
   * @returns {boolean} whether anything has changed
   */
  show(labels) {
    const box = nothing();
    for (let s = 0; s < labels.length; s++) {
      if (labels[s] === this.labels[s]) continue;
      this.labels[s] = labels[s];
      this.fill(s, this.colors[labels[s]], box);
    }
    return this.spoil(box);
  }

  /**
   * @param {Uint32Array} colors of 256, see colour.js
   * @param {boolean} patterned
   */
  recolor(colors, patterned) {
    const box = nothing();
    for (let s = 0; s < this.map.n; s++) {
      const label = this.labels[s];
      if (colors[label] === this.colors[label] && patterned === this.patterned) continue;
      const old = this.patterned;
      this.patterned = patterned;
      this.fill(s, colors[label], box);
      this.patterned = old;
    }
    this.colors = colors;
    this.patterned = patterned;
    this.spoil(box);
  }

  /** @param {number} s @param {number} color @param {import('./box.js').Box} box grows by what is written */
  fill(s, color, box) {
    const { first, start, length, width } = this.map;
    const stripes = this.patterned && this.labels[s] !== VOID ? striped(this.labels[s], width) : null;
    for (let r = first[s]; r < first[s + 1]; r++) {
      const from = start[r];
      const x = from % width;
      const y = (from - x) / width;
      this.pixels.fill(color, from, from + length[r]);
      stripes?.(this.pixels, color, from, length[r], x, y);
      if (x < box.left) box.left = x;
      if (y < box.top) box.top = y;
      if (x + length[r] > box.right) box.right = x + length[r];
      if (y + 1 > box.bottom) box.bottom = y + 1;
    }
  }

  /** @param {import('./box.js').Box} box @returns {boolean} whether it holds anything */
  spoil(box) {
    if (empty(box)) return false;
    this.changed = union(this.changed, box);
    for (const tile of this.tiles) if (meet(tile.box, box)) tile.dirty = union(tile.dirty, intersection(tile.box, box));
    return true;
  }

  /** What has changed since this was last asked, in pixels of the map. */
  drawn() {
    const { changed } = this;
    this.changed = nothing();
    return changed;
  }

  /**
   * Draws the tiles that reach into a part of the picture. Their edges go to
   * whole pixels, so that no seams show.
   *
   * @param {CanvasRenderingContext2D} context counting device pixels
   * @param {import('./box.js').Placing} placing of the map in them
   * @param {import('./box.js').Box} part in pixels of the map
   */
  draw(context, { sx, sy, left, top }, part) {
    for (const tile of this.tiles) {
      if (!meet(tile.box, part)) continue;
      const x = Math.round(tile.box.left * sx + left);
      const y = Math.round(tile.box.top * sy + top);
      const width = Math.round(tile.box.right * sx + left) - x;
      const height = Math.round(tile.box.bottom * sy + top) - y;
      if (width > 0 && height > 0) context.drawImage(this.flushed(tile), x, y, width, height);
    }
  }

  /** @param {typeof this.tiles[number]} tile @returns {HTMLCanvasElement} up to date */
  flushed(tile) {
    const { box, dirty } = tile;
    if (!tile.context) {
      const canvas = document.createElement('canvas');
      canvas.width = box.right - box.left;
      canvas.height = box.bottom - box.top;
      tile.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    }
    if (!empty(dirty)) {
      const { left, top, right, bottom } = dirty;
      tile.context.putImageData(this.image, -box.left, -box.top, left, top, right - left, bottom - top);
      tile.dirty = nothing();
    }
    return tile.context.canvas;
  }
}
