import { call, get, received } from '../ui/api.js';
import { byId, stamp } from '../ui/dom.js';
import { origin } from './handback.js';
import { historyOf } from '../evidence/steps.js';
import { isolated } from '../ui/names.js';
import { toastProblem } from '../ui/toast.js';

/** Steps listed at first, and added each time. */
const PAGE = 500;

/** Milliseconds in which several changes are fetched together. */
const CALM = 120;

/**
 * @typedef {import('../evidence/steps.js').LogEntry} LogEntry
 * @typedef {import('../evidence/steps.js').Step} Step
 */

/**
 * @typedef {object} Ports
 * @property {() => number} stored events that the server has stored
 * @property {(id: number) => {name: string, color: string} | undefined} classOf
 * @property {(mask: ImageBitmap | null) => void} show an earlier state, or the current one with null
 * @property {(seq: number) => void} restore
 * @property {(text: string) => void} say
 */

/** The panel that lists the steps, shows earlier states and restores them. */
export class HistoryPanel {
  /**
   * @param {string} address of the image in the interface
   * @param {Ports} ports
   */
  constructor(address, ports) {
    this.address = address;
    this.ports = ports;
    this.panel = byId('history-panel');
    this.origin = byId('canvas');
    this.list = byId('history-list');
    this.restoreButton = /** @type {HTMLButtonElement} */ (byId('history-restore'));
    /** @type {LogEntry[]} */
    this.log = [];
    /** @type {Step[]} */
    this.steps = [];
    this.limit = PAGE;
    /** Whether several people have worked on the image. */
    this.several = false;
    /** The step whose state is shown, or -1. */
    this.shown = -1;
    /** Whether the server could not be asked for the newest steps. */
    this.failed = false;
    this.timer = 0;
    /** Whether the classes have changed since the earlier state was read. */
    this.outdated = false;
    this.reading = Promise.resolve();
    byId('history').addEventListener('click', () => this.toggle());
    byId('history-close').addEventListener('click', () => this.toggle());
    byId('history-again').addEventListener('click', () => void this.fetch().then(() => this.focusPresent()));
    byId('history-more').addEventListener('click', () => {
      this.limit += PAGE;
      this.paint();
    });
    this.restoreButton.addEventListener('click', () => this.restore());
    this.list.addEventListener('keydown', (e) => this.key(e));
    this.panel.addEventListener('keydown', (e) => {
      if (e.key !== 'Escape' || this.shown >= 0) return; // which the first Escape leaves
      e.stopPropagation();
      this.toggle();
    });
  }

  get open() {
    return !this.panel.hidden;
  }

  /** @param {boolean} [open] */
  toggle(open = !this.open) {
    if (open) this.origin = origin();
    else if (this.panel.contains(document.activeElement)) this.origin.focus({ preventScroll: true });
    this.panel.hidden = !open;
    byId('history').setAttribute('aria-expanded', String(open));
    if (open) void this.fetch().then(() => this.focusPresent());
    else this.leave();
  }

  /** The log may have grown. */
  changed() {
    if (this.open && this.ports.stored() !== this.log.length) this.soon();
  }

  /** The classes have other names, colours or places, in the list and in what is shown. */
  reclassed() {
    if (!this.open) return;
    this.outdated = true;
    this.soon();
  }

