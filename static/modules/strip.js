import { byId, stamp } from './dom.js';
import { changed } from './hypotheses.js';
import { percent } from './status.js';

/**
 * @typedef {import('./hypotheses.js').Card} Card
 *
 * @typedef {object} StripListener places count from the left
 * @property {(place: number) => void} preview the pointer is over a card, or -1
 * @property {(place: number) => void} select
 * @property {(place: number) => void} accept
 *
 * @typedef {object} Shown what a card's element was last painted with
 * @property {HTMLElement} element
 * @property {<T extends HTMLElement>(name: string) => T} slot
 * @property {Uint8Array | null} labels
 * @property {Uint8Array | null} current
 * @property {readonly string[]} colors
 */

/** The strip of hypotheses at the bottom. */
export class Strip {
  /**
   * @param {import('./thumbnails.js').Thumbnails} thumbnails
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
    this.list.addEventListener('wheel', (e) => {
      if (e.deltaX === 0 && !e.shiftKey) this.list.scrollLeft += e.deltaY;
    }, { passive: true });
    this.list.addEventListener('keydown', (e) => {
      const place = this.shown.findIndex(({ element }) => element === document.activeElement);
      const next = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: this.shown.length - 1 }[e.key];
      if (place < 0 || next === undefined || !this.shown[next]) return;
      e.preventDefault();
      this.shown[next].element.focus();
      this.listener.select(next);
    });
  }

  /**
   * @param {object} now
   * @param {import('./hypotheses.js').Hypotheses} now.hypotheses
   * @param {Uint8Array} now.labels the labelling
   * @param {readonly string[]} now.colors of the classes
   * @param {number} now.selected place, or -1
   */
  update({ hypotheses, labels, colors, selected }) {
    const { cards } = hypotheses;
    while (this.shown.length > cards.length) this.shown.pop()?.element.remove();
    while (this.shown.length < cards.length) this.append(this.shown.length);
    byId('strip-empty').hidden = cards.length > 0;
    const best = hypotheses.best();
    cards.forEach((card, place) => {
      const shown = this.shown[place];
      const { element } = shown;
      element.classList.toggle('stale', card.stale);
      element.setAttribute('aria-selected', String(place === selected));
      element.tabIndex = place === Math.max(0, selected) ? 0 : -1;
      if (!card.stale) this.paint(shown, card, place, best, labels, colors);
    });
  }

  /**
   * @param {Shown} shown
   * @param {Card} card
   * @param {number} place
   * @param {number} best
   * @param {Uint8Array} labels
   * @param {readonly string[]} colors
   */
  paint(shown, card, place, best, labels, colors) {
    const { slot, element } = shown;
    const share = changed(card.labels, labels, this.area);
    const gap = card.energy === best ? 'best' : `−${short(best - card.energy)}`;
    slot('rank').textContent = String(place + 1);
    slot('gap').textContent = gap;
    slot('area').textContent = share === 0 ? 'current' : `${percent(share)} differs`;
    slot('count').textContent = `× ${card.count}`;
    slot('count').hidden = card.count === 1;
    element.classList.toggle('current', share === 0);
    element.setAttribute(
      'aria-label',
      `Hypothesis ${place + 1}, ${gap === 'best' ? 'best score' : `score ${short(best - card.energy)} below the best`}, ` +
        `${share === 0 ? 'same as the labelling' : `differs on ${percent(share)} of the area`}` +
        (card.count > 1 ? `, came out ${card.count} times` : ''),
    );
    if (shown.labels && same(shown.labels, card.labels) && shown.current && same(shown.current, labels) && shown.colors === colors) return;
    Object.assign(shown, { labels: card.labels, current: labels, colors });
    this.thumbnails.paint(slot('thumbnail'), card.labels, labels, colors);
  }

  /** @param {number} place */
  append(place) {
    const { element, slot } = stamp('card-template');
    element.addEventListener('pointerenter', (e) => e.pointerType !== 'touch' && this.listener.preview(place));
    element.addEventListener('pointerleave', () => this.listener.preview(-1));
    element.addEventListener('click', () => this.listener.select(place));
    element.addEventListener('dblclick', () => this.listener.accept(place));
    this.list.append(element);
    this.shown.push({ element, slot, labels: null, current: null, colors: [] });
  }

  /** @param {number} place */
  reveal(place) {
    this.shown[place]?.element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}

/** @param {Uint8Array} a @param {Uint8Array} b */
function same(a, b) {
  return a === b || (a.length === b.length && a.every((v, i) => v === b[i]));
}

/**
 * A number in about three digits.
 *
 * @param {number} x not negative
 */
export function short(x) {
  if (x >= 100) return x.toFixed(0);
  if (x >= 10) return x.toFixed(1);
  return x >= 0.01 ? x.toFixed(2) : x.toPrecision(1);
}
