import { call } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { grouped } from '../ui/grouped.js';
import { Menu } from '../ui/menu.js';
import { nameOrCount, percent } from '../ui/numbers.js';
import { inParts } from './parts.js';
import { putBack } from './putback.js';
import { toast, toastProblem } from '../ui/toast.js';

/**
 * The status of images that people set by hand, beside the automatic one, which is
 * also called done.
 *
 * @typedef {'todo' | 'progress' | 'done' | 'approved' | 'rejected'} ReviewStatus
 *
 * @typedef {object} Review
 * @property {ReviewStatus} status
 * @property {string} [comment]
 * @property {string} [by]
 * @property {string} at when it was set
 * @property {number} seq number of events that the image had
 *
 * @typedef {{id: string, name: string, seq: number, review?: Review, status?: string, decided?: number}} Reviewed
 */

/** @type {Record<ReviewStatus, string>} */
const REVIEWS = { todo: 'To do', progress: 'In progress', done: 'Marked done', approved: 'Approved', rejected: 'Rejected' };

/** @type {Record<ReviewStatus, string>} */
const ICONS = { todo: 'ring', progress: 'half', done: 'check', approved: 'approved', rejected: 'rejected' };

/**
 * What a review says in short; empty without one.
 *
 * @param {Reviewed} im
 */
export function reviewText({ seq, review }) {
  if (!review) return '';
  const judged = review.status === 'approved' || review.status === 'rejected';
  return REVIEWS[review.status] + (judged && seq > review.seq ? ', changed since' : '');
}

/** Who set a status, in words. @param {Review | undefined} review */
export function reviewBy(review) {
  if (!review) return 'No status';
  return review.by ? `${REVIEWS[review.status]} by ${review.by}` : REVIEWS[review.status];
}

/** @param {Review | undefined} review */
export function reviewIcon(review) {
  return review ? ICONS[review.status] : 'ring';
}

/**
 * What a person may not know who calls images done or approves them: a preview that
 * nobody has accepted looks like a labelling. Empty if nothing is missing.
 *
 * @param {string} status
 * @param {Reviewed[]} images
 */
export function missingText(status, images) {
  if (status !== 'done' && status !== 'approved') return '';
  const missing = images.filter((im) => im.status !== 'done');
  if (missing.length === 0) return '';
  const lack = missing.length === 1 ? '1 of them isn’t' : `${missing.length} of them aren’t`;
  if (images.length > 1) return `${missing.length === images.length ? 'none of them is' : lack} completely labelled. The rest is undecided in exports.`;
  return `${percent(missing[0].decided ?? 0)} labelled. The rest is undecided in exports, whatever the preview shows.`;
}

/** @param {Reviewed[]} images */
const idsOf = (images) => images.map((im) => im.id).join();

/** The menu of statuses, and the question why an image is rejected. */
export class ReviewMenu {
  /**
   * @param {string} project
   * @param {() => Reviewed[]} chosen the images that it is about
   * @param {(images: Reviewed[]) => void} changed the records as they are now
   * @param {() => void} [comment] shows the comment of the image
   * @param {() => void} [onward] approves the image and goes to the next
   */
  constructor(project, chosen, changed, comment = () => {}, onward = () => {}) {
    this.project = `/api/v1/projects/${encodeURIComponent(project)}`;
    this.chosen = chosen;
    this.changed = changed;
    /** Removes the message about the last status, whose Undo would write over the next. */
    this.forget = () => {};
    /** The comment that the server has not got, as in a tunnel, by the images that it is about. */
    this.unsent = { of: '', comment: '' };
    this.menu = new Menu(byId('review-menu'), (what) => {
      if (what === 'comment') comment();
      else if (what === 'rejected') this.ask();
      else if (what === 'approve-next') onward();
      else void this.set(what === 'none' ? '' : what);
    });
    this.dialog = /** @type {HTMLDialogElement} */ (byId('reject-dialog'));
    this.comment = /** @type {HTMLTextAreaElement} */ (byId('reject-comment'));
    this.dialog.addEventListener('close', () => {
      if (this.dialog.returnValue === 'reject' && this.comment.value.trim() !== '') void this.set('rejected', this.comment.value);
      this.dialog.returnValue = '';
    });
  }

