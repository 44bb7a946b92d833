import { changes, inWords } from '../evidence/changes.js';
import { Choice } from './choice.js';
import { divided } from '../evidence/division.js';
import { outdates } from '../evidence/evidence.js';
import { region } from '../superpixels/graph.js';
import { VOID } from '../evidence/protocol.js';
import { NextTap } from './nexttap.js';
import { toast } from '../ui/toast.js';

/**
 * @typedef {import('../evidence/hypotheses.js').Card} Card
 *
 * @typedef {object} Ports
 * @property {import('../exchange/session.js').Session} session
 * @property {Pick<import('./strip.js').Strip, 'reveal' | 'visible' | 'numberOf' | 'total'>} strip
 * @property {(label: number) => string} nameOf a class
 * @property {() => ArrayLike<number>} area of the current superpixels, those that clicks have divided included
 * @property {() => import('../superpixels/graph.js').Graph} graph of the superpixels
 * @property {() => number} focus the superpixel under the cursor, or -1
 * @property {(text: string) => void} say
 * @property {() => void} refresh paints what has changed
 */

/** The name of a hypothesis that is folded into another and so has no number. */
const SIMILAR = 'similar';

/** Walks through the hypotheses and accepts them, whole or one region at a time. */
export class Acceptance {
  /** @param {Ports} ports */
  constructor(ports) {
    this.ports = ports;
    this.choice = new Choice();
    /** Whether an Enter pressed too early waits for its hypothesis. */
    this.eager = false;
    /** Whether the last such wait was in vain. */
    this.missed = false;
    /** Steps through the hypotheses that were asked for before they had come. */
    this.ahead = 0;
    /** Removes the message about what was accepted last. */
    this.forget = () => {};
    /** How many steps could be undone when that was shown. */
    this.noticed = -1;
    this.regionTap = new NextTap('accept-region', 'Accept only a region', 'Tap the region to accept, or press Space on it.');
  }

  /** Whether the next tap accepts the region under it. */
  get picking() {
    return this.regionTap.awaited;
  }

  get present() {
    return this.ports.session.evidence.present;
  }

  /** @param {import('./choice.js').Chosen} chosen */
  nameOf(chosen) {
    const number = this.numberOf(chosen);
    if (chosen.place < 0) return number;
    return number === SIMILAR ? `a ${SIMILAR} hypothesis` : `hypothesis ${number}`;
  }

  /** @param {import('./choice.js').Chosen} chosen */
  numberOf({ card, place }) {
    if (place < 0) return card.name ?? '';
    const { strip } = this.ports;
    const number = strip.numberOf(place);
    return number ? `${number} of ${strip.total}` : SIMILAR;
  }

  /** What a hypothesis would change about the labelling, in words. @param {Card} card @param {readonly number[]} [superpixels] a part of it */
  whatOf({ labels: wanted }, superpixels) {
    const { labels, clicks } = this.present;
    const next = superpixels ? labels.slice() : wanted.map((l, s) => (clicks[s] === VOID ? l : labels[s]));
    for (const s of superpixels ?? []) next[s] = wanted[s];
    return inWords(changes(labels, next, this.ports.area()), this.ports.nameOf);
  }

  /** A hypothesis has arrived. @param {number} place */
  placed(place) {
    const { hypotheses } = this.ports.session;
    const telling = hypotheses.classes > 1; // one class everywhere tells nothing
    this.choice.placed(hypotheses.cards[place], place, telling && this.follows);
    this.acceptEarly();
    if (this.eager && !this.previewing) this.waive();
  }

  /** Whether the first hypothesis is previewed by itself when it comes: not where what has been accepted is shown. */
  get follows() {
    const { labels, clicks } = this.present;
    return this.choice.follow ?? this.ports.session.evidence.division.blank({ labels, clicks });
  }

  /** Whether something is, or will be, previewed that could be accepted. */
  get previewing() {
    return this.choice.selected !== null || this.ahead > 0 || this.follows;
  }

  /** Accepts what an Enter that came too early has waited for. */
  acceptEarly() {
    if (this.ahead === 0 && this.eager && (this.single || this.acceptable())) this.accept();
  }

  /** The strip shows what has arrived: takes the steps that were asked for before. */
  caughtUp() {
    const { hypotheses } = this.ports.session;
    while (this.ahead > 0 && this.current && hypotheses.fresh > 0) {
      const place = this.beside(1);
      if (!this.arrived(place)) break;
      const { eager } = this;
      this.select(place);
      this.eager = eager;
      this.ahead--;
    }
    if (!this.expecting()) this.ahead = 0;
    this.acceptEarly();
    if (this.eager && this.away) this.miss(`Hypotheses come once the ${this.back}.`);
    else if (this.eager && !this.expecting()) this.miss('No hypothesis has come for your clicks.');
    if (this.noticed !== this.ports.session.evidence.depth().undo) this.forget(); // its Undo would undo something else
  }

