import { VOID } from './protocol.js';

/**
 * @typedef {import('./protocol.js').HypothesisFrame} HypothesisFrame
 *
 * @typedef {object} Card one distinct hypothesis of the current run
 * @property {number} rank of its first appearance
 * @property {string} digest
 * @property {number} energy
 * @property {Uint8Array} labels
 * @property {number} count how often the sequence has come to it
 * @property {boolean} stale made for older evidence
 * @property {import('./protocol.js').Offer} [offer] what it is when it is not in the sequence; its rank is -1
 * @property {string} [name] of an offer, in words
 */

/** Hypotheses requested in addition, and the most that a run can have. */
const STEP = 20;
const MOST = 100;

/**
 * The hypotheses of the current run, as cards in places. A new run takes the
 * places over from the left as its hypotheses arrive, so that no card moves
 * under the pointer. Knows nothing of the page.
 */
export class Hypotheses {
  constructor() {
    this.run = 0;
    /** The number of the last event that the run takes into account. */
    this.seq = 0;
    /** How many hypotheses the run was asked for. */
    this.wanted = 0;
    /** How many classes the run has in play. */
    this.classes = 0;
    /** Whether clicks contradict the first guess so much that it counts for nothing. */
    this.refuted = false;
    /** How many frames have come. */
    this.received = 0;
    /** How many places hold cards of the current run. */
    this.fresh = 0;
    /** @type {Card[]} */
    this.cards = [];
    /** @type {import('./protocol.js').DoneMessage | null} */
    this.done = null;
  }

  /** The evidence has changed: what is shown was made for the old. */
  outdate() {
    for (const card of this.cards) card.stale = true;
    this.fresh = 0;
    this.run = 0;
    this.done = null;
  }

  /**
   * Puts what is shown in terms of other superpixels; it is stale by that.
   *
   * @param {ArrayLike<number>} sources the old superpixel per new one
   */
  renew(sources) {
    this.outdate();
    for (const card of this.cards) card.labels = Uint8Array.from(sources, (s) => card.labels[s]);
  }

  /**
   * A run begins. A run for the same clicks as the last one usually brings the same
   * hypotheses, so the cards stay as they are until a different one arrives.
   *
   * @param {import('./protocol.js').RunMessage} message
   * @param {boolean} [same]
   */
  start(message, same = false) {
    if (!same) this.outdate();
    this.fresh = 0;
    this.done = null;
    this.run = message.run;
    this.seq = message.seq;
    this.wanted = message.count;
    this.classes = message.classes?.length ?? 0;
    this.refuted = message.refuted === true;
    this.received = 0;
  }

  /**
   * @param {HypothesisFrame} frame
   * @returns {'placed' | 'folded' | 'ignored'}
   */
  add(frame) {
    if (frame.run !== this.run) return 'ignored';
    this.received++;
    for (let i = 0; i < this.fresh; i++) {
      if (this.cards[i].digest === frame.digest) {
        this.cards[i].count++;
        return 'folded';
      }
    }
    const { rank, digest, energy, labels } = frame;
    if (this.cards[this.fresh]?.digest !== digest) for (const card of this.cards.slice(this.fresh)) card.stale = true;
    this.cards[this.fresh++] = { rank, digest, energy, labels, count: 1, stale: false };
    return 'placed';
  }

  /**
   * Ends the run; places that it has not filled become empty, unless it is to
   * start again by itself.
   *
   * @param {import('./protocol.js').DoneMessage} message
   */
  finish(message) {
    if (message.run !== this.run || message.reason === 'superseded') return;
    this.done = message;
    if (message.reason === 'busy') return;
    for (const card of this.cards.splice(this.fresh)) card.stale = true; // it may still be selected
  }

  /** The cards that were made for the current clicks. */
  get present() {
    return this.cards.filter(({ stale }) => !stale);
  }

  /** How many hypotheses to ask for to get more than there are, or 0 when there can't be more. */
  get more() {
    if (!this.done || this.classes < 2 || (this.done.reason !== 'complete' && this.done.reason !== 'stopped')) return 0;
    const next = this.done.reason === 'stopped' ? this.wanted : this.wanted + STEP;
    return this.received < MOST ? Math.min(MOST, next) : 0;
  }

  /** The place of the card that is expected to match the truth best, once the run has told; or -1 when that is the first. */
  get marked() {
    const rank = this.done?.marked ?? 0;
    return rank === 0 ? -1 : this.cards.findIndex((card) => !card.stale && card.rank === rank);
  }

  get running() {
    return this.run !== 0 && this.done === null;
  }

  /** The best score among the cards of the current run. */
  best() {
    let best = -Infinity;
    for (const card of this.cards) if (!card.stale) best = Math.max(best, card.energy);
    return best;
  }
}

/**
 * What hypotheses are compared with: the labelling, and where that is undecided
 * the first of them, so that they can be told apart before anything is accepted.
 *
 * @param {Uint8Array} labels
 * @param {Uint8Array} first
 */
export function reference(labels, first) {
  return labels.map((l, s) => (l === VOID ? first[s] : l));
}
