import { byId, stamp } from '../ui/dom.js';
import { leaders } from '../evidence/folds.js';
import { changed, reference } from '../evidence/hypotheses.js';
import { percent } from '../ui/numbers.js';

/**
 * @typedef {import('../evidence/hypotheses.js').Card} Card
 *
 * @typedef {object} StripListener places count from the left
 * @property {(place: number) => void} preview the pointer is over a card, or -1
 * @property {(place: number) => void} select
 * @property {(place: number) => void} take a card that had its preview already is clicked
 * @property {() => void} refolded cards have been folded or unfolded
 *
 * @typedef {object} Shown what a card's element was last painted with
 * @property {HTMLElement} element
 * @property {<T extends HTMLElement>(name: string) => T} slot
 * @property {Uint8Array[]} painted the labels that the thumbnail was made from
 * @property {readonly string[]} colors
 */

/** The strip of hypotheses at the bottom. */
export class Strip {
  /**
   * @param {import('../canvas/thumbnails.js').Thumbnails} thumbnails
   * @param {ArrayLike<number>} area per superpixel
   * @param {StripListener} listener
   */
  constructor(thumbnails, area, listener) {
    this.thumbnails = thumbnails;
    this.area = area;
    this.listener = listener;
    this.list = byId('cards');
    /** @type {Shown[]} */
    this.shown = [];
    /** @type {number[]} for each card the place of the one that it is folded into */
    this.leaders = [];
    /** @type {string[]} of the cards in their places */
    this.digests = [];
    /** The cards that the folds were computed for. */
    this.folded = '';
    /** @type {Set<string>} digests of the cards whose folds are open */
    this.open = new Set();
    /** Whether the pointer is over the strip; nothing may move then. */
    this.pointed = false;
    this.list.addEventListener('pointerenter', () => (this.pointed = true));
    this.list.addEventListener('pointerleave', () => {
      this.pointed = false;
      listener.refolded();
    });
    this.list.addEventListener('wheel', (e) => {
      if (e.deltaX === 0 && !e.shiftKey) this.list.scrollLeft += e.deltaY;
    }, { passive: true });
    this.list.addEventListener('keydown', (e) => {
      const place = this.shown.findIndex(({ element }) => element === document.activeElement);
      if (place < 0) return;
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
        e.preventDefault();
        this.unfold(place, e.key === 'ArrowDown');
        return;
      }
      const seen = [...this.shown.keys()].filter((i) => this.visible(i));
      const at = seen.indexOf(place);
      const next = { ArrowRight: seen[at + 1], ArrowLeft: seen[at - 1], Home: seen[0], End: seen.at(-1) }[e.key];
      if (next === undefined) return;
      e.preventDefault();
      this.shown[next].element.focus();
      this.listener.select(next);
    });
  }

  /**
   * Switches to other superpixels; the thumbnails stay until they are painted again.
   *
   * @param {import('../canvas/thumbnails.js').Thumbnails} thumbnails
   * @param {ArrayLike<number>} area per superpixel
   */
  renew(thumbnails, area) {
    this.thumbnails = thumbnails;
    this.area = area;
    for (const shown of this.shown) shown.painted = [];
  }

  /**
   * @param {object} now
   * @param {import('../evidence/hypotheses.js').Hypotheses} now.hypotheses
   * @param {Uint8Array} now.labels the labelling
   * @param {readonly string[]} now.colors of the classes
   * @param {number} now.selected place, or -1
   */
  update({ hypotheses, labels, colors, selected }) {
    const { cards } = hypotheses;
    while (this.shown.length > cards.length) this.shown.pop()?.element.remove();
    while (this.shown.length < cards.length) this.append(this.shown.length);
    byId('strip-empty').hidden = cards.length > 0;
    this.fold(cards);
    const best = hypotheses.best();
    const compared = hypotheses.present.length > 0 ? reference(labels, cards[0].labels) : labels;
    cards.forEach((card, place) => {
      const shown = this.shown[place];
      const { element } = shown;
      element.hidden = !this.visible(place) && place !== selected;
      element.classList.toggle('stale', card.stale);
      element.classList.toggle('folded', this.leaders[place] !== place);
      element.setAttribute('aria-selected', String(place === selected));
      element.tabIndex = place === Math.max(0, selected) ? 0 : -1;
      if (card.stale) return;
      this.describe(shown, place, card, best - card.energy, labels, compared);
      const from = [card.labels, labels, compared];
      if (shown.colors === colors && shown.painted.length > 0 && from.every((l, i) => same(l, shown.painted[i]))) return;
      shown.painted = from;
      shown.colors = colors;
      this.thumbnails.paint(shown.slot('thumbnail'), card.labels, labels, compared, colors);
    });
  }

  /**
   * @param {Shown} shown
   * @param {number} place
   * @param {Card} card
   * @param {number} gap to the best score
   * @param {Uint8Array} labels
   * @param {Uint8Array} compared
   */
  describe({ slot, element }, place, card, gap, labels, compared) {
    const differs = changed(card.labels, compared, this.area);
    const fills = changed(labels, compared, this.area);
    const current = differs === 0 && fills === 0;
    slot('rank').textContent = String(place + 1);
    slot('gap').textContent = gap === 0 ? 'best' : `−${short(gap)}`;
    slot('area').textContent = current ? 'current' : differs === 0 ? `labels ${percent(fills)}` : `${percent(differs)} different`;
    slot('count').textContent = `× ${card.count}`;
    slot('count').hidden = card.count === 1;
    const alike = this.leaders.filter((l) => l === place).length - 1;
    slot('fold').hidden = alike <= 0;
    slot('fold').textContent = this.open.has(card.digest) ? `− ${alike} similar` : `+ ${alike} similar`;
    this.digests[place] = card.digest;
    element.classList.toggle('current', current);
    slot('gap-note').textContent = gap === 0 ? ' score, ' : ' below the best score, ';
    slot('area-note').hidden = current;
    slot('fold-note').hidden = slot('fold').hidden;
  }

  /**
   * Finds nearly identical cards, but not while the pointer is over the strip.
   *
   * @param {readonly Card[]} cards
   */
  fold(cards) {
    const source = cards.map(({ digest, stale }) => digest + stale).join();
    if (source === this.folded || this.pointed) {
      for (let place = this.leaders.length; place < cards.length; place++) this.leaders.push(place);
      return;
    }
    this.folded = source;
    this.leaders = leaders(cards, this.area);
  }

  /** Whether the card in a place is not folded away. @param {number} place */
  visible(place) {
    const leader = this.leaders[place] ?? place;
    return leader === place || this.open.has(this.digests[leader]);
  }

  /** @param {number} place of a card @param {boolean} open whether those like it are shown */
  unfold(place, open) {
    const leader = this.leaders[place] ?? place;
    if (open) this.open.add(this.digests[leader]);
    else this.open.delete(this.digests[leader]);
    if (!open && leader !== place) this.listener.select(leader);
    this.shown[leader].element.focus();
    this.listener.refolded();
  }

  /** @param {number} place */
  append(place) {
    const { element, slot } = stamp('card-template');
    element.addEventListener('pointerenter', (e) => e.pointerType !== 'touch' && this.listener.preview(place));
    element.addEventListener('pointerleave', () => this.listener.preview(-1));
    element.addEventListener('click', (e) => {
      const looked = /** @type {PointerEvent} */ (e).pointerType !== 'touch' && !e.shiftKey; // a finger does not hover
      if (looked) this.listener.take(place);
      else this.listener.select(place);
    });
    slot('fold').addEventListener('click', (e) => {
      e.stopPropagation();
      this.unfold(place, !this.open.has(this.digests[place]));
    });
    this.list.append(element);
    this.shown.push({ element, slot, painted: [], colors: [] });
  }

  /** @param {number} place */
  reveal(place) {
    this.shown[place]?.element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}

/** @param {Uint8Array} a @param {Uint8Array} b */
function same(a, b) {
  return a === b || a.every((v, i) => v === b[i]);
}

/**
 * A number with about three digits.
 *
 * @param {number} x not negative
 */
export function short(x) {
  if (x >= 100) return x.toFixed(0);
  if (x >= 10) return x.toFixed(1);
  return x >= 0.01 ? x.toFixed(2) : x.toPrecision(1);
}