  /** A run has ended. */
  finished() {
    if (this.eager && this.expecting()) return; // the next one may bring what Enter waits for
    if (this.eager && this.choice.selected?.card.stale) this.miss('The hypothesis you chose is not among those for your latest clicks. Choose another one.');
    this.choice.finished(this.ports.session.hypotheses);
  }

  /** Says that an Enter has waited in vain. @param {string} why */
  miss(why) {
    this.waive();
    this.missed = true;
    toast('Nothing was accepted', why);
  }

  /** The person has labelled something, so the next hypotheses are shown as they come. */
  labelled() {
    this.choice.follow = true;
    this.choice.hovered = null;
    this.waive();
  }

  /** Accepts the hypothesis that the person has chosen to look at and now draws on, so that it is not lost. */
  keep() {
    const { chosen } = this.choice;
    if (!chosen || !this.acceptable() || !this.differs(chosen.card)) return;
    if (chosen.card.offer) this.accept();
    else this.take(chosen.place);
  }

  /** @param {number} place or -1 */
  hover(place) {
    this.choice.hover(this.ports.session.hypotheses, place);
    this.ports.refresh();
  }

  /** @param {number} place or -1 */
  select(place) {
    this.turnTo(place);
    if (this.choice.selected) this.announce(this.choice.selected);
  }

  /** Selects a card and says nothing. @param {number} place or -1 */
  turnTo(place) {
    this.eager = false;
    this.choice.hovered = null;
    this.choice.select(this.ports.session.hypotheses, place);
    this.ports.strip.reveal(place);
    this.ports.refresh();
  }

  /** @param {import('./choice.js').Chosen} chosen */
  announce(chosen) {
    this.ports.say(`Preview of ${this.nameOf(chosen)}: ${this.whatOf(chosen.card)}`);
  }

  /** Previews a labelling that is not among the cards. @param {Card} card */
  offer(card) {
    this.waive();
    this.choice.offer(card);
    this.ports.refresh();
  }

  /** Shows such a labelling as long as something points at it. @param {Card | null} card */
  glance(card) {
    this.choice.hovered = card && { card, place: -1 };
    if (this.choice.hovered) this.announce(this.choice.hovered);
    this.ports.refresh();
  }

  /** Selects a card, and accepts it, which says so by itself, unless it is out of date or a region is to be tapped. @param {number} place */
  take(place) {
    if (this.picking || !this.current || this.ports.session.hypotheses.cards[place]?.stale) return this.select(place);
    this.turnTo(place);
    this.accept();
  }

  /** @param {1 | -1} step */
  walk(step) {
    const { hypotheses } = this.ports.session;
    const place = this.beside(step);
    const there = this.ahead === 0 && this.current && hypotheses.fresh > 0 && (step < 0 || this.arrived(place));
    if (!there && this.expecting()) {
      this.ahead = this.away ? 0 : Math.max(0, this.ahead + step);
      this.wait();
      return;
    }
    if (place >= 0) this.select(place);
  }

  /** Whether a hypothesis of the current run is at the place after the selected one. @param {number} place */
  arrived(place) {
    return place >= 0 && place !== this.choice.selected?.place && !this.ports.session.hypotheses.cards[place].stale;
  }

  /** The place beside the selected one, of those that are seen; or -1. @param {1 | -1} step */
  beside(step) {
    return this.choice.beside(this.ports.session.hypotheses, step, (p) => this.ports.strip.visible(p));
  }

  /** Whether a hypothesis would change the labelling. @param {Card} card */
  differs(card) {
    const { labels, clicks } = this.present;
    return card.labels.some((l, s) => l !== labels[s] && clicks[s] === VOID);
  }

  /** The selected hypothesis in words when accepting it would change the labelling, or "". */
  get preview() {
    const { selected } = this.choice;
    return selected && this.differs(selected.card) ? this.nameOf(selected) : '';
  }

  /** Whether the hypotheses of the run take every click into account: while one is on its way, those for the clicks before it may still come. */
  get current() {
    return this.ports.session.evidence.pending.every((p) => !outdates(p.event));
  }

  /** Whether the selected hypothesis takes every click into account. */
  acceptable() {
    const { selected } = this.choice;
    return selected !== null && !selected.card.stale && this.ports.session.evidence.pending.every((p) => p.event.kind === 'accept');
  }

