import { byId } from '../ui/dom.js';
import { Drawing } from './drawing.js';
import { Gestures } from './gestures.js';
import { towards } from '../superpixels/graph.js';
import { at, shown } from '../superpixels/idmap.js';
import { PointCursor } from './point.js';
import { DIRECTIONS, followed, panned } from './steer.js';
import { Tools } from './tools.js';
import { bounded, clear, filled, held, toImage, toWindow, zoomTo } from '../canvas/view.js';

/**
 * @typedef {object} StageListener
 * @property {(drawn: import('./strokes.js').Drawn) => void} draft a stroke is going on
 * @property {(drawn: import('./strokes.js').Drawn) => void} stroke it has ended
 * @property {() => void} cancelled it has been given up
 * @property {() => void} interrupted a polygon waits for its tool to be taken again
 * @property {(superpixel: number, point: [number, number]) => void} pick
 * @property {() => void} begins the person has chosen what to draw with
 * @property {() => boolean} taps whether a press on the image means something else than drawing
 * @property {(superpixel: number) => boolean} tapped takes such a press, unless it means drawing after all
 * @property {(superpixel: number) => void} hover or -1
 * @property {(text: string) => void} say something to screen readers
 * @property {(point: [number, number]) => string} nameAt what a point of the image is labelled
 * @property {() => void} look the view has changed
 */

/** Least CSS pixels across of a superpixel that the view goes to, so that it can be seen and hit with a finger. */
const SEEN = matchMedia('(pointer: coarse)').matches ? 24 : 8;

/** CSS pixels across that it gets otherwise. */
const LARGE = 32;

/** Superpixels that Shift with an arrow key moves. */
const FAR = 5;

/** The window onto the image: its view, and the gestures and keys that act on it. */
export class Stage {
  /**
   * @param {import('../canvas/painter.js').Painter} painter
   * @param {import('../superpixels/graph.js').Graph} graph
   * @param {StageListener} listener
   */
  constructor(painter, graph, listener) {
    this.painter = painter;
    this.graph = graph;
    this.listener = listener;
    this.element = byId('canvas');
    this.size = { width: 1, height: 1 };
    /** Whether the view is still fitted to the window and follows its size. */
    this.fitted = true;
    this.space = false;
    this.hovered = -1;
    /** @type {{mode: 'paint' | 'clear', exact: boolean, point: [number, number]} | null} a press that counts where it is released, if it doesn't become a pinch */
    this.tap = null;
    this.tools = new Tools(Math.max(this.image.width, this.image.height), () => {
      this.listener.begins();
      this.drawing.refresh();
      this.point.refresh();
    });
    this.drawing = new Drawing(this, this.tools);
    this.point = new PointCursor(this);
    this.hands = new Gestures(this.element, this.handlers());
    new ResizeObserver(() => this.measure()).observe(this.element);
    this.followRatio();
    matchMedia('(orientation: portrait)').addEventListener('change', () => this.hands.cancel()); // the finger is over another place of the image now
    this.measure();
    byId('zoom-in').addEventListener('click', () => this.zoomBy(1.4));
    byId('zoom-out').addEventListener('click', () => this.zoomBy(1 / 1.4));
    byId('zoom-value').addEventListener('click', () => this.fullSize());
    byId('fit').addEventListener('click', () => this.fit());
    this.offer('close', () => this.drawing.close());
    this.offer('back', () => this.back());
    this.offer('cancel', () => {
      this.cancel();
      this.listener.say('Cancelled');
    });
  }

  /** Connects a button of the polygon. @param {string} what @param {() => void} run */
  offer(what, run) {
    byId(`polygon-${what}`).addEventListener('click', () => {
      run();
      if (!this.drawing.polygon) this.element.focus({ preventScroll: true }); // which the button had, and it is gone
    });
  }

  get map() {
    return this.painter.map;
  }

  /** Switches to other superpixels. @param {import('../superpixels/graph.js').Graph} graph */
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

