import { byId, isTap, stamp } from '../ui/dom.js';
import { percent } from '../ui/numbers.js';
import { between, stateText, stepTo, windowOf } from './gallery.js';
import { reviewIcon, reviewText } from './reviews.js';

/** @typedef {import('./gallery.js').ImageRecord} ImageRecord */

/**
 * The grid of image cards. Only cards near the window are in the page, so ten
 * thousand images are as fast as ten. It also holds which images are selected.
 */
export class ImageGrid {
  /** @param {() => void} selected the selection has changed */
  constructor(selected) {
    this.selected = selected;
    this.list = byId('images');
    /** @type {ImageRecord[]} those that pass the filter, in order */
    this.shown = [];
    /** @type {Map<string, HTMLElement>} in the page, by image */
    this.cards = new Map();
    /** @type {Set<string>} ids, including images that the filter hides */
    this.chosen = new Set();
    /** The id of the image that was selected or deselected last: where a range begins. */
    this.anchor = '';
    /** The place of that image among those shown then. */
    this.place = 0;
    this.frame = 0;
    this.list.addEventListener('keydown', (e) => this.key(e));
    addEventListener('scroll', () => this.drawSoon(), { passive: true });
    addEventListener('resize', () => this.drawSoon());
  }

  /** @param {ImageRecord[]} images */
  show(images) {
    this.shown = images;
    this.draw();
    this.selected();
  }

  /** Forgets the cards, because their images or selection have changed. */
  forget() {
    this.cards = new Map();
  }

  /** The selected images among those shown: what commands apply to. @returns {string[]} ids in order */
  get selection() {
    return this.shown.filter((im) => this.chosen.has(im.id)).map((im) => im.id);
  }

  selectAll() {
    for (const im of this.shown) this.chosen.add(im.id);
    this.reselected();
  }

  selectNone() {
    this.chosen.clear();
    this.reselected();
  }

  reselected() {
    this.forget();
    this.draw();
    this.selected();
  }

