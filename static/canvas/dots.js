import { contextOf } from '../ui/dom.js';
import { VOID } from '../evidence/protocol.js';
import { toWindow } from './view.js';

/**
 * Which superpixels or parts were clicked by themselves: 1 for each. A click at a
 * point divides its superpixel and labels one part; strokes and imports label
 * whole superpixels, usually several that touch. O(clicked × neighbours).
 *
 * @param {Uint8Array} clicks class per number, or VOID
 * @param {import('../evidence/division.js').Division} division
 * @param {(superpixel: number) => Iterable<number>} neighbours on the map
 * @returns {Uint8Array}
 */
export function singles(clicks, division, neighbours) {
  const alone = new Uint8Array(clicks.length);
  const whole = Uint8Array.from({ length: division.n }, () => VOID); // the class of superpixels that are wholly clicked
  for (let s = 0; s < clicks.length; s++) {
    if (clicks[s] === VOID) continue;
    const base = division.baseOf(s);
    const all = division.numbers([base]);
    if (all.every((part) => clicks[part] === clicks[s])) whole[base] = clicks[s];
    else alone[s] = 1;
  }
  whole.forEach((label, s) => {
    if (label === VOID) return;
    alone[s] = 1;
    for (const next of neighbours(s)) if (next >= 0 && whole[next] === label) alone[s] = 0;
  });
  return alone;
}

/** Dots in the colours of their classes, with a ring, in the middle of what the person clicked. */
export class Dots {
  constructor() {
    /** @type {readonly string[]} */
    this.colors = [];
    this.ratio = 1;
    /** @type {Map<string, HTMLCanvasElement>} by colour and radius */
    this.drawn = new Map();
  }

  /**
   * @param {import('./painter.js').Painter} painter whose scene counts CSS pixels now
   * @param {import('../superpixels/box.js').Box} part of it to paint, device pixels
   */
  paint(painter, part) {
    const { scene, view, clicks, dotted, ratio } = painter;
    if (ratio !== this.ratio) this.drawn.clear();
    this.ratio = ratio;
    const reach = 8;
    for (let s = 0; s < clicks.length; s++) {
      if (!dotted[s]) continue;
      const [x, y] = toWindow(view, ...painter.pointOf(s));
      if (x < part.left / ratio - reach || y < part.top / ratio - reach || x > part.right / ratio + reach || y > part.bottom / ratio + reach) continue;
      this.one(painter, scene, s);
    }
  }

  /**
   * @param {import('./painter.js').Painter} painter
   * @param {CanvasRenderingContext2D} context counting CSS pixels
   * @param {number} s a superpixel; nothing is drawn where it has no click of its own
   */
  one(painter, context, s) {
    const { view, clicks, dotted, ratio, parts } = painter;
    if (!dotted[s]) return;
    const [x, y] = toWindow(view, ...painter.pointOf(s));
    const radius = Math.min(4.5, Math.max(1.8, Math.sqrt(parts.area[s]) * view.scale * 0.16));
    const dot = this.dot(this.colors[clicks[s]] ?? '#000000', Math.round(radius * 4) / 4);
    const size = dot.width / ratio;
    context.drawImage(dot, x - size / 2, y - size / 2, size, size);
  }

  /** @param {string} color @param {number} radius CSS pixels */
  dot(color, radius) {
    const key = `${color} ${radius}`;
    const known = this.drawn.get(key);
    if (known) return known;
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = Math.ceil(2 * (radius + 3.5) * this.ratio);
    const context = contextOf(canvas);
    const centre = canvas.width / 2;
    for (const [fill, extra] of /** @type {[string, number][]} */ ([['rgb(0 0 0 / 0.65)', 2.5], ['#ffffff', 1.6], [color, 0]])) {
      context.beginPath();
      context.arc(centre, centre, (radius + extra) * this.ratio, 0, 2 * Math.PI);
      context.fillStyle = fill;
      context.fill();
    }
    this.drawn.set(key, canvas);
    return canvas;
  }
}
