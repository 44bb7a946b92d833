import { byId } from '../ui/dom.js';
import { recalled, remember } from '../ui/memory.js';

/**
 * @typedef {{width: number, height: number}} Size CSS pixels
 * @typedef {'beside' | 'below'} Placement of the hypotheses
 */

/** CSS pixels that the rest of the page takes where letters have LETTER, about; parts.css has the exact sizes of bars. */
const TAKEN = { rail: 40, topbar: 45, side: 232, strip: 265 };

/** Size of letters in CSS pixels, unless the person has chosen another in the browser. */
const LETTER = 15;

/** Share of the window's width that the strip takes beside the image, if that is more. */
const SIDE = 0.24;

/** A window that lies on its side without room for the page. Queries are in em, so that large letters count as a small window. */
const LOW = '(max-height: 30em) and (orientation: landscape)';

/** A window without room for the page, such as that of 400 % zoom: the page is higher than the window and scrolls. annotate.css has the height, too. */
const TINY = { query: '(max-width: 30em) and (max-height: 30em)', height: 640 };

/** Columns of tools at most. */
const COLUMNS = 4;

/** Where the top bar has room for what belongs to a tool. */
const ROOMY = '(min-width: 75em) and (min-height: 30.0625em)';

/** How much larger the image must be with the strip below it for it to go there. */
const BETTER = 1.05;

/** CSS pixels that a press of an arrow key changes the size by. */
const STEP = 16;

/** Sizes of the strip: the property that has it, and the least and the most, in CSS pixels and as a share of the window. The names of classes need the least. */
const SIZES = {
  beside: { property: '--side', least: 232, most: 0.45 },
  below: { property: '--cards', least: 56, most: 0.4 },
};

/**
 * Where the hypotheses leave the image more of the window.
 *
 * @param {Size} image
 * @param {Size} window
 * @returns {Placement}
 */
export function placement(image, { width, height }) {
  const scale = (/** @type {number} */ w, /** @type {number} */ h) => Math.min(w / image.width, h / image.height);
  const [w, h] = [width - TAKEN.rail, height - TAKEN.topbar];
  const beside = scale(w - Math.max(TAKEN.side, SIDE * width), h);
  const below = scale(w, h - TAKEN.strip);
  return below > BETTER * beside ? 'below' : 'beside';
}

/**
 * A size of the strip within its limits.
 *
 * @param {Placement} place
 * @param {number} size CSS pixels
 * @param {Size} window
 */
export function limited(place, size, { width, height }) {
  const { least, most } = SIZES[place];
  return Math.round(Math.max(least, Math.min(most * (place === 'beside' ? width : height), size)));
}

/** Places the strip and lets the person drag its size, which the browser remembers. */
export class Layout {
  /** @param {Size} image */
  constructor(image) {
    this.image = image;
    this.workspace = byId('main');
    this.handle = byId('strip-handle');
    /** @type {{at: number, size: number} | null} where a drag began */
    this.held = null;
    addEventListener('resize', () => this.apply());
    this.handle.addEventListener('pointerdown', (e) => {
      this.handle.setPointerCapture(e.pointerId);
      this.handle.dataset.held = '';
      this.held = { at: this.along(e), size: this.size };
      e.preventDefault();
    });
    this.handle.addEventListener('pointermove', (e) => this.held && this.resize(this.held.size + this.held.at - this.along(e)));
    for (const type of /** @type {const} */ (['pointerup', 'pointercancel'])) this.handle.addEventListener(type, () => this.release());
    this.handle.addEventListener('dblclick', () => this.reset());
    this.handle.addEventListener('keydown', (e) => this.key(e));
    // The strip and the notes above change the height of the rail, too; in the next frame, since its width may follow.
    new ResizeObserver(() => requestAnimationFrame(() => this.fitRail())).observe(byId('stage'));
    this.apply();
  }

  get window() {
    return { width: innerWidth, height: innerHeight };
  }

  /** Where the strip is, which narrow windows decide by themselves. @returns {Placement} */
  get place() {
    return byId('strip').getBoundingClientRect().top >= byId('stage').getBoundingClientRect().bottom - 1 ? 'below' : 'beside';
  }

  /** CSS pixels: the width beside the image, the height of the cards below it. */
  get size() {
    if (this.place === 'beside') return byId('strip').offsetWidth;
    const picture = byId('cards').querySelector('.hypothesis-picture');
    return picture instanceof HTMLElement && picture.offsetHeight > 0 ? picture.offsetHeight : Number.parseFloat(getComputedStyle(byId('cards')).height) - 52;
  }