  /** Whether nothing can be accepted before the server is back: what is shown was made for earlier clicks. */
  get barred() {
    return this.away && !this.acceptable();
  }

  /** Whether only one class is in play, so that its hypothesis need not be looked at. */
  get single() {
    const { hypotheses } = this.ports.session;
    return !this.choice.selected && hypotheses.classes === 1 && hypotheses.fresh > 0;
  }

  /** Whether more hypotheses can still come for the current clicks. */
  expecting() {
    const { hypotheses, evidence } = this.ports.session;
    return hypotheses.running || hypotheses.run === 0 || hypotheses.done?.reason === 'busy' || evidence.pending.length > 0;
  }

  /** Whether hypotheses can't come before the server is back. */
  get away() {
    return ['offline', 'signed-out', 'trashed'].includes(this.ports.session.save);
  }

  /** What hypotheses wait for then. */
  get back() {
    return this.ports.session.trashed ? 'image is restored' : 'server is back';
  }

  /** What a key waits for that was pressed before the hypotheses came, or "". */
  get waiting() {
    if (this.eager) return 'Will be accepted when it arrives';
    return this.ahead > 0 ? 'Will be shown when it arrives' : '';
  }

  /** Says what a key waits for. */
  wait() {
    if (!this.expecting()) return;
    if (this.away) toast('No hypotheses yet', `They will come once the ${this.back}.`);
    else this.ports.say(this.waiting);
    this.ports.refresh();
  }

  /** Keys that were pressed too early no longer count. */
  waive() {
    this.eager = false;
    this.ahead = 0;
  }

  /** Accepts the selected hypothesis, or the first one to arrive when none is ready yet. With one class in play that is the whole image. */
  accept() {
    const { session } = this.ports;
    const { hypotheses } = session;
    if (this.picking) this.pickRegion(false);
    if (this.single) this.choice.select(hypotheses, 0);
    const { selected } = this.choice;
    if (!selected || this.ahead > 0 || !this.acceptable()) {
      this.eager = this.previewing && this.expecting() && !this.away;
      this.missed = false;
      this.wait();
      return;
    }
    this.ahead = 0;
    const differs = this.differs(selected.card);
    const what = differs ? this.whatOf(selected.card) : '';
    this.select(-1);
    if (!differs) return this.ports.say('The labelling already matches this hypothesis');
    session.accept(selected.card);
    this.notice('Accepted', what);
  }

  /**
   * Says what was accepted, and offers to undo it as long as that is the last step.
   *
   * @param {string} title
   * @param {string} what
   */
  notice(title, what) {
    const { session, say } = this.ports;
    this.forget();
    if (session.readOnly) return;
    const undo = () => {
      this.choice.follow = null;
      this.waive();
      session.travel('undo');
      say('Undone');
    };
    this.forget = toast(title, what, 'info', { label: 'Undo', run: undo });
    this.noticed = session.evidence.depth().undo;
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
    const { division } = this.ports.session.evidence;
    const differs = (/** @type {number} */ s) => selected.card.labels[s] !== labels[s];
    const from = division.numbers([at]).find(differs) ?? at;
    const superpixels = region(divided(this.ports.graph(), division), from, differs);
    if (superpixels.length === 0) {
      toast('Nothing to accept here', 'The preview doesn’t change this region.');
      return;
    }
    this.takeRegion(selected.card, superpixels);
  }

  /**
   * Makes a part of a hypothesis the labelling.
   *
   * @param {Card} card
   * @param {number[]} superpixels
   */
  takeRegion(card, superpixels) {
    if (card.stale) return;
    const what = this.whatOf(card, superpixels);
    this.choice.follow = false;
    this.ports.session.accept(card, superpixels);
    this.notice('Accepted here', what);
  }

  /** Turns on or off that the next tap accepts the region under it. @param {boolean} on */
  pickRegion(on) {
    this.regionTap.wait(on);
  }

  /** @param {number} s that was tapped @returns {boolean} whether the tap was meant to accept a region */
  tapped(s) {
    if (!this.picking) return false;
    this.pickRegion(false);
    if (!this.choice.selected || !this.acceptable()) return false;
    this.acceptRegion(s);
    return true;
  }

  /** The superpixels are different ones now, and cards may have gone. */
  renewed() {
    const { choice, ports } = this;
    if (choice.shown && !ports.session.hypotheses.cards.includes(choice.shown.card)) choice.selected = choice.hovered = null;
    if (this.eager) this.miss('The superpixels have changed. Choose one of the new hypotheses.');
    this.waive();
  }
}
