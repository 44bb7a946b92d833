import { byId } from './dom.js';
import { gestures } from './gestures.js';
import { towards } from './graph.js';
import { at, passed, shown } from './idmap.js';
import { bounded, fit, held, toImage, toWindow, zoomTo } from './view.js';

/**
 * @typedef {object} StageListener
 * @property {(mode: 'paint' | 'clear', superpixels: number[]) => void} draft a stroke is going on
 * @property {(mode: 'paint' | 'clear', superpixels: number[], points: [number, number][]) => void} stroke it has ended
 * @property {() => void} cancelled it has been given up
 * @property {(superpixel: number) => void} pick
 * @property {(superpixel: number) => void} hover or -1
 */

/** @type {Record<string, [number, number]>} */
const DIRECTIONS = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };

/** CSS pixels across that a superpixel has at least when the view goes to it. */
const SEEN = 20;

/** The window onto the image: what lies where, and what hands do to it. */
export class Stage {
  /**
   * @param {import('./painter.js').Painter} painter
   * @param {import('./graph.js').Graph} graph
   * @param {StageListener} listener
   */
  constructor(painter, graph, listener) {
    this.painter = painter;
    this.graph = graph;
    this.listener = listener;
    this.element = byId('canvas');
    this.size = { width: 1, height: 1 };
    /** Whether the view still is the whole image and follows the window. */
    this.fitted = true;
    this.space = false;
    this.hovered = -1;
    /** @type {{mode: 'paint' | 'clear', last: [number, number], found: Map<number, [number, number]>} | null} */
    this.draft = null;
    this.hands = gestures(this.element, this.handlers());
    new ResizeObserver(() => this.measure()).observe(this.element);
    this.measure();
    byId('zoom-in').addEventListener('click', () => this.zoomBy(1.4));
    byId('zoom-out').addEventListener('click', () => this.zoomBy(1 / 1.4));
    byId('zoom-value').addEventListener('click', () => this.fullSize());
    byId('fit').addEventListener('click', () => this.fit());
  }

  get map() {
    return this.painter.map;
  }

  /** The superpixels are others now. @param {import('./graph.js').Graph} graph */
  renew(graph) {
    this.cancel();
    this.graph = graph;
    this.hovered = -1;
  }

  get image() {
    return { width: this.map.fullWidth, height: this.map.fullHeight };
  }