  /** @param {PointerEvent} e */
  along(e) {
    return this.place === 'beside' ? e.clientX : e.clientY;
  }

  /** Places the strip for the window as it is now. */
  apply() {
    const app = byId('app');
    const tiny = matchMedia(TINY.query).matches;
    const low = matchMedia(LOW).matches && !tiny;
    const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / LETTER;
    app.dataset.strip = low ? 'beside' : placement(this.image, { width: innerWidth / scale, height: tiny ? TINY.height : innerHeight / scale });
    app.classList.toggle('low', low);
    for (const [place, { property }] of Object.entries(SIZES)) {
      const size = Number(recalled(`collie-strip-${place}`, ''));
      if (size > 0) this.workspace.style.setProperty(property, `${limited(/** @type {Placement} */ (place), size, this.window)}px`);
    }
    const { place } = this;
    this.handle.setAttribute('aria-orientation', place === 'beside' ? 'vertical' : 'horizontal');
    this.tell();
    this.fitRail();
    this.placeTools();
    this.order();
  }

  /** Puts the strip before the classes where it is above them, for the Tab key. It is the strip that moves: a name may be being typed among the classes. */
  order() {
    const strip = byId('strip');
    const classes = /** @type {HTMLElement} */ (byId('classes').closest('.classes'));
    const above = strip.getBoundingClientRect().top < classes.getBoundingClientRect().top;
    if (above === (strip.nextElementSibling === classes)) return;
    if (above) classes.before(strip);
    else classes.after(strip);
  }

  /** Puts what belongs to a tool into the top bar, or beside the tool where that would cover the way to other images. */
  placeTools() {
    const bar = byId('topbar');
    const roomy = matchMedia(ROOMY).matches;
    for (const id of ['polygon-actions', 'brush']) {
      const box = byId(id);
      if (roomy === (box.parentElement === bar)) continue; // where it is it may have the focus
      if (roomy) bar.insertBefore(box, bar.querySelector('.topbar-end'));
      else byId('tools').append(box);
    }
  }

  /** Gives the rail the least number of columns that its tools fit into. */
  fitRail() {
    const app = byId('app');
    if (byId('more-tools').checkVisibility()) return app.removeAttribute('data-rail'); // where one column always does
    const [tools, views] = [byId('tools'), byId('view-tools')];
    const rail = /** @type {HTMLElement} */ (tools.parentElement);
    const { flexDirection, rowGap, paddingTop } = getComputedStyle(rail);
    const between = Number.parseFloat(rowGap) + 2 * Number.parseFloat(paddingTop);
    for (let columns = 1; columns <= COLUMNS; columns++) {
      app.toggleAttribute('data-rail', columns > 1);
      app.style.setProperty('--rail-columns', String(columns));
      const spare = byId('exact').hidden ? tools.children[0].clientHeight : 0; // which comes with the brush
      if (flexDirection === 'row' || tools.offsetHeight + views.offsetHeight + spare + between <= rail.clientHeight) return;
    }
  }

  /** @param {number} size CSS pixels */
  resize(size) {
    const { place } = this;
    this.workspace.style.setProperty(SIZES[place].property, `${limited(place, size, this.window)}px`);
    this.tell();
  }

  release() {
    if (!this.held) return;
    this.held = null;
    delete this.handle.dataset.held;
    remember(`collie-strip-${this.place}`, String(this.size));
  }

  reset() {
    const { place } = this;
    this.workspace.style.removeProperty(SIZES[place].property);
    remember(`collie-strip-${place}`, '');
    this.tell();
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const step = { ArrowLeft: STEP, ArrowUp: STEP, ArrowRight: -STEP, ArrowDown: -STEP }[e.key];
    if (!step) return;
    e.preventDefault();
    e.stopPropagation();
    this.resize(this.size + step);
    remember(`collie-strip-${this.place}`, String(this.size));
  }

  /** Tells screen readers the share of the window that the strip takes. */
  tell() {
    const { place, window: { width, height } } = this;
    const { offsetWidth, offsetHeight } = byId('strip');
    this.handle.setAttribute('aria-valuenow', String(Math.round(100 * (place === 'beside' ? offsetWidth / width : offsetHeight / height))));
  }
}
