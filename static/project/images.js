import { call } from '../ui/api.js';
import { Assignees } from './assignees.js';
import { sayMoved, trashImages } from './discard.js';
import { byId } from '../ui/dom.js';
import { arrange, goOn, tally, tallyBy } from './gallery.js';
import { ImageGrid } from './imagegrid.js';
import { counted, nameOrCount } from '../ui/numbers.js';
import { keepOrder } from './order.js';
import { inParts } from './parts.js';
import { ReviewMenu } from './reviews.js';
import { toastProblem } from '../ui/toast.js';

/** @typedef {import('./gallery.js').ImageRecord} ImageRecord */

/**
 * The images of a project, with the filter above them and what can be done with
 * those selected. The filter is kept in the address, so it survives a reload.
 */
export class ImageList {
  /**
   * @param {string} project
   * @param {() => void} moved images have gone to the trash or come back
   */
  constructor(project, moved) {
    this.project = project;
    this.moved = moved;
    this.form = /** @type {HTMLFormElement} */ (byId('image-filter'));
    this.text = /** @type {HTMLInputElement} */ (byId('find-image'));
    this.order = /** @type {HTMLSelectElement} */ (byId('image-order'));
    this.review = /** @type {HTMLSelectElement} */ (byId('image-review'));
    /** @type {ImageRecord[]} */
    this.images = [];
    this.grid = new ImageGrid(() => this.paintSelection());
    this.assignees = new Assignees(project, () => this.chosenImages, (changed) => this.adopt(changed));
    restoreWish(this.form, this.text, this.order, this.review);
    this.assignees.fill([], new URL(location.href).searchParams.get('assignee') ?? '');
    this.form.addEventListener('submit', (event) => event.preventDefault());
    this.form.addEventListener('input', () => this.refilter());
    byId('show-all').addEventListener('click', () => {
      this.form.reset();
      this.text.value = '';
      this.assignees.select.value = ''; // which was another one when the page came
      this.refilter();
      this.text.focus();
    });
    byId('choose-none').addEventListener('click', () => this.grid.selectNone());
    byId('choose-all').addEventListener('click', () => this.grid.selectAll());
    const reviews = new ReviewMenu(project, () => this.chosenImages, (changed) => this.adopt(changed));
    byId('review-chosen').addEventListener('click', () => reviews.open(byId('review-chosen')));
    byId('trash-chosen').addEventListener('click', () => void this.trash(byId('trash-chosen').matches(':focus-visible')));
    document.addEventListener('keydown', (event) => this.key(event));
    // The browser may bring the page back as it was before an image was opened.
    addEventListener('pageshow', (event) => event.persisted && this.load());
    document.addEventListener('visibilitychange', () => void (document.hidden || this.refresh()));
  }

  async load() {
    try {
      this.images = await this.fetch();
      this.grid.forget();
    } catch (error) {
      toastProblem(error);
    }
    this.grid.list.removeAttribute('aria-busy');
    this.filter();
  }

  /** @returns {Promise<ImageRecord[]>} */
  fetch() {
    return call('GET', `/api/v1/projects/${encodeURIComponent(this.project)}/images`);
  }

  /** Shows what others, or another tab, have changed, unless something is changed here meanwhile. */
  async refresh() {
    const before = this.images;
    const now = await this.fetch().catch(() => before); // while the server can't be reached the list stays as it is
    if (this.images !== before || JSON.stringify(now) === JSON.stringify(before)) return;
    this.show(now);
    this.moved();
  }

  /** @returns {import('./gallery.js').Wish} */
  get wish() {
    return { text: this.text.value, status: String(new FormData(this.form).get('status') ?? ''), review: this.review.value, assignee: this.assignees.select.value, order: this.order.value };
  }

  /** The records of the selected images, in the order of the list. */
  get chosenImages() {
    const chosen = new Set(this.selection);
    return this.images.filter((im) => chosen.has(im.id));
  }

  /** Shows images as they are now. @param {import('./reviews.js').Reviewed[]} changed */
  adopt(changed) {
    const now = new Map(changed.map((im) => [im.id, /** @type {ImageRecord} */ (im)]));
    this.show(this.images.map((im) => now.get(im.id) ?? im));
  }

  /** @param {ImageRecord[]} images all of the project */
  show(images) {
    this.images = images;
    this.grid.forget();
    this.filter();
  }

  refilter() {
    rememberWish(this.wish);
    this.filter();
  }