  measure() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    const [dx, dy] = [(width - this.size.width) / 2, (height - this.size.height) / 2];
    this.size = { width, height };
    this.painter.resize(width, height, devicePixelRatio || 1);
    const { scale, left, top } = this.painter.view;
    if (this.fitted) this.fit();
    else this.look({ scale, left: left + dx, top: top + dy });
    this.painter.paint(); // before the browser shows the canvases, which their new size has emptied
  }

  /** @param {import('./view.js').View} view */
  look(view) {
    this.painter.look(held(view, this.image, this.size));
    const share = this.painter.view.scale * (devicePixelRatio || 1);
    const text = `${share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;
    byId('zoom-value').textContent = text;
    byId('zoom-value').setAttribute('aria-label', `${text}, zoom to 100 %`);
  }

  fit() {
    this.fitted = true;
    this.look(fit(this.image, this.size, this.size.width < 600 ? 10 : 28));
  }

  /** One pixel of the image per pixel of the screen. */
  fullSize() {
    this.zoomBy(1 / (devicePixelRatio || 1) / this.painter.view.scale);
  }

  /**
   * @param {number} factor
   * @param {number} [x] CSS pixels; the middle when absent
   * @param {number} [y]
   */
  zoomBy(factor, x = this.size.width / 2, y = this.size.height / 2) {
    this.fitted = false;
    const { view } = this.painter;
    this.look(zoomTo(view, bounded(view.scale * factor, this.image, this.size), x, y));
  }

  /** @returns {import('./gestures.js').GestureHandlers} */
  handlers() {
    return {
      begin: (mode, x, y) => {
        const point = toImage(this.painter.view, x, y);
        this.draft = { mode, last: point, found: new Map() };
        this.collect(point);
      },
      extend: (x, y) => this.collect(toImage(this.painter.view, x, y)),
      end: () => {
        const { draft } = this;
        this.draft = null;
        if (draft && draft.found.size > 0) this.listener.stroke(draft.mode, [...draft.found.keys()], [...draft.found.values()]);
      },
      cancel: () => {
        this.draft = null;
        this.listener.cancelled();
      },
      pick: (x, y) => this.listener.pick(this.under(x, y)),
      hover: (x, y, touch) => this.point(touch ? -1 : this.under(x, y)),
      leave: () => this.point(-1),
      pan: (dx, dy) => {
        this.fitted = false;
        const { scale, left, top } = this.painter.view;
        this.look({ scale, left: left + dx, top: top + dy });
      },
      zoom: (factor, x, y) => {
        this.zoomBy(factor, x, y);
        this.point(this.under(x, y));
      },
      panning: () => this.space,
    };
  }

  /** Adds the superpixels between the last point of the stroke and this one. @param {[number, number]} point */
  collect(point) {
    const { draft } = this;
    if (!draft) return;
    const before = draft.found.size;
    for (const { superpixel, point: where } of passed(this.map, draft.last, point)) {
      if (!draft.found.has(superpixel)) draft.found.set(superpixel, where);
    }
    draft.last = point;
    if (draft.found.size > before) this.listener.draft(draft.mode, [...draft.found.keys()]);
  }

  /** @returns {boolean} whether a stroke was given up */
  cancel() {
    return this.hands.cancel();
  }

  /** @param {number} x CSS pixels @param {number} y */
  under(x, y) {
    return at(this.map, ...toImage(this.painter.view, x, y));
  }

  /** @param {number} superpixel under the pointer, or -1 */
  point(superpixel) {
    if (superpixel === this.hovered) return;
    this.hovered = superpixel;
    if (superpixel >= 0) this.painter.marks.cursor = -1;
    this.painter.marks.hover = superpixel < 0 ? [] : [superpixel];
    this.painter.touchMarks();
    this.listener.hover(superpixel);
  }

  /** The superpixel that keys work on: the keyboard's, else the pointer's; or -1. */
  get focus() {
    const { cursor } = this.painter.marks;
    return cursor >= 0 ? cursor : this.hovered;
  }

  /** @param {number} superpixel @returns {[number, number]} a point in it that the server finds there too */
  pointIn(superpixel) {
    const { anchors } = this.painter;
    return shown(this.map, anchors[superpixel * 2], anchors[superpixel * 2 + 1]);
  }

  /** @param {[number, number]} point pixels of the image @returns {[number, number]} CSS pixels within the canvas */
  inWindow([x, y]) {
    return toWindow(this.painter.view, x, y);
  }

  /** Shows a superpixel, large enough to be seen, and gives it the focus of the keyboard. @param {number} superpixel */
  goTo(superpixel) {
    const { painter, map, size } = this;
    const { scale } = painter.view;
    const across = Math.sqrt(map.area[superpixel]);
    const [x, y] = painter.anchorOf(superpixel);
    const [left, top] = this.inWindow([x, y]);
    const edge = 60;
    const within = left >= edge && top >= edge && left <= size.width - edge && top <= size.height - edge;
    if (!within || across * scale < SEEN) {
      const wanted = across * scale < SEEN ? bounded((2 * SEEN) / across, this.image, size) : scale;
      this.fitted = false;
      this.look({ scale: wanted, left: size.width / 2 - x * wanted, top: size.height / 2 - y * wanted });
    }
    this.focusOn(superpixel);
  }

  /** @param {number} superpixel that keys work on from now on */
  focusOn(superpixel) {
    const { marks } = this.painter;
    marks.cursor = superpixel;
    marks.hover = [];
    this.hovered = -1;
    this.painter.touchMarks();
    this.element.focus({ preventScroll: true });
    this.listener.hover(superpixel);
  }

  /** Moves the keyboard's superpixel. @param {string} direction */
  move(direction) {
    const { painter, size } = this;
    const start = this.focus >= 0 ? this.focus : this.under(size.width / 2, size.height / 2);
    const next = this.focus < 0 ? Math.max(0, start) : towards(this.graph, painter.anchors, start, DIRECTIONS[direction]);
    const [x, y] = toWindow(painter.view, painter.anchors[next * 2], painter.anchors[next * 2 + 1]);
    const dx = x < 40 ? 40 - x : x > size.width - 40 ? size.width - 40 - x : 0;
    const dy = y < 40 ? 40 - y : y > size.height - 40 ? size.height - 40 - y : 0;
    if (dx || dy) this.look({ scale: painter.view.scale, left: painter.view.left + dx, top: painter.view.top + dy });
    this.focusOn(next);
  }
}
