import { Exchange } from './exchange.js';
import { written } from '../evidence/playback.js';

/** One image being worked on: what the person says of it. */
export class Session extends Exchange {
  /**
   * @param {number[]} superpixels
   * @param {[number, number][]} points one in each superpixel, or none
   * @param {number} label
   */
  label(superpixels, points, label) {
    this.append({ kind: 'label', superpixels, points, class: label });
  }

  /**
   * Says what is at a point.
   *
   * @param {number} superpixel there
   * @param {[number, number]} point
   * @param {number} label
   * @param {import('../evidence/hypotheses.js').Card | undefined} shown what the person looks at, if a hypothesis
   */
  click(superpixel, point, label, shown) {
    this.append({ kind: 'label', fine: true, superpixels: [superpixel], points: [point], class: label, ...named(shown) });
  }

  /**
   * @param {number[]} superpixels
   * @param {[number, number][]} points one in each superpixel, or none
   */
  clear(superpixels, points) {
    this.append({ kind: 'clear', superpixels, points });
  }

  /**
   * Asks what the first hypothesis would be with a click that may follow, while
   * the button is held that makes it.
   *
   * @param {number} superpixel
   * @param {[number, number]} point
   * @param {number} label
   * @param {import('../evidence/hypotheses.js').Card | undefined} shown
   */
  suppose(superpixel, point, label, shown) {
    const superpixels = [superpixel];
    const { evidence } = this;
    this.unsuppose();
    if (this.save !== 'saved' || this.waiting || this.readOnly) return;
    if (written(evidence.present, { kind: 'label', class: label, superpixels }, evidence.division).length === 0) return; // all is locked
    this.supposing = evidence.seq + 1;
    this.link.send({ type: 'suppose', fine: true, expected_seq: evidence.seq, map: evidence.map, superpixels, points: [point], class: label, ...named(shown) });
  }

  /** Ends the search for hypotheses. */
  stop() {
    if (this.mayChange()) this.link.send({ type: 'stop' });
  }

  /**
   * Gives pixels a class of their own, whatever their superpixels have.
   *
   * @param {number[]} runs start and length in turn
   * @param {number} label a class, or VOID
   */
  repair(runs, label) {
    this.append({ kind: 'pixels', repairs: [{ class: label, runs }] });
  }

  /**
   * Says something of a class beside clicks and picks.
   *
   * @param {'box' | 'exclude' | 'lock' | 'unlock' | 'instance'} kind
   * @param {number} label
   * @param {{superpixels?: number[], points?: [number, number][], number?: number}} [where] of a box two corners, or nothing to take it away
   */
  constrain(kind, label, where = {}) {
    this.append({ kind, class: label, ...where });
  }

  /** Removes the first guess. */
  unguess() {
    this.append({ kind: 'guess' });
    if (!this.readOnly) this.guess = null;
  }

  /** Brings back the state after an event, as a new step. @param {number} to its number, 0 for the beginning */
  restore(to) {
    this.append({ kind: 'restore', to });
  }

  /** Makes the superpixels coarser or finer. @param {number} regions wanted */
  regrain(regions) {
    this.append({ kind: 'granularity', regions });
  }

  /**
   * @param {import('../evidence/hypotheses.js').Card} card
   * @param {number[]} [superpixels] a region of it
   */
  accept(card, superpixels) {
    this.append({ kind: 'accept', superpixels, ...named(card) }, card.labels);
  }

  /** @param {'undo' | 'redo'} kind */
  travel(kind) {
    if (this.evidence.depth()[kind] > 0) this.append({ kind });
  }
}

/** The field of an event that names a hypothesis. @param {import('../evidence/hypotheses.js').Card | undefined} card */
function named(card) {
  if (!card) return {};
  const { rank, digest, offer } = card;
  return { hypothesis: { rank, digest, ...(offer && { offer }) } };
}
