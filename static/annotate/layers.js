import { byId } from '../ui/dom.js';
import { recalled, remember } from '../ui/memory.js';

/** Where the browser keeps whether patterns are wanted, and how strong the labelling is. */
const PATTERNED = 'collie-patterns';
const OPACITY = 'collie-opacity';

/** Least opacity: a labelling that can't be seen is hidden with H. */
const FAINTEST = 0.1;

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
    this.recall();
    if (recalled(PATTERNED, String(matchMedia('(prefers-contrast: more)').matches)) === 'true') this.setPatterns(true);
  }

  /** Looks as the person has left the images before. */
  recall() {
    const { painter, slider } = this;
    const opacity = Number(recalled(OPACITY, ''));
    if (opacity >= FAINTEST && opacity <= 1) painter.opacity = opacity;
    slider.value = String(painter.opacity);
    for (const [layer, button] of /** @type {const} */ ([['boundaries', 'boundaries'], ['outlined', 'outlines']])) {
      painter[layer] = recalled(`collie-${button}`, String(painter[layer])) === 'true';
      byId(button).setAttribute('aria-pressed', String(painter[layer]));
    }
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
    if (layer !== 'labelled') remember(`collie-${button}`, String(this.painter[layer])); // the next image would seem to have no labels
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
    painter.opacity = Math.min(1, Math.max(FAINTEST, value));
    this.slider.value = String(painter.opacity);
    remember(OPACITY, this.slider.value);
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