  /** Reads the log once nothing has changed for a while, and what is shown if it is outdated. */
  soon() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      void this.fetch();
      if (this.outdated && this.shown >= 0) void this.show(this.shown);
      this.outdated = false;
    }, CALM);
  }

  /** Reads new events, once those that are being read are here, so that no event is read twice. */
  fetch() {
    this.reading = this.reading.then(() => this.read());
    return this.reading;
  }

  async read() {
    try {
      for (let more = true; more; ) {
        const answer = await call('GET', `${this.address}/evidence?after=${this.log.length}&detail=summary`);
        this.log.push(...answer.events);
        more = answer.more === true && answer.events.length > 0;
      }
      this.failed = false;
    } catch {
      this.failed = this.log.length < this.ports.stored(); // the panel says so
    }
    this.paint();
  }

  paint() {
    const { failed } = this;
    const { steps, present } = historyOf(this.log, (id) => isolated(this.ports.classOf(id)?.name ?? 'a deleted class'));
    this.steps = steps;
    byId('history-failed').hidden = !failed;
    const listed = steps.slice(-this.limit);
    this.several = new Set(steps.map((step) => step.by)).size > 1;
    byId('history-more').hidden = listed.length === steps.length;
    const rows = [...listed.map((step) => this.row(step, step.seq === present && !failed)).reverse(), this.row(null, present === 0 && !failed)];
    const at = this.list.contains(document.activeElement) && document.activeElement instanceof HTMLElement ? document.activeElement.dataset.seq : undefined;
    this.list.replaceChildren(...(failed && this.log.length === 0 ? [] : rows));
    if (at !== undefined) this.buttons.find((b) => b.dataset.seq === at)?.focus();
    this.mark();
  }

  /** @param {Step | null} step null for the beginning @param {boolean} present */
  row(step, present) {
    const { element, slot } = stamp('step-template');
    const button = slot('step');
    button.dataset.seq = String(step?.seq ?? 0);
    button.dataset.state = step?.state ?? 'stands';
    if (present) button.setAttribute('aria-current', 'step');
    const known = step && this.ports.classOf(step.label);
    slot('swatch').style.backgroundColor = known?.color ?? '';
    slot('swatch').classList.toggle('none', !known);
    slot('text').textContent = step?.text ?? 'Start';
    const detail = [step?.named ? '' : isolated(known?.name ?? ''), present ? 'current' : '', step?.state === 'undone' ? 'undone' : '', step?.state === 'left' ? 'discarded' : '', this.several ? step?.by : ''].filter(Boolean);
    slot('detail').textContent = detail.join(' · ');
    slot('time').textContent = step ? timeOf(step.created) : '';
    button.addEventListener('click', () => void this.preview(step?.seq ?? 0));
    button.addEventListener('dblclick', () => this.restore());
    return element;
  }

  /** @returns {HTMLElement[]} */
  get buttons() {
    return [...this.list.querySelectorAll('button')];
  }

  focusPresent() {
    const now = this.failed ? byId('history-again') : this.buttons.find((b) => b.hasAttribute('aria-current'));
    now?.focus();
    now?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const { buttons } = this;
    const at = buttons.findIndex((b) => b === document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[e.key];
    if (at < 0 || next === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    buttons[next]?.focus();
  }

  /** Shows the state after a step. @param {number} seq */
  async preview(seq) {
    if (seq === this.shown) {
      this.leave();
      return;
    }
    this.shown = seq;
    this.mark();
    if (await this.show(seq)) this.ports.say(seq === 0 ? 'Showing the start' : `Showing the state after step ${seq}`);
  }

  /** @param {number} seq @returns {Promise<boolean>} whether the state after it is on the canvas */
  async show(seq) {
    try {
      const response = await get(`${this.address}/mask.png?after=${seq}`);
      const picture = await createImageBitmap(await received(response.blob()));
      if (this.shown !== seq) return false;
      this.ports.show(picture);
      return true;
    } catch (error) {
      toastProblem(error);
      this.leave();
      return false;
    }
  }

  /** Shows the current state again. @returns {boolean} whether an earlier one was shown */
  leave() {
    if (this.shown < 0) return false;
    this.shown = -1;
    this.ports.show(null);
    this.mark();
    return true;
  }

  mark() {
    for (const button of this.buttons) button.setAttribute('aria-pressed', String(Number(button.dataset.seq) === this.shown));
    this.restoreButton.disabled = this.shown < 0;
  }

  /** Restores the state that is shown, as a new step. */
  restore() {
    const { shown } = this;
    if (shown < 0) return;
    this.buttons.find((b) => Number(b.dataset.seq) === shown)?.focus(); // the button that was pressed is about to be disabled
    this.leave();
    this.ports.restore(shown);
    this.ports.say(shown === 0 ? 'Restored the start' : `Restored the state after step ${shown}`);
  }
}

/** @param {Date} date */
function timeOf(date) {
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], today ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
}
