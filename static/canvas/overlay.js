import { contextOf } from '../ui/dom.js';
import { empty, intersection, meet, nothing, union } from '../superpixels/box.js';
import { pixels } from './colour.js';
import { hatched, striped } from './patterns.js';
import { VOID } from '../evidence/protocol.js';
import { differences, HATCHED, NO_REPAIRS, sampled } from '../evidence/repairs.js';

/** @typedef {{left: number, top: number, width: number, height: number}} Within where something begins in a picture of the image of that size */

/** Pixels per side of a tile; a canvas that has been drawn from is copied by browsers before it is written again. */
const TILE = 256;

/**
 * A colour per superpixel, and per pixel where pixels have been repaired, as a
 * picture of the id map's size, kept in tiles. Only what has changed is written
 * again.
 */
export class Overlay {
  /**
   * @param {import('../superpixels/idmap.js').IdMap} map
   * @param {Within} [within]
   */
  constructor(map, within = { left: 0, top: 0, width: map.width, height: map.height }) {
    this.map = map;
    this.within = within;
    this.image = new ImageData(map.width, map.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.colors = pixels([]);
    /** Whether classes differ by a pattern as well as by colour. */
    this.patterned = false;
    this.labels = new Uint8Array(map.n).fill(VOID);
    /** 1 for each superpixel that is hatched. */
    this.picked = new Uint8Array(map.n);
    /** The repairs shown, at the image's size. */
    this.source = NO_REPAIRS;
    /** The same in pixels of the map. */
    this.repairs = NO_REPAIRS;
    /** @type {Uint8Array | null} the class of each pixel, once there have been repairs */
    this.field = null;
    /** How many pixels of each superpixel are repaired. */
    this.repaired = new Uint32Array(map.n);
    /** @type {Set<number>} superpixels whose repairs have changed since retraced() was last called */
    this.touched = new Set();
    /** What has changed in the picture since drawn() was last called, in its pixels. */
    this.changed = nothing();
    /** @type {{box: import('../superpixels/box.js').Box, dirty: import('../superpixels/box.js').Box, context: CanvasRenderingContext2D | null}[]} */
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
   * @param {import('../evidence/repairs.js').Repairs} [repairs]
   * @param {Uint8Array | null} [picked] 1 for each superpixel to be hatched; as before when absent
   * @returns {boolean} whether anything has changed
   */
  show(labels, repairs = NO_REPAIRS, picked = null) {
    const box = nothing();
    for (let s = 0; s < labels.length; s++) {
      const hatch = picked ? picked[s] : this.picked[s];
      if (labels[s] === this.labels[s] && hatch === this.picked[s]) continue;
      this.labels[s] = labels[s];
      this.picked[s] = hatch;
      this.fill(s, this.colors[labels[s]], box);
    }
    if (!empty(box)) this.repaint(box);
    if (repairs !== this.source) this.repair(repairs, box);
    return this.spoil(box);
  }

  /**
   * @param {import('../evidence/repairs.js').Repairs} repairs that are to be shown
   * @param {import('../superpixels/box.js').Box} box grows by what is written
   */
  repair(repairs, box) {
    const { map } = this;
    const old = this.repairs;
    this.source = repairs;
    this.repairs = sampled(repairs, map);
    if (!this.field && this.repairs.length > 0) {
      this.field = new Uint8Array(map.ids.length);
      for (let i = 0; i < map.ids.length; i++) this.field[i] = this.labels[map.ids[i]];
    }
    differences(old, this.repairs, (start, end, label, before) => {
      for (let i = start; i < end; ) {
        const s = map.ids[i];
        const from = i;
        while (i < end && map.ids[i] === s) i++;
        this.touched.add(s);
        this.repaired[s] += (Number(label >= 0) - Number(before >= 0)) * (i - from);
        if (label < 0) this.write(from, i, this.labels[s] + (this.picked[s] ? HATCHED : 0), box);
      }
      if (label >= 0) this.write(start, end, label, box);
    });
  }

  /** Writes the repairs again that lie in rows of a box. @param {import('../superpixels/box.js').Box} box grows by them */
  repaint(box) {
    const { repairs, map: { width } } = this;
    const [top, bottom] = [box.top * width, box.bottom * width];
    for (let r = 0; r < repairs.length; r += 3) {
      if (repairs[r + 1] > top && repairs[r] < bottom) this.write(repairs[r], repairs[r + 1], repairs[r + 2], box);
    }
  }

  /**
   * Writes pixels, maybe of several rows.
   *
   * @param {number} start
   * @param {number} end
   * @param {number} look a class, hatched or not
   * @param {import('../superpixels/box.js').Box} box grows by them
   */
  write(start, end, look, box) {
    const { map: { width }, within, colors } = this;
    const label = look % HATCHED;
    const hatch = look >= HATCHED ? hatched(colors[label], within.width) : null;
    const stripes = this.patterned && label !== VOID ? striped(label, within.width) : null;
    this.pixels.fill(colors[label], start, end);
    this.field?.fill(label, start, end);
    const last = Math.floor((end - 1) / width);
    for (let y = Math.floor(start / width); y <= last; y++) {
      const from = Math.max(start, y * width);
      const to = Math.min(end, (y + 1) * width);
      stripes?.(this.pixels, colors[label], from, to - from, within.left + from - y * width, within.top + y);
      hatch?.(this.pixels, from, to - from, within.left + from - y * width, within.top + y);
      box.left = Math.min(box.left, from - y * width);
      box.right = Math.max(box.right, to - y * width);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y + 1);
    }
  }

  /** The superpixels whose repairs have changed since this was last asked. */
  retraced() {
    const { touched } = this;
    if (touched.size > 0) this.touched = new Set();
    return touched;
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
    const whole = { left: 0, top: 0, right: this.map.width, bottom: this.map.height };
    if (this.repairs.length > 0) this.repaint(whole);
    this.spoil(this.repairs.length > 0 ? whole : box);
  }

  /** @param {number} s @param {number} color @param {import('../superpixels/box.js').Box} box grows by what is written */
  fill(s, color, box) {
    const { map: { first, start, length, width }, within } = this;
    const stripes = this.patterned && this.labels[s] !== VOID ? striped(this.labels[s], within.width) : null;
    const hatch = this.picked[s] ? hatched(color, within.width) : null;
    for (let r = first[s]; r < first[s + 1]; r++) {
      const from = start[r];
      const x = from % width;
      const y = (from - x) / width;
      this.pixels.fill(color, from, from + length[r]);
      this.field?.fill(this.labels[s], from, from + length[r]);
      stripes?.(this.pixels, color, from, length[r], within.left + x, within.top + y);
      hatch?.(this.pixels, from, length[r], within.left + x, within.top + y);
      if (x < box.left) box.left = x;
      if (y < box.top) box.top = y;
      if (x + length[r] > box.right) box.right = x + length[r];
      if (y + 1 > box.bottom) box.bottom = y + 1;
    }
  }

  /** @param {import('../superpixels/box.js').Box} box @returns {boolean} whether it holds anything */
  spoil(box) {
    if (empty(box)) return false;
    this.changed = union(this.changed, box);
    for (const tile of this.tiles) if (meet(tile.box, box)) tile.dirty = union(tile.dirty, intersection(tile.box, box));
    return true;
  }

  /** Drops the tiles, which are written again when they are drawn. */
  forget() {
    for (const tile of this.tiles) Object.assign(tile, { context: null, dirty: tile.box });
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
   * @param {import('../superpixels/box.js').Placing} placing of the map in them
   * @param {import('../superpixels/box.js').Box} part in pixels of the map
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
      tile.context = contextOf(canvas);
    }
    if (!empty(dirty)) {
      const { left, top, right, bottom } = dirty;
      tile.context.putImageData(this.image, -box.left, -box.top, left, top, right - left, bottom - top);
      tile.dirty = nothing();
    }
    return tile.context.canvas;
  }
}
