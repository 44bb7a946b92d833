import { holds } from '../superpixels/box.js';
import { partToKeep } from './detail.js';
import { enlarged } from '../superpixels/idmap.js';
import { Overlay } from './overlay.js';
import { cut, NO_REPAIRS } from '../evidence/repairs.js';

/** Most image pixels that are kept; they take about 48 MiB. */
const MOST = 2048 * 2048;

/** Milliseconds without movement before they are computed. */
const REST = 150;

/**
 * The labelling at the image's own pixels, for a view that is closer than the
 * map is fine and where pixels have been repaired: the map shows only some of
 * these. Until it exists, the map's labelling is shown.
 */
export class CloseUp {
  /** @param {import('./painter.js').Painter} painter */
  constructor(painter) {
    this.painter = painter;
    /** @type {Overlay | null} */
    this.overlay = null;
    /** @type {import('../superpixels/box.js').Box} what it shows, in pixels of the image */
    this.box = { left: 0, top: 0, right: 0, bottom: 0 };
    /** @type {import('../superpixels/idmap.js').IdMap | null} what it was made of */
    this.map = null;
    /** The repairs in it, and all of those that they were cut out of. */
    this.repairs = this.source = NO_REPAIRS;
    /** @type {import('./view.js').View | null} the view that it is to be made for */
    this.awaited = null;
    this.timer = 0;
  }

  /** Updates it from the painter's overlay. @returns {Overlay | null} null when it can't, or need not, be shown */
  update() {
    const { painter, overlay } = this;
    const { map, view, size, seen } = painter;
    const wanted = painter.overlay.source.length > 0 && painter.placing.sx > 1 && map.width < size.width;
    const there = wanted && overlay && this.map === map && holds(this.box, seen);
    if (!wanted || there) {
      clearTimeout(this.timer);
      this.awaited = null;
      this.overlay = there ? overlay : null;
      if (there) this.follow(overlay, painter.overlay);
      return this.overlay;
    }
    if (view !== this.awaited) {
      this.awaited = view;
      clearTimeout(this.timer);
      const part = partToKeep(seen, size, MOST);
      if (part) this.timer = window.setTimeout(() => this.make(part), REST);
    }
    return null;
  }

  /** @param {import('../superpixels/box.js').Box} part */
  make(part) {
    const { painter } = this;
    this.awaited = null;
    this.map = painter.map;
    this.box = part;
    this.source = this.repairs = NO_REPAIRS;
    this.overlay = new Overlay(enlarged(painter.map, part), { left: part.left, top: part.top, ...painter.size });
    painter.touch();
  }

  /** @param {Overlay} overlay @param {Overlay} whole that it shows a part of */
  follow(overlay, { labels, source, picked, colors, patterned }) {
    if (source !== this.source) this.repairs = cut(source, this.painter.size.width, this.box);
    this.source = source;
    overlay.show(labels, this.repairs, picked);
    if (overlay.colors !== colors || overlay.patterned !== patterned) overlay.recolor(colors, patterned);
  }
}
