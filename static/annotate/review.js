import { call } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { ReviewMenu, reviewBy, reviewIcon, reviewText } from '../project/reviews.js';
import { toast } from '../ui/toast.js';

/** @typedef {import('../project/reviews.js').Reviewed} Reviewed */

/**
 * The status by hand of the open image: a button in the top bar, and the comment of
 * whoever rejected it. The page comes with the comment; a note that came or went
 * later by itself would move the image while a person works on it.
 */
export class ReviewPart {
  /**
   * @param {DOMStringMap} data of #app
   * @param {import('./leaving.js').Leaving} leaving
   * @param {() => number} known how many events of the image the page shows
   */
  constructor(data, leaving, known) {
    this.leaving = leaving;
    this.known = known;
    /** @type {Reviewed} */
    this.image = { id: data.image ?? '', name: data.name ?? '', seq: 0 };
    /** Whether the status is known; until then, the page shows what it came with. */
    this.told = false;
    this.button = byId('review');
    this.note = byId('review-note');
    /** Where the button is in a menu. */
    this.mark = byId('review-mark');
    /** As the reviewer wrote it; the browser may translate what is shown. */
    this.comment = byId('review-comment').textContent ?? '';
    this.corrected = /** @type {HTMLButtonElement} */ (byId('review-corrected'));
    this.menu = new ReviewMenu(data.project ?? '', () => [this.seen()], ([image]) => this.set(image), () => this.open(), () => void this.approveOn());
    this.button.addEventListener('click', () => this.menu.open(this.button.checkVisibility() ? this.button : byId('more')));
    byId('review-close').addEventListener('click', () => {
      this.note.hidden = true;
      byId('canvas').focus({ preventScroll: true });
    });
    this.corrected.addEventListener('click', () => void this.menu.set('done', this.image.review?.comment));
  }

  /** Asks for the status. */
  async load() {
    try {
      this.hear(await call('GET', `/api/v1/images/${encodeURIComponent(this.image.id)}`));
    } catch {
      // The page says by itself that the server is away; the status comes when it is back.
    }
  }

  /** The person has set the status, or has taken that back. @param {Reviewed} image */
  set(image) {
    this.show(image);
    if (image.review?.status === 'rejected') this.open();
    else this.note.hidden = true;
  }

  /** Approves the image as it is saved, and goes to the next unless something is not labelled. */
  async approveOn() {
    if (!this.menu.offers('approved')) toast('Not allowed', 'Only reviewers and owners of the project approve images.', 'problem');
    else if ((await this.leaving.saved()) && (await this.menu.set('approved'))) await this.leaving.go('next');
  }

  /** The image with the events that are on the page, also if these are to be painted only with the next frame. */
  seen() {
    const seq = this.known();
    if (seq > this.image.seq) {
      this.image = { ...this.image, seq };
      if (this.told) this.show(this.image);
    }
    return this.image;
  }

  /** Somebody may have set the status. @param {Reviewed} image */
  hear(image) {
    const { review } = image;
    const known = this.comment;
    if (!this.note.hidden) this.note.style.height = `${this.note.getBoundingClientRect().height}px`;
    this.show(image);
    if (review?.status === 'rejected' && review.comment !== known) {
      toast(reviewBy(review), review.comment, 'problem', { label: 'Show', run: () => this.open() });
    }
  }

  /** Shows the comment. */
  open() {
    this.note.hidden = false;
    this.note.style.height = '';
    byId('canvas').focus({ preventScroll: true }); // what had it may be gone
  }

  /** @param {Reviewed} image */
  show(image) {
    this.image = image;
    this.told = true;
    const { review } = image;
    const rejected = review?.status === 'rejected';
    const text = reviewText(image);
    byId('review-state').textContent = text || 'Status';
    this.button.dataset.review = review?.status ?? '';
    this.button.title = review?.comment ? `${text}: ${review.comment}` : text || 'Set the status of the image';
    this.mark.hidden = !review || this.button.matches(':not(.hide-small)');
    this.mark.ariaLabel = text;
    this.mark.dataset.review = review?.status ?? '';
    for (const element of [this.button, this.note, this.mark]) element.querySelector('use')?.setAttribute('href', `#i-${reviewIcon(review)}`);
    this.note.dataset.review = review?.status ?? '';
    byId('review-by').textContent = reviewBy(review) + (rejected ? ':' : '');
    this.comment = rejected ? review.comment ?? '' : '';
    byId('review-comment').textContent = this.comment;
    byId('canvas').setAttribute('aria-describedby', rejected ? 'review-by review-comment canvas-hint' : 'canvas-hint');
    this.corrected.disabled = !rejected;
    this.menu.offer('comment', rejected);
  }
}
