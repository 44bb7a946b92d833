import { call } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { ReviewMenu, reviewIcon, reviewText } from '../project/reviews.js';

/** @typedef {import('../project/reviews.js').Reviewed} Reviewed */

/** The status by hand of the open image: a button in the top bar, and the comment of whoever rejected it. */
export class ReviewPart {
  /** @param {DOMStringMap} data of #app */
  constructor(data) {
    /** @type {Reviewed} */
    this.image = { id: data.image ?? '', name: data.name ?? '', seq: 0 };
    this.button = byId('review');
    this.menu = new ReviewMenu(data.project ?? '', () => [this.image], ([image]) => this.show(image));
    this.button.addEventListener('click', () => this.menu.open(this.button.checkVisibility() ? this.button : byId('more')));
    byId('review-close').addEventListener('click', () => {
      byId('review-note').hidden = true;
      byId('canvas').focus({ preventScroll: true });
    });
    byId('review-corrected').addEventListener('click', () => void this.menu.set('done', this.image.review?.comment));
  }

  /** Asks for the status. */
  async load() {
    try {
      this.show(await call('GET', `/api/v1/images/${encodeURIComponent(this.image.id)}`));
    } catch {
      // The page says by itself that the server is away; the status comes when it is back.
    }
  }

  /** @param {Reviewed} image */
  show(image) {
    this.image = image;
    const { review } = image;
    const text = reviewText(image);
    byId('review-state').textContent = text || 'Status';
    this.button.dataset.review = review?.status ?? '';
    this.button.title = review?.comment ? `${text}: ${review.comment}` : 'Set the status of the image';
    this.button.querySelector('use')?.setAttribute('href', `#i-${reviewIcon(review)}`);
    byId('review-note').hidden = review?.status !== 'rejected';
    byId('review-by').textContent = review?.by ? `Rejected by ${review.by}:` : 'Rejected:';
    byId('review-comment').textContent = review?.comment ?? '';
  }
}