  /** Shows the images that the filter lets through, and the counts. */
  filter() {
    const { images, form, project } = this;
    const shown = arrange(images, this.wish);
    keepOrder(project, shown);
    const counts = tally(images);
    for (const place of form.querySelectorAll('[data-count]')) {
      if (place instanceof HTMLElement) place.textContent = String(counts[place.dataset.count ?? '']);
    }
    /** @type {HTMLElement} */ (form.querySelector('.segment:has([value=guessed])')).hidden = counts.guessed === 0 && this.wish.status !== 'guessed';
    const reviews = tallyBy(images, (im) => im.review?.status ?? 'none');
    for (const option of this.review.options) option.textContent = `${option.dataset.text} (${reviews[option.value] ?? 0})`;
    this.assignees.fill(images, this.wish.assignee);
    byId('image-count').textContent = `${shown.length} of ${counted(images.length, 'image')} shown`;
    byId('no-images').hidden = shown.length > 0 || images.length === 0;
    byId('trash-images').textContent = counted(images.length, 'image');
    byId('progress-text').textContent = `${counts.done} of ${counted(images.length, 'image')} done`;
    const bar = /** @type {HTMLProgressElement} */ (byId('progress'));
    bar.max = Math.max(1, images.length);
    bar.value = counts.done;
    const link = /** @type {HTMLAnchorElement} */ (byId('go-on'));
    const next = link.hasAttribute('data-viewing') ? undefined : goOn(images, shown, link.hasAttribute('data-reviewing'));
    link.hidden = !next;
    if (next) link.href = `/images/${next.id}`;
    byId('go-on-name').textContent = link.title = next?.name ?? '';
    form.hidden = images.length === 0;
    this.grid.show(shown);
  }

  /** @returns {string[]} ids of the selected images, in the order of the list */
  get selection() {
    return this.grid.selection;
  }

  /** Keys that do with selected images what they do in file managers. @param {KeyboardEvent} event */
  key(event) {
    const { target, key } = event;
    const elsewhere = target instanceof Element && target.closest('input:not([type=checkbox]), select, textarea, [popover], #toasts') !== null;
    if (this.selection.length === 0 || elsewhere || event.defaultPrevented || document.querySelector('dialog[open], :popover-open')) return;
    const command = event.ctrlKey || event.metaKey;
    if (key === 'Escape') this.grid.selectNone();
    else if (key === 'Delete' && !command && !event.shiftKey) void this.trash(true);
    else if (key.toLowerCase() === 'a' && command && !event.shiftKey && !event.altKey) this.grid.selectAll();
    else return;
    event.preventDefault();
  }

  paintSelection() {
    const { length } = this.selection;
    const bar = byId('selection');
    const left = length === 0 && bar.querySelector(':focus-visible') !== null;
    bar.hidden = length === 0;
    byId('selection-text').textContent = `${counted(length, 'image')} selected`;
    this.grid.list.classList.toggle('choosing', length > 0);
    if (left) this.resume();
  }

  /** Puts the focus of whoever works with keys where they can go on: their command went away with its images. */
  resume() {
    if (!this.grid.resume()) byId(byId('no-images').hidden ? 'main' : 'show-all').focus();
  }

  /** Moves the selected images to the trash and offers to undo it. @param {boolean} keys whether the focus goes on */
  async trash(keys) {
    const button = /** @type {HTMLButtonElement} */ (byId('trash-chosen'));
    /** @type {string[]} */
    const done = [];
    button.disabled = true;
    try {
      await inParts(this.selection, async (part) => {
        await trashImages(this.project, part, true);
        done.push(...part);
      });
    } catch (error) {
      toastProblem(error);
    }
    button.disabled = false;
    const ids = new Set(done);
    const gone = this.images.filter((im) => ids.has(im.id));
    this.images = this.images.filter((im) => !ids.has(im.id));
    this.grid.selectNone();
    this.filter();
    if (keys) this.resume();
    if (done.length === 0) return;
    this.moved();
    sayMoved(nameOrCount(gone), () => this.bringBack(done));
  }

  /** @param {string[]} ids of images in the trash */
  async bringBack(ids) {
    try {
      await inParts(ids, (part) => trashImages(this.project, part, false));
    } finally {
      await this.load();
      this.moved();
    }
  }
}

/** @param {import('./gallery.js').Wish} wish */
function rememberWish(wish) {
  const address = new URL(location.href);
  for (const [key, value] of Object.entries({ q: wish.text, status: wish.status, review: wish.review, assignee: wish.assignee, order: wish.order === 'upload' ? '' : wish.order })) {
    if (value) address.searchParams.set(key, value);
    else address.searchParams.delete(key);
  }
  history.replaceState(null, '', address);
}

/** @param {HTMLFormElement} form @param {HTMLInputElement} text @param {HTMLSelectElement} order @param {HTMLSelectElement} review */
function restoreWish(form, text, order, review) {
  const asked = new URL(location.href).searchParams;
  text.value = asked.get('q') ?? '';
  for (const radio of form.querySelectorAll('input[name="status"]')) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === (asked.get('status') ?? '');
  }
  for (const [select, wanted] of /** @type {const} */ ([[order, asked.get('order') ?? 'upload'], [review, asked.get('review') ?? '']])) {
    if ([...select.options].some((o) => o.value === wanted)) select.value = wanted;
  }
}
