import { call } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { followed } from '../choosing/whatif.js';
import { counted, percent } from '../ui/numbers.js';
import { VOID } from '../evidence/protocol.js';
import { noteSeen } from '../project/seen.js';
import { toastProblem } from '../ui/toast.js';

/**
 * @typedef {import('../evidence/protocol.js').GuessRecord} GuessRecord
 *
 * @typedef {object} Ports
 * @property {import('../exchange/session.js').Session} session
 * @property {(id: number) => string} nameOf a class
 * @property {(card: import('../evidence/hypotheses.js').Card) => void} offer previews a labelling that can be accepted
 * @property {(text: string) => void} say
 */

/** Classes that are named. */
const NAMED = 3;

/**
 * Where a guess comes from, and what it is sure of.
 *
 * @param {GuessRecord} guess
 * @param {(id: number) => string} nameOf a class
 * @param {boolean} [refuted] whether clicks contradict it
 */
export function guessText({ model, learnt, sure }, nameOf, refuted = false) {
  if (refuted) return 'Your clicks contradict the guess. It no longer counts';
  const learned = learnt > 0 ? `Guessed from ${counted(learnt, 'finished image')}` : 'Guessed from imported scores';
  const from = model === 0 && learnt > 0 ? 'Copied from another image' : learned;
  if (sure.length === 0) return `${from}, sure of nothing yet`;
  const names = sure.slice(0, NAMED).map((s) => nameOf(s.class));
  if (sure.length > NAMED) names.push(`${sure.length - NAMED} more`);
  return `${from}, sure of ${percent(sure.reduce((sum, s) => sum + s.area, 0))}: ${names.join(', ')}`;
}

/**
 * Whether a guess of the project is all that is said of the image. Embeddings, which
 * say nothing of its classes, may lie under it.
 *
 * @param {{guess: GuessRecord | null, evidence: {pending: readonly unknown[], present: {labels: Uint8Array}}}} session
 */
export function onlyGuessed({ guess, evidence }) {
  return guess !== null && guess.learnt > 0 && evidence.pending.length === 0 && evidence.present.labels.every((l) => l === VOID);
}

/** The line that says that the image has a first guess, and the setting for the project's. */
export class GuessNote {
  /**
   * @param {DOMStringMap} data of #app
   * @param {Ports} ports
   */
  constructor(data, ports) {
    this.image = data.image ?? '';
    this.project = data.project ?? '';
    this.ports = ports;
    /** What the line says; the browser may translate what is shown. */
    this.text = '';
    /** How often the setting has been said: by the server, or by the person. */
    this.heard = 0;
    this.setting = /** @type {HTMLInputElement} */ (byId('learning'));
    this.setting.addEventListener('change', () => void this.set(this.setting.checked));
    byId('as-guessed').addEventListener('click', () => void this.show());
  }

  /** Brings the line up to date, and remembers that the guess was seen. */
  update() {
    const { session, nameOf } = this.ports;
    const { guess, hypotheses, evidence, readOnly } = session;
    byId('guess').hidden = guess === null;
    byId('guess').classList.toggle('refuted', guess !== null && hypotheses.refuted);
    if (guess === null) return;
    const text = guessText(guess, nameOf, hypotheses.refuted);
    if (this.text !== text) {
      this.text = byId('guess-text').textContent = text;
      byId('guess-text').title = text; // it may be cut
      if (hypotheses.refuted) this.ports.say(text);
    }
    byId('unguess').hidden = readOnly;
    byId('as-guessed').hidden = readOnly || hypotheses.refuted;
    const first = hypotheses.cards[0];
    if (onlyGuessed(session) && first && !first.stale && first.rank === 0) noteSeen(this.project, this.image, { seq: evidence.seq, digest: first.digest });
  }

  /** Previews the guess as it is, which hypotheses smooth. */
  async show() {
    const { session, offer } = this.ports;
    const answer = await followed(`/api/v1/images/${encodeURIComponent(this.image)}/guess`, session);
    if (!answer) return;
    const { labels, digest, energy } = answer;
    offer({ rank: -1, digest, energy, labels: Uint8Array.from(labels), count: 1, stale: false, offer: { guess: true }, name: 'the guess as it is' });
  }

  /** Removes the guess, as a step that undo takes back. */
  remove() {
    const { session, say } = this.ports;
    if (session.guess === null) return;
    const focused = byId('guess').contains(document.activeElement);
    session.unguess();
    if (focused && session.guess === null) byId('canvas').focus({ preventScroll: true });
    say('Guess removed. Undo brings it back');
  }

  /** Sets whether the project guesses, and has the server guess this image or take that back. @param {boolean} on */
  async set(on) {
    this.heard++;
    try {
      await call('PATCH', `/api/v1/projects/${encodeURIComponent(this.project)}`, { learning: on });
      await call('POST', `/api/v1/images/${encodeURIComponent(this.image)}/guess`);
    } catch (error) {
      this.setting.checked = !on;
      toastProblem(error);
    }
  }

  /**
   * The server has said what the project is.
   *
   * @param {{learning: boolean}} project
   * @param {number} [heard] what this.heard was when the server was asked
   */
  adopt({ learning }, heard = this.heard) {
    if (heard !== this.heard) return; // this may be older than what is shown
    this.heard++;
    this.setting.checked = learning;
  }
}
