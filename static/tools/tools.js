import { byId } from '../ui/dom.js';
import { counted } from '../ui/numbers.js';
import { fitting, SIZES } from './strokes.js';

/** @typedef {import('./strokes.js').ToolKind} ToolKind */

/** The active tool, the brush width, and whether it draws exact pixels. */
export class Tools {
  /**
   * @param {number} side pixels of the image's longer side
   * @param {() => void} changed
   */
  constructor(side, changed) {
    this.changed = changed;
    /** @type {ToolKind} */
    this.kind = 'superpixel';
    this.exact = false;
    /** Whether what is drawn says that it is not of the active class. */
    this.excluding = false;
    this.place = fitting(side);
    this.slider = /** @type {HTMLInputElement} */ (byId('brush-size'));
    this.slider.max = String(SIZES.length - 1);
    this.slider.addEventListener('input', () => this.resize(Number(this.slider.value)));
    for (const button of this.buttons) button.addEventListener('click', () => this.take(/** @type {ToolKind} */ (button.dataset.tool)));
    byId('exact').addEventListener('click', () => this.toggleExact());
    byId('excluding').addEventListener('click', () => this.exclude(!this.excluding));
    this.paint();
  }

  /** @returns {HTMLElement[]} */
  get buttons() {
    return [...byId('tools').querySelectorAll('[data-tool]')].filter((e) => e instanceof HTMLElement);
  }

  /** Pixels of the image across the brush. */
  get size() {
    return SIZES[this.place];
  }

  /** The width of the brush in words. */
  get width() {
    return counted(this.size, 'pixel');
  }

  /** The active tool in words. */
  get inWords() {
    const name = this.buttons.find(({ dataset }) => dataset.tool === this.kind)?.ariaLabel ?? '';
    return this.swept ? `${name}, ${this.width}` : name;
  }

  /** What it does without a key held. @returns {import('./strokes.js').Mode} */
  get mode() {
    if (this.kind === 'objects') return 'apart';
    return this.excluding ? 'exclude' : this.kind === 'eraser' ? 'clear' : 'paint';
  }

  /** Whether it can draw exact pixels. */
  get pixelwise() {
    return !['superpixel', 'box', 'objects'].includes(this.kind);
  }

  get swept() {
    return this.kind === 'brush' || this.kind === 'eraser';
  }

  /** @param {ToolKind} kind */
  take(kind) {
    this.kind = kind;
    this.paint();
    this.changed();
  }

  /** @param {number} place in SIZES */
  resize(place) {
    this.place = Math.min(SIZES.length - 1, Math.max(0, place));
    this.paint();
    this.changed();
  }

  toggleExact() {
    this.exact = !this.exact;
    this.paint();
    this.changed();
  }

  /** @param {boolean} on */
  exclude(on) {
    if (on === this.excluding) return;
    this.excluding = on;
    byId('canvas').toggleAttribute('data-excluding', on);
    byId('excluding').setAttribute('aria-pressed', String(on));
  }

  /** Offers to close or cancel the polygon in progress. @param {number} corners that it has */
  drawn(corners) {
    byId('polygon-actions').hidden = corners === 0;
    /** @type {HTMLButtonElement} */ (byId('polygon-close')).disabled = corners < 3;
  }

  paint() {
    for (const button of this.buttons) button.setAttribute('aria-pressed', String(button.dataset.tool === this.kind));
    byId('exact').setAttribute('aria-pressed', String(this.exact));
    byId('exact').hidden = !this.pixelwise;
    byId('brush').hidden = !this.swept;
    this.slider.value = String(this.place);
    this.slider.setAttribute('aria-valuetext', this.width);
    byId('brush-value').textContent = `${this.size} px`;
    byId('canvas').dataset.tool = this.kind;
  }
}
