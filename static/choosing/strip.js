import { byId, isTap, showIn, stamp } from '../ui/dom.js';
import { changes, inWords, shareOf, whatChanges } from '../evidence/changes.js';
import { leaders } from '../evidence/folds.js';
import { reference } from '../evidence/hypotheses.js';
import { counted, percent } from '../ui/numbers.js';

/**
 * @typedef {import('../evidence/hypotheses.js').Card} Card
 *
 * @typedef {object} StripListener places count from the left
 * @property {(place: number) => void} preview the pointer is over a card, or -1
 * @property {(place: number) => void} select
 * @property {(place: number) => void} take a card that is already previewed is clicked
 * @property {() => void} refolded cards have been folded or unfolded, or have come into view
 * @property {(label: number) => string} nameOf a class
 * @property {(text: string) => void} say
 *
 * @typedef {object} Shown what a card's element was last painted with
 * @property {HTMLElement} element
 * @property {<T extends HTMLElement>(name: string) => T} slot
 * @property {Card | null} card
 * @property {Uint8Array[]} painted the labels that the thumbnail was made from
 * @property {string} colors of the classes, one after the other
 * @property {number} rest
 * @property {boolean} near whether it may be in view, or nearly so; its thumbnail is painted only then
 */

/** CSS pixels beyond the strip's edges within which thumbnails are painted. */
const AHEAD = 160;

/** What the mark of a card says, in full. */
const MARKED = 'If one of the hypotheses is right, this one is expected to match it best.';

