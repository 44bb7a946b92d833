import { call } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { percent } from '../ui/numbers.js';
import { toastProblem } from '../ui/toast.js';

/**
 * @typedef {object} Ladder nested masks of a class, from less to more of it
 * @property {number} class id
 * @property {number} other id of what everything else is
 * @property {number} best the most probable rung
 * @property {{digest: string, energy: number, share: number}[]} rungs
 * @property {number[]} from per superpixel the first rung on which it has the class
 *
 * @typedef {object} Ports
 * @property {import('../exchange/session.js').Session} session
 * @property {import('./acceptance.js').Acceptance} acceptance
 * @property {(id: number) => string} nameOf a class
 */

/**
 * A rung of a ladder as a hypothesis that can be previewed and accepted.
 *
 * @param {Ladder} ladder
 * @param {number} rung
 * @param {string} name
 * @returns {import('../evidence/hypotheses.js').Card}
 */
export function cardOf(ladder, rung, name) {
  const { digest, energy } = ladder.rungs[rung];
  const labels = Uint8Array.from(ladder.from, (from) => (rung >= from ? ladder.class : ladder.other));
  return { rank: -1, digest, energy, labels, count: 1, stale: false, offer: { rung }, name };
}

/** The slider 'less … more' between two classes. */
export class Extent {
  /**
   * @param {string} image id
   * @param {Ports} ports
   */
  constructor(image, ports) {
    this.image = image;
    this.ports = ports;
    this.range = /** @type {HTMLInputElement} */ (byId('extent-range'));
    /** The run that the slider belongs to. */
    this.run = 0;
    /** @type {Promise<Ladder | null> | null} the ladder of the run, as soon as anyone may need it */
    this.ladder = null;
    for (const soon of ['pointerenter', 'focus']) this.range.addEventListener(soon, () => void this.read());
    this.range.addEventListener('input', () => void this.show());
  }

  /** Shows the slider with two classes, and lets it slide once their hypotheses are there. */
  update() {
    const { hypotheses, readOnly, save } = this.ports.session;
    byId('extent').hidden = hypotheses.classes !== 2 || readOnly;
    this.range.disabled = hypotheses.fresh < 2 || hypotheses.running || save === 'offline';
    if (this.range.disabled || this.run === hypotheses.run) return;
    this.run = hypotheses.run;
    this.ladder = null;
    this.range.max = '32';
    this.range.value = '16';
    this.range.setAttribute('aria-valuetext', 'as the first hypothesis');
    byId('extent-text').textContent = '';
  }

  /** The evidence has changed: what the slider shows was made for the earlier one. */
  outdate() {
    const { selected } = this.ports.acceptance.choice;
    if (selected?.card.offer) selected.card.stale = true;
  }

  /** Reads the ladder of the run once. */
  read() {
    return (this.ladder ??= call('GET', `/api/v1/images/${this.image}/ladder`).then((/** @type {Ladder} */ ladder) => {
      const at = Number(this.range.value) / Number(this.range.max);
      const most = ladder.rungs.length - 1;
      this.range.max = String(most);
      this.range.value = String(at === 0.5 ? ladder.best : Math.round(at * most));
      return ladder;
    }).catch((error) => {
      this.ladder = null;
      toastProblem(error);
      return null;
    }));
  }

  /** Previews the mask that the slider is at. */
  async show() {
    const { run } = this;
    const ladder = await this.read();
    if (!ladder || run !== this.ports.session.hypotheses.run) return;
    const rung = Number(this.range.value);
    const name = `${this.ports.nameOf(ladder.class)} ${percent(ladder.rungs[rung].share)}`;
    byId('extent-text').textContent = name;
    this.range.setAttribute('aria-valuetext', name);
    this.ports.acceptance.offer(cardOf(ladder, rung, name));
  }
}