  /** @param {HTMLElement} opener */
  open(opener) {
    const present = new Set(this.chosen().map((im) => im.review?.status ?? 'none'));
    for (const item of this.menu.items) {
      if (present.size === 1 && present.has(/** @type {any} */ (item.dataset.do))) item.setAttribute('aria-current', 'true');
      else item.removeAttribute('aria-current');
    }
    this.menu.open(opener);
  }

  /** Whether the person's role has an item. @param {string} what it does */
  offers(what) {
    return this.menu.element.querySelector(`[data-do="${what}"]`) !== null;
  }

  /** Whether an item can be used. @param {string} what it does @param {boolean} on */
  offer(what, on) {
    const item = this.menu.element.querySelector(`[data-do="${what}"]`);
    if (item instanceof HTMLButtonElement) item.disabled = !on;
  }

  ask() {
    const images = this.chosen();
    byId('reject-title').textContent = `Reject ${nameOrCount(images)}?`;
    const comments = new Set(images.map((im) => im.review?.comment ?? ''));
    this.comment.value = this.unsent.of === idsOf(images) ? this.unsent.comment : comments.size === 1 ? [...comments][0] : '';
    this.dialog.showModal();
    this.comment.focus();
  }

  /**
   * @param {string} status empty for none
   * @param {string} [comment]
   * @returns {Promise<boolean>} whether it is set, and labellings lack nothing for it
   */
  async set(status, comment) {
    const before = this.chosen();
    if (before.length === 0) return false;
    /** @type {Reviewed[]} */
    let after;
    try {
      after = await this.put(before, status, comment, (im) => im.seq);
    } catch (error) {
      if (comment) this.unsent = { of: idsOf(before), comment };
      toastProblem(error);
      return false;
    }
    this.unsent.of = '';
    const what = nameOrCount(before);
    const now = status === '' ? 'No status' : REVIEWS[/** @type {ReviewStatus} */ (status)];
    this.forget();
    const missing = missingText(status, after);
    this.forget = toast(now, missing ? `${what}: ${missing}` : what, 'info', { label: 'Undo', run: () => this.restore(before, after) });
    return missing === '';
  }

  /**
   * Gives images the statuses back that they had, if they have those of now.
   *
   * @param {Reviewed[]} before
   * @param {Reviewed[]} now
   */
  async restore(before, now) {
    const since = Object.fromEntries(now.map(({ id, review }) => [id, review?.at ?? '']));
    const alike = grouped(before, ({ review }) => JSON.stringify([review?.status, review?.comment]));
    const put = async (/** @type {Reviewed[]} */ images) => {
      const { status = '', comment } = images[0].review ?? {};
      await this.put(images, status, comment, (im) => im.review?.seq ?? im.seq, since);
    };
    await putBack(this.project, alike.values(), put, ({ id, review }) => (review?.at ?? '') === since[id], this.changed);
  }

  /**
   * @param {Reviewed[]} images
   * @param {string} status
   * @param {string | undefined} comment
   * @param {(im: Reviewed) => number} seq number of events of an image that the status is about
   * @param {Record<string, string>} [since] by image, when the status was set that this one may replace; any without it
   * @returns {Promise<Reviewed[]>} the records as they are now
   */
  async put(images, status, comment, seq, since) {
    /** @type {Reviewed[]} */
    const after = [];
    await inParts(images, async (part) => {
      const seen = Object.fromEntries(part.map((im) => [im.id, seq(im)]));
      const replaces = since && Object.fromEntries(part.map(({ id }) => [id, since[id]]));
      const changed = await call('PUT', `${this.project}/reviews`, { images: part.map((im) => im.id), seen, replaces, status, comment });
      this.changed(changed);
      after.push(...changed);
    });
    return after;
  }
}