  drawSoon() {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  /** Columns of the grid, and pixels from one row to the next. */
  layout() {
    const style = getComputedStyle(this.list);
    return {
      columns: style.gridTemplateColumns.split(' ').length,
      row: Number.parseFloat(style.gridAutoRows) + Number.parseFloat(style.rowGap),
    };
  }

  /** Puts the cards that the window sees into the list. */
  draw() {
    const { list, shown } = this;
    this.frame = 0;
    if (shown.length === 0) {
      list.replaceChildren();
      this.forget();
      list.style.paddingBlock = '';
      return;
    }
    const { columns, row } = this.layout();
    const { from, to, above, below } = windowOf({
      count: shown.length, columns, row, height: innerHeight, top: -list.getBoundingClientRect().top,
    });
    /** @type {Map<string, HTMLElement>} */
    const next = new Map();
    for (let i = from; i < to; i++) {
      const im = shown[i];
      const element = this.cards.get(im.id) ?? this.card(im);
      element.dataset.at = String(i);
      element.setAttribute('aria-posinset', String(i + 1));
      element.setAttribute('aria-setsize', String(shown.length));
      next.set(im.id, element);
    }
    this.cards = next;
    list.style.paddingBlock = `${above * row}px ${below * row}px`;
    const focused = list.contains(document.activeElement) ? document.activeElement : null;
    const { image = '' } = /** @type {HTMLElement | undefined} */ (focused?.closest('li'))?.dataset ?? {};
    place(list, [...next.values()]);
    const same = focused?.matches('input') ? 'input' : 'a'; // of a card that may have been made again
    if (focused) next.get(image)?.querySelector(same)?.focus({ preventScroll: true });
  }

  /** @param {ImageRecord} im @returns {HTMLElement} */
  card(im) {
    const { element, slot } = stamp('image-template');
    const link = /** @type {HTMLAnchorElement} */ (slot('link'));
    link.href = `/images/${im.id}`;
    element.dataset.image = im.id;
    /** @type {HTMLImageElement} */ (slot('cover')).src = `/api/v1/images/${im.id}/thumbnail`;
    if (im.status !== 'untouched' || im.guess_only) {
      const mask = /** @type {HTMLImageElement} */ (slot('mask'));
      mask.src = `/api/v1/images/${im.id}/mask.png?style=overlay&seq=${im.seq}`; // a document shows a picture again without asking
      mask.hidden = false;
    }
    slot('assignee').hidden = !im.assignee;
    slot('assignee-text').textContent = im.assignee ?? '';
    slot('name').textContent = im.name;
    slot('name').title = im.name;
    slot('status').classList.add(`status-${im.status}`);
    slot(`icon-${im.status}`).hidden = false;
    const uncertain = (im.status === 'started' || im.guess_only) && im.expected_wrong_area !== undefined ? ` · ${percent(im.expected_wrong_area)} uncertain` : '';
    slot('state').textContent = stateText(im);
    const review = slot('review');
    review.hidden = !im.review;
    review.dataset.review = im.review?.status ?? '';
    review.querySelector('use')?.setAttribute('href', `#i-${reviewIcon(im.review)}`);
    review.title = im.review?.comment ?? '';
    slot('review-text').textContent = reviewText(im) + (im.review?.comment ? `: ${im.review.comment}` : '');
    slot('size').textContent = `${im.width} × ${im.height}${uncertain}`; // the line above has no room for it
    /** @type {HTMLProgressElement} */ (slot('bar')).value = im.decided; // for the eye; the line above says it
    const box = /** @type {HTMLInputElement} */ (slot('choose'));
    box.checked = this.chosen.has(im.id);
    box.setAttribute('aria-label', `Select ${im.name}`);
    box.addEventListener('click', (e) => this.choose(im.id, box.checked, e.shiftKey));
    link.addEventListener('click', (e) => {
      if (!isTap(e) || this.chosen.size === 0) return;
      e.preventDefault(); // a finger or pen beside the box would leave the page, and the selection with it
      this.choose(im.id, !box.checked, false);
    });
    return element;
  }

  /**
   * Selects or deselects an image, with Shift all from the one before on.
   *
   * @param {string} id
   * @param {boolean} on
   * @param {boolean} range
   */
  choose(id, on, range) {
    for (const one of range ? between(this.shown, this.anchor, id) : [id]) {
      if (on) this.chosen.add(one);
      else this.chosen.delete(one);
      const box = this.cards.get(one)?.querySelector('input');
      if (box) box.checked = on;
    }
    this.anchor = id;
    this.place = this.shown.findIndex((im) => im.id === id);
    this.selected();
  }

  /** @param {KeyboardEvent} e moves the focus from card to card */
  key(e) {
    const element = /** @type {HTMLElement | null} */ (/** @type {Element} */ (e.target).closest('[data-at]'));
    const to = element ? stepTo(e.key, Number(element.dataset.at), this.layout().columns, this.shown.length) : -1;
    if (to < 0 || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    this.reveal(to);
  }

  /**
   * Leads the focus back to the image that was selected last, or to what has taken
   * its place.
   *
   * @returns {boolean} whether any image is shown
   */
  resume() {
    const at = this.shown.findIndex((im) => im.id === this.anchor);
    const to = at < 0 ? Math.min(this.place, this.shown.length - 1) : at;
    if (to < 0) return false;
    this.reveal(to);
    return true;
  }

  /** Scrolls to a card and focuses it. @param {number} at */
  reveal(at) {
    const { columns, row } = this.layout();
    const y = this.list.getBoundingClientRect().top + Math.floor(at / columns) * row;
    if (y < 0 || y + row > innerHeight) scrollBy({ top: y - (innerHeight - row) / 2, behavior: 'instant' });
    this.draw();
    this.cards.get(this.shown[at].id)?.querySelector('a')?.focus({ preventScroll: true });
  }
}

/**
 * Makes elements the children of a list, in order. Those that are there stay untouched,
 * because the browser styles each again that comes, also from the same place. The others
 * let go of pictures that have not arrived: the browser would fetch them before those
 * that are seen now.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement[]} wanted
 */
function place(list, wanted) {
  const stay = new Set(/** @type {Element[]} */ (wanted));
  for (const element of [...list.children]) {
    if (stay.has(element)) continue;
    element.remove();
    for (const picture of element.querySelectorAll('img')) if (!picture.complete) picture.removeAttribute('src');
  }
  let at = list.firstElementChild;
  for (const element of wanted) {
    if (element === at) at = at.nextElementSibling;
    else list.insertBefore(element, at);
  }
}
