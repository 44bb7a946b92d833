import { Choice } from './choice.js';
import { byId } from '../ui/dom.js';
import { region } from '../superpixels/graph.js';
import { VOID } from '../evidence/protocol.js';
import { toast } from '../ui/toast.js';

/**
 * @typedef {import('../evidence/hypotheses.js').Card} Card
 *
 * @typedef {object} Ports
 * @property {import('../evidence/session.js').Session} session
 * @property {Pick<import('./strip.js').Strip, 'reveal' | 'visible'>} strip
 * @property {() => import('../superpixels/graph.js').Graph} graph of the superpixels
 * @property {() => number} focus the superpixel under the cursor, or -1
 * @property {(text: string) => void} say
 * @property {() => void} refresh paints what has changed
 */

/** Milliseconds that an Enter pressed too early waits for its hypothesis. */
const EAGER = 4000;

/** Walks through the hypotheses and accepts them, whole or one region at a time. */
export class Acceptance {
  /** @param {Ports} ports */
  constructor(ports) {
    this.ports = ports;
    this.choice = new Choice();
    /** Time until which an Enter pressed too early is remembered. */
    this.eager = 0;
    /** Whether the next tap accepts the region under it. */
    this.picking = false;
  }

  get present() {
    return this.ports.session.evidence.present;
  }

  /** @param {number} place */
  nameOf(place) {
    return `hypothesis ${place + 1} of ${this.ports.session.hypotheses.cards.length}`;
  }

  /** A hypothesis has arrived. @param {number} place */
  placed(place) {
    const { hypotheses } = this.ports.session;
    const { labels, clicks } = this.present;
    const blank = labels.every((l, s) => l === clicks[s]);
    const telling = hypotheses.classes > 1; // one class everywhere tells nothing
    this.choice.placed(hypotheses.cards[place], place, telling && (this.choice.follow ?? blank));
    if (this.eager && performance.now() < this.eager && this.acceptable()) this.accept();
  }

  /** The run has ended. */
  finished() {
    this.choice.finished(this.ports.session.hypotheses);
    if (!this.expecting()) this.eager = 0;
  }

  /** The person has labelled something, so the next hypotheses are shown as they come. */
  labelled() {
    this.choice.follow = true;
    this.choice.hovered = null;
    this.eager = 0;
  }

  /** @param {number} place or -1 */
  hover(place) {
    this.choice.hover(this.ports.session.hypotheses, place);
    this.ports.refresh();
  }

  /** @param {number} place or -1 */
  select(place) {
    this.eager = 0;
    this.choice.hovered = null;
    this.choice.select(this.ports.session.hypotheses, place);
    this.ports.strip.reveal(place);
    if (this.choice.selected) this.ports.say(`Preview of ${this.nameOf(place)}`);
    this.ports.refresh();
  }

  /** Selects a card, and accepts it unless it is out of date or a region is to be tapped. @param {number} place */
  take(place) {
    this.select(place);
    if (!this.picking && !this.choice.selected?.card.stale) this.accept();
  }

  /** @param {1 | -1} step */
  walk(step) {
    const place = this.choice.beside(this.ports.session.hypotheses, step, (p) => this.ports.strip.visible(p));
    if (place >= 0) this.select(place);
  }

  /** Whether a hypothesis would change the labelling. @param {Card} card */
  differs(card) {
    const { labels, clicks } = this.present;
    return card.labels.some((l, s) => l !== labels[s] && clicks[s] === VOID);
  }

  /** The selected hypothesis in words when accepting it would change the labelling, or "". */
  get preview() {
    const { selected } = this.choice;
    return selected && this.differs(selected.card) ? this.nameOf(selected.place) : '';
  }

  /** Whether the selected hypothesis takes every click into account. */
  acceptable() {
    const { selected } = this.choice;
    return selected !== null && !selected.card.stale && this.ports.session.evidence.pending.every((p) => p.event.kind === 'accept');
  }

  /** Whether more hypotheses may come for the present clicks. */
  expecting() {
    const { hypotheses, evidence } = this.ports.session;
    return hypotheses.running || hypotheses.run === 0 || evidence.pending.length > 0;
  }

  /** Accepts the selected hypothesis, or the first one to arrive when none is ready yet. */
  accept() {
    const { selected } = this.choice;
    if (!selected || !this.acceptable()) {
      if (this.expecting()) this.eager = performance.now() + EAGER;
      return;
    }
    const differs = this.differs(selected.card);
    this.select(-1);
    if (differs) this.ports.session.accept(selected.card);
    this.ports.say(differs ? `Accepted ${this.nameOf(selected.place)}` : 'The labelling already matches this hypothesis');
  }

  /** Accepts the region of the selected hypothesis that differs around a superpixel. @param {number} [at] */
  acceptRegion(at = this.ports.focus()) {
    const { selected } = this.choice;
    if (!selected) return;
    if (at < 0) {
      toast('Point at a region first', 'Move the cursor over a part of the image that the preview changes.');
      return;
    }
    if (!this.acceptable()) return;
    const { labels } = this.present;
    const superpixels = region(this.ports.graph(), at, (s) => selected.card.labels[s] !== labels[s]);
    if (superpixels.length === 0) {
      toast('Nothing to accept here', 'The preview doesn’t change this region.');
      return;
    }
    this.takeRegion(selected.card, superpixels, `a region of ${superpixels.length} superpixels`);
  }

  /**
   * Makes a part of a hypothesis the labelling.
   *
   * @param {Card} card
   * @param {number[]} superpixels
   * @param {string} what it is, in words
   */
  takeRegion(card, superpixels, what) {
    if (card.stale) return;
    this.choice.follow = false;
    this.ports.session.accept(card, superpixels);
    this.ports.say(`Accepted ${what}`);
  }

  /** Turns on or off that the next tap accepts the region under it. @param {boolean} on */
  pickRegion(on) {
    this.picking = on;
    byId('accept-region').setAttribute('aria-pressed', String(on));
    if (on) this.ports.say('Tap the region to accept');
  }

  /** @param {number} s that was tapped @returns {boolean} whether the tap accepted a region */
  tapped(s) {
    if (!this.picking) return false;
    this.pickRegion(false);
    this.acceptRegion(s);
    return true;
  }

  /** The superpixels are different ones now, and cards may have gone. */
  renewed() {
    const { choice, ports } = this;
    if (choice.shown && !ports.session.hypotheses.cards.includes(choice.shown.card)) choice.selected = choice.hovered = null;
    this.eager = 0;
  }
}
