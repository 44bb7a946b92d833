import { byId } from '../ui/dom.js';
import { recalled, remember } from '../ui/memory.js';

/** Where the browser keeps whether patterns are wanted. */
const PATTERNED = 'collie-patterns';

/** What lies over the image and how strong it is: labelling, boundaries, opacity, patterns. */
export class Layers {
  /**
   * @param {import('../canvas/painter.js').Painter} painter
   * @param {object} then
   * @param {() => void} then.recolor paints again in the colours of the classes
   * @param {() => void} then.changed another layer is shown or hidden
   */
  constructor(painter, { recolor, changed }) {
    this.painter = painter;
    this.recolor = recolor;
    this.changed = changed;
    this.slider = /** @type {HTMLInputElement} */ (byId('opacity'));
    this.slider.addEventListener('input', () => this.setOpacity(Number(this.slider.value)));
    /** Whether classes differ by patterns as well as by colours. */
    this.patterned = false;
    byId('outlines').addEventListener('click', () => this.toggleOutlines());
    if (recalled(PATTERNED, String(matchMedia('(prefers-contrast: more)').matches)) === 'true') this.setPatterns(true);
  }

  toggleBoundaries() {
    this.toggle('boundaries', 'boundaries');
  }

  toggleLabelling() {
    this.toggle('labelled', 'overlay');
  }

  /** Shows the classes by the lines between them alone, or filled again. */
  toggleOutlines() {
    const { painter } = this;
    this.toggle('outlined', 'outlines');
    if (painter.outlined && !painter.labelled) this.toggleLabelling();
  }

  /** @param {'boundaries' | 'labelled' | 'outlined'} layer @param {string} button */
  toggle(layer, button) {
    this.painter[layer] = !this.painter[layer];
    byId(button).setAttribute('aria-pressed', String(this.painter[layer]));
    this.painter.touch();
    this.changed();
  }

  /** @param {number} change of the opacity */
  fade(change) {
    this.setOpacity(this.painter.opacity + change);
  }

  /** @param {number} value 0..1 */
  setOpacity(value) {
    const { painter } = this;
    painter.opacity = Math.min(1, Math.max(0.1, value));
    this.slider.value = String(painter.opacity);
    if (!painter.labelled) this.toggleLabelling();
    painter.touch();
  }

  /** Shows patterns or not, as the person has chosen, and remembers that. */
  togglePatterns() {
    this.setPatterns(!this.patterned);
    remember(PATTERNED, String(this.patterned));
  }

  /** @param {boolean} on */
  setPatterns(on) {
    this.patterned = on;
    this.recolor();
    byId('app').classList.toggle('patterned', on);
    byId('patterns').setAttribute('aria-pressed', String(on));
  }
}