  /** Measures again when the window goes to a screen with other pixels, where its size in CSS pixels may stay the same. */
  followRatio() {
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', () => {
      this.measure();
      this.followRatio();
    }, { once: true });
  }

  /** @param {import('../canvas/view.js').View} view */
  look(view) {
    this.painter.look(held(view, this.image, this.size));
    const share = this.painter.view.scale * (devicePixelRatio || 1);
    const text = `${share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;
    byId('zoom-value').textContent = share < 9.995 ? text : `${Math.round(share)}×`; // the rail has no room for more
    byId('zoom-value').setAttribute('aria-label', `${text}, zoom to 100 %`);
    this.listener.look();
  }

  fit() {
    this.fitted = true;
    this.look(clear(this.image, this.size));
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

  /** Moves the image in the window. @param {number} dx CSS pixels @param {number} dy */
  shift(dx, dy) {
    this.fitted = false;
    const { scale, left, top } = this.painter.view;
    this.look({ scale, left: left + dx, top: top + dy });
  }

  /** Shows more of the image in a direction. @param {string} direction */
  pan(direction) {
    this.shift(...panned(DIRECTIONS[direction], this.size));
    const [x, y] = this.middle();
    this.listener.say(`Window centre: column ${Math.round(x)}, row ${Math.round(y)}`);
  }

  /** @returns {[number, number]} the point of the image in the middle of the window, or beyond its rim */
  middle() {
    return toImage(this.painter.view, this.size.width / 2, this.size.height / 2);
  }

  /** Whether a point of the image is in the window. @param {[number, number]} point */
  shows(point) {
    const [x, y] = this.inWindow(point);
    return x >= 0 && y >= 0 && x <= this.size.width && y <= this.size.height;
  }

  /** Moves the image just far enough to show a point of it well. @param {[number, number]} point */
  follow(point) {
    if (this.fitted) return; // all is in the window
    const [dx, dy] = followed(this.inWindow(point), this.size);
    if (dx !== 0 || dy !== 0) this.shift(dx, dy);
  }

  /** @returns {import('./gestures.js').GestureHandlers} */
  handlers() {
    return {
      begin: (mode, x, y, exact) => {
        this.point.leave();
        const point = toImage(this.painter.view, x, y);
        if (this.tools.kind === 'polygon' || this.listener.taps()) this.tap = { mode, exact, point };
        else this.drawing.begin(mode, point, exact);
      },
      extend: (x, y) => {
        const point = toImage(this.painter.view, x, y);
        if (!this.tap) this.drawing.extend(point);
        else if (this.drags && this.drawing.loosen(this.tap, point)) this.tap = null;
        else this.tap.point = point;
      },
      end: () => {
        const { tap } = this;
        this.tap = null;
        if (tap && !this.listener.tapped(at(this.map, ...tap.point))) this.drawing.begin(tap.mode, tap.point, tap.exact);
        this.drawing.end();
      },
      cancel: () => {
        if (this.tap) this.tap = null;
        else this.drawing.cancel();
      },
      pick: (x, y) => {
        if (this.drawing.polygon) return; // which would close in another class; elsewhere this button ends polygons
        this.listener.pick(this.under(x, y), toImage(this.painter.view, x, y));
      },
      hover: (x, y, touch) => {
        if (this.point.yields(x, y)) this.hover(touch ? null : toImage(this.painter.view, x, y));
      },
      leave: () => {
        if (!this.point.at) this.hover(null);
      },
      pan: (dx, dy) => this.shift(dx, dy),
      zoom: (factor, x, y) => {
        this.zoomBy(factor, x, y);
        this.point.leave();
        this.hover(toImage(this.painter.view, x, y));
      },
      panning: () => this.space,
      precise: () => this.tools.pixelwise,
    };
  }

  /** Whether a drag draws the outline of a polygon. A finger slides to aim at a corner, and a press can mean something else. */
  get drags() {
    return this.tools.kind === 'polygon' && this.hands.hand !== 'touch' && !this.listener.taps();
  }

  /** @returns {boolean} whether a stroke or a polygon was cancelled */
  cancel() {
    const cancelled = this.hands.cancel();
    return this.drawing.cancel() || cancelled;
  }

  /** Removes the last corner of the polygon in progress. @returns {boolean} whether there was one */
  back() {
    if (!this.drawing.back()) return false;
    this.listener.say(this.drawing.polygon ? 'Last corner removed' : 'Cancelled');
    return true;
  }

  /** @param {number} x CSS pixels @param {number} y */
  under(x, y) {
    return at(this.map, ...toImage(this.painter.view, x, y));
  }

  /** @param {[number, number] | null} point of the image under the pointer */
  hover(point) {
    this.drawing.hover(point);
    const superpixel = point ? at(this.map, ...point) : -1;
    const { marks } = this.painter;
    if (superpixel === this.hovered && !this.tools.swept) return;
    if (superpixel >= 0) marks.cursor = -1;
    marks.hover = point ? this.drawing.under(point) : [];
    this.painter.touchMarks();
    if (superpixel === this.hovered) return;
    this.hovered = superpixel;
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

  /** Shows a point of the image in the middle of the window, or as near to it as the image reaches. @param {number} x @param {number} y @param {number} [scale] */
  centre(x, y, scale = this.painter.view.scale) {
    this.fitted = false;
    const view = { scale, left: this.size.width / 2 - x * scale, top: this.size.height / 2 - y * scale };
    this.look(filled(view, this.image, this.size));
  }

  /** Shows a superpixel, large enough to be seen, and gives it the focus of the keyboard. @param {number} superpixel */
  goTo(superpixel) {
    const { painter, map, size } = this;
    const { scale } = painter.view;
    const across = Math.sqrt(map.area[superpixel]);
    const [x, y] = painter.anchorOf(superpixel);
    const [left, top] = this.inWindow([x, y]);
    const edge = 60;
    const within = this.fitted || (left >= edge && top >= edge && left <= size.width - edge && top <= size.height - edge);
    if (across * scale < SEEN) this.centre(x, y, bounded(LARGE / across, this.image, size));
    else if (!within) this.centre(x, y);
    this.focusOn(superpixel);
  }

  /** @param {number} superpixel that keys work on from now on */
  focusOn(superpixel) {
    this.point.leave();
    const { marks } = this.painter;
    marks.cursor = superpixel;
    marks.hover = [];
    this.hovered = -1;
    this.painter.touchMarks();
    this.element.focus({ preventScroll: true });
    this.listener.hover(superpixel);
  }

  /** Moves what keys work on: with the tool of superpixels from one to the next, else a point. @param {string} direction @param {boolean} far */
  move(direction, far) {
    this.element.focus({ preventScroll: true }); // a click beside everything takes it away
    if (['superpixel', 'objects'].includes(this.tools.kind)) this.walk(DIRECTIONS[direction], far ? FAR : 1);
    else this.point.move(DIRECTIONS[direction], far);
  }

  /** Moves the keyboard's superpixel. @param {[number, number]} direction @param {number} steps */
  walk(direction, steps) {
    const { painter, graph, size } = this;
    let next = this.focus;
    if (next < 0) next = Math.max(0, this.under(size.width / 2, size.height / 2));
    else for (let step = 0; step < steps; step++) next = towards(graph, painter.anchors, next, direction);
    this.follow(painter.anchorOf(next));
    this.focusOn(next);
  }
}
