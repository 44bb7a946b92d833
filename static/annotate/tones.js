import { line, NEUTRAL, neutral } from '../canvas/adjust.js';
import { call, get, received } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { origin } from './handback.js';
import { toastProblem } from '../ui/toast.js';

/** @typedef {import('../canvas/adjust.js').Adjustment} Adjustment */

/** Milliseconds without a move before the server is asked for another window. */
const CALM = 250;

/** The largest value of an image with 16 bits per channel. */
const WHITE = 65535;

/**
 * The panel for brightness, contrast and window. The page applies them itself,
 * except the window of images with 16 bits per channel: the display copy has 8,
 * so the server renders it.
 */
export class Tones {
  /**
   * @param {string} image address of its interface
   * @param {string} display address of the display copy
   * @param {import('../canvas/painter.js').Painter} painter
   * @param {() => void} developed the painter has another rendering
   */
  constructor(image, display, painter, developed) {
    this.image = image;
    this.display = display;
    this.painter = painter;
    this.developed = developed;
    /** @type {Adjustment} */
    this.adjustment = { ...NEUTRAL };
    /** @type {{bits: number, low: number, high: number} | null} not known before the panel is opened */
    this.levels = null;
    /** @type {Promise<{bits: number, low: number, high: number}> | null} the request for them, which takes seconds for large images */
    this.learning = null;
    this.timer = 0;
    /** Number of window requests, so that only the last answer counts. */
    this.asked = 0;
    this.button = byId('tones');
    this.panel = byId('tones-panel');
    this.origin = byId('canvas');
    this.button.addEventListener('click', () => this.toggle());
    byId('tones-reset').addEventListener('click', () => this.reset());
    byId('tones-auto').addEventListener('click', () => void this.auto());
    for (const name of /** @type {const} */ (['brightness', 'contrast', 'low', 'high'])) {
      this.slider(name).addEventListener('input', () => this.set({ [name]: Number(this.slider(name).value) }));
    }
    this.panel.addEventListener('keydown', (e) => {
      if (e.key === 'Escape') {
        e.stopPropagation();
        this.toggle(false);
      }
    });
  }

  /** @param {keyof Adjustment} name */
  slider(name) {
    return /** @type {HTMLInputElement} */ (byId(`tones-${name}`));
  }

  /** @param {boolean} [open] */
  toggle(open = this.panel.hidden !== false) {
    if (open) this.origin = origin();
    else if (this.panel.contains(document.activeElement)) this.origin.focus({ preventScroll: true });
    this.panel.hidden = !open;
    this.button.setAttribute('aria-expanded', String(open));
    if (open) {
      byId('opacity').focus({ preventScroll: true });
      this.learn().catch(toastProblem);
    }
  }

  /** Fetches the range of values in the image, once. */
  learn() {
    this.learning ??= this.read().catch((error) => {
      this.learning = null;
      byId('tones-depth').textContent = '';
      throw error;
    });
    return this.learning;
  }

  async read() {
    byId('tones-depth').textContent = 'Reading the values of the image';
    const levels = await call('GET', `${this.image}/levels`);
    this.levels = { bits: levels.bits, low: levels.low / WHITE, high: levels.high / WHITE };
    byId('tones-depth').textContent = levels.bits === 16 ? `16 bits, values ${levels.lowest} to ${levels.highest}` : '';
    if (levels.bits === 16) this.range(levels.lowest / WHITE, levels.highest / WHITE);
    return this.levels;
  }

  /** Limits the sliders of the window to the values that occur. @param {number} lowest @param {number} highest */
  range(lowest, highest) {
    for (const name of /** @type {const} */ (['low', 'high'])) {
      const slider = this.slider(name);
      slider.min = String(lowest);
      slider.max = String(highest);
      slider.step = String((highest - lowest) / 500);
      slider.value = String(this.adjustment[name]);
    }
  }

  /** Sets the window to the range of values in the image. */
  async auto() {
    try {
      const { low, high } = await this.learn();
      this.set({ low, high });
    } catch (error) {
      toastProblem(error);
    }
  }

  reset() {
    this.set(NEUTRAL);
  }

  /** @param {Partial<Adjustment>} change */
  set(change) {
    const next = { ...this.adjustment, ...change };
    if (change.low !== undefined && change.high === undefined) next.high = Math.max(next.high, next.low);
    if (change.high !== undefined && change.low === undefined) next.low = Math.min(next.low, next.high);
    const windowed = next.low !== this.adjustment.low || next.high !== this.adjustment.high;
    this.adjustment = next;
    for (const name of /** @type {const} */ (['brightness', 'contrast', 'low', 'high'])) this.slider(name).value = String(next[name]);
    this.button.classList.toggle('changed', !neutral(next));
    if (windowed && this.levels?.bits === 16) {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.develop(), CALM);
    }
    this.paint();
  }

  /** Applies the adjustment in the browser. */
  paint() {
    const shown = this.levels?.bits === 16 ? { ...this.adjustment, low: 0, high: 1 } : this.adjustment;
    const { slope, intercept } = line(shown);
    for (const channel of document.querySelectorAll('#tones-filter feComponentTransfer > *')) {
      channel.setAttribute('slope', String(slope));
      channel.setAttribute('intercept', String(intercept));
    }
    byId('picture').style.filter = neutral(shown) ? '' : 'url("#tones-filter")';
  }

  /** Asks the server for the window. */
  async develop() {
    const turn = ++this.asked;
    const { low, high } = this.adjustment;
    const query = low === 0 && high === 1 ? '' : `?low=${Math.round(low * WHITE)}&high=${Math.round(high * WHITE)}`;
    try {
      const response = await get(this.display + query);
      const bitmap = await createImageBitmap(await received(response.blob()));
      if (turn !== this.asked) return;
      this.painter.develop(bitmap, query !== '');
      this.developed();
    } catch (error) {
      if (turn === this.asked) toastProblem(error);
    }
  }
}