/** The strip of hypotheses: beside the image, or below it. */
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
    /** What thumbnails show besides their cards. @type {{labels: Uint8Array, compared: Uint8Array, colors: readonly string[], rest: number}} */
    this.depicted = { labels: new Uint8Array(), compared: new Uint8Array(), colors: [], rest: -1 };
    /** The place of the marked card, or -1. */
    this.marked = -1;
    /** The place of the selected card, or -1. */
    this.selected = -1;
    /** Whether the pointer is over the strip; nothing may move then. */
    this.pointed = false;
    this.sight = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) {
        const shown = this.shown.find(({ element }) => element === target);
        if (shown) shown.near = isIntersecting;
      }
      listener.refolded();
    }, { root: this.list, rootMargin: `${AHEAD}px` });
    this.list.style.setProperty('--aspect', String(thumbnails.aspect));
    this.list.addEventListener('pointerenter', () => (this.pointed = true));
    this.list.addEventListener('pointerleave', () => {
      this.pointed = false;
      listener.refolded();
    });
    this.list.addEventListener('wheel', (e) => {
      if (e.deltaX === 0 && !e.shiftKey && this.list.scrollHeight <= this.list.clientHeight) this.list.scrollLeft += e.deltaY;
    }, { passive: true });
    this.list.addEventListener('keydown', (e) => {
      const place = this.shown.findIndex(({ element }) => element === document.activeElement);
      if (place < 0) return;
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
        e.preventDefault();
        this.unfold(place, e.key === 'ArrowDown');
        return;
      }
      const { seen } = this;
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
    this.forget();
  }

  /** Has the thumbnails painted again. */
  forget() {
    for (const shown of this.shown) shown.painted = [];
  }

  /**
   * Updates the cards but for their thumbnails.
   *
   * @param {object} now
   * @param {import('../evidence/hypotheses.js').Hypotheses} now.hypotheses
   * @param {Uint8Array} now.labels the labelling
   * @param {readonly string[]} now.colors of the classes
   * @param {number} now.rest id of the class that nobody need click, or -1
   * @param {number} now.selected place, or -1
   */
  update({ hypotheses, labels, colors, rest, selected }) {
    const { cards } = hypotheses;
    while (this.shown.length > cards.length) this.drop();
    while (this.shown.length < cards.length) this.append(this.shown.length);
    byId('strip-empty').hidden = cards.length > 0;
    this.selected = selected;
    this.fold(cards);
    this.marked = this.leaders[hypotheses.marked] || -1; // a mark on the first card would tell nothing
    const best = hypotheses.best();
    const compared = hypotheses.present.length > 0 ? reference(labels, cards[0].labels) : labels;
    this.depicted = { labels, compared, colors, rest };
    cards.forEach((card, place) => {
      const shown = this.shown[place];
      const { element } = shown;
      shown.card = card;
      element.hidden = !this.visible(place) && place !== selected;
      element.classList.toggle('stale', card.stale);
      element.classList.toggle('folded', this.leaders[place] !== place);
      element.setAttribute('aria-selected', String(place === selected));
      element.tabIndex = place === Math.max(0, selected) ? 0 : -1;
      if (!card.stale) this.describe(shown, place, card, best - card.energy, labels, compared);
    });
  }

  /** Paints the first thumbnail that is outdated and may be in view. @returns {boolean} whether there was one */
  paintOne() {
    const { labels, compared, colors, rest } = this.depicted;
    const tints = colors.join();
    return this.shown.some((shown) => {
      const { card } = shown;
      if (!card || card.stale || shown.element.hidden || !shown.near) return false;
      const from = [card.labels, labels, compared];
      const current = shown.colors === tints && shown.rest === rest && shown.painted.length > 0 && from.every((l, i) => same(l, shown.painted[i]));
      Object.assign(shown, { painted: from, colors: tints, rest });
      if (current) return false;
      this.thumbnails.paint(shown.slot('close'), shown.slot('whole'), { labels: card.labels, current: labels, compared, colors, rest });
      return true;
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
    const { nameOf } = this.listener;
    const differs = changes(compared, card.labels, this.area);
    const all = differs.length > 0 ? differs : changes(labels, card.labels, this.area);
    const what = all.length === 0 ? 'Same as now' : whatChanges(all, nameOf);
    const area = all.length === 0 || differs.length === 0 ? '' : `${percent(shareOf(all))} of the image`;
    const number = this.numberOf(place);
    this.digests[place] = card.digest;
    slot('rank').textContent = number;
    slot('rank-badge').hidden = number === '';
    slot('what').textContent = what;
    slot('area').textContent = area;
    const alike = this.leaders.filter((l) => l === place).length - 1;
    const open = this.open.has(card.digest);
    slot('fold').hidden = alike <= 0;
    slot('fold').textContent = open ? `− ${alike} similar` : `+ ${alike} similar`;
    slot('fold-note').hidden = slot('fold').hidden;
    slot('fold-note').textContent = `, press ${open ? 'Up to hide' : 'Down to show'} them`;
    const marked = place === this.marked;
    slot('mark').hidden = !marked;
    element.classList.toggle('current', all.length === 0);
    const score = gap === 0 ? 'Best score' : `Score ${short(gap)} below the best`;
    element.title = `${all.length === 0 ? what : inWords(all, nameOf)}. ${score}${card.count > 1 ? `, found ${counted(card.count, 'time')}` : ''}.${marked ? ` ${MARKED}` : ''}`;
  }

  /** Places of the cards that are not folded away. */
  get seen() {
    return [...this.shown.keys()].filter((place) => this.visible(place));
  }

  /** How many cards have a number. */
  get total() {
    return this.leaders.reduce((sum, leader, place) => sum + Number(leader === place), 0);
  }

  /** The number of a card as it is seen; "" for one that is folded into another. @param {number} place */
  numberOf(place) {
    if ((this.leaders[place] ?? place) !== place) return '';
    let number = 1;
    for (let p = 0; p < place; p++) if ((this.leaders[p] ?? p) === p) number++;
    return String(number);
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
    const alike = this.leaders.filter((l) => l === leader).length - 1;
    if (alike > 0) this.listener.say(`${alike} similar ${open ? 'shown' : 'hidden'}`);
  }

  /** @param {number} place */
  append(place) {
    const { element, slot } = stamp('card-template');
    element.addEventListener('pointerenter', (e) => e.pointerType !== 'touch' && this.listener.preview(place));
    element.addEventListener('pointerleave', () => this.listener.preview(-1));
    element.addEventListener('click', (e) => { // the first tap previews
      if (isTap(e) ? place === this.selected : !e.shiftKey) this.listener.take(place);
      else this.listener.select(place);
    });
    slot('fold').addEventListener('click', (e) => {
      e.stopPropagation();
      this.unfold(place, !this.open.has(this.digests[place]));
    });
    this.list.append(element);
    this.shown.push({ element, slot, card: null, painted: [], colors: '', rest: -1, near: true }); // as long as the browser has not said where it is
    this.sight.observe(element);
  }

  /** Removes the last card. */
  drop() {
    const shown = this.shown.pop();
    if (!shown) return;
    this.sight.unobserve(shown.element);
    shown.element.remove();
  }

  /** @param {number} place */
  reveal(place) {
    showIn(this.list, this.shown[place]?.element);
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
