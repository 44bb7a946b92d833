import { blank, copy, same } from './board.js';
import { alike, saidIn } from './constraints.js';
import { Division } from './division.js';
import { decodeBase64 } from './frames.js';
import { play } from './playback.js';
import { fromRecords, NO_REPAIRS } from './repairs.js';

/**
 * How fine the superpixels are.
 *
 * @typedef {object} Granularity
 * @property {number} regions superpixels there are
 * @property {number} wanted superpixels asked for
 * @property {number} finest the most there can be
 * @property {number} split superpixels that stay divided because they hold two classes
 */

/**
 * @typedef {import('./protocol.js').EvidenceEvent} EvidenceEvent
 * @typedef {import('./protocol.js').StateMessage} StateMessage
 *
 * @typedef {object} Pending an event that is not known to be on disk
 * @property {EvidenceEvent} event
 * @property {Uint8Array} [taken] accept only: the labels of the hypothesis
 * @property {boolean} sent on its way at present
 * @property {string} [map] that superpixels were of when it was sent
 * @property {boolean} counted the state from the server holds it already
 * @property {boolean} [greeted] it went with a greeting, in which one that is refused stops those after it
 * @property {string} epoch of the log it was made for
 *
 * @typedef {object} Kept an event as the browser stores it until the server has it
 * @property {EvidenceEvent} event
 * @property {Uint8Array} [taken] accept only: the labels of the hypothesis
 * @property {string} epoch of the server's log when it was made
 * @property {number} seq events that the page knew of then
 *
 * @typedef {import('./board.js').Board} Board
 *
 * @typedef {(superpixels: number[]) => number[]} PixelsOf the pixels of superpixels, as runs of the image
 */

/** Kinds of events that change labels but nothing that hypotheses are made from. */
const BESIDE = ['accept', 'pixels', 'instance'];

/** Whether hypotheses made before an event no longer take all that was said into account. @param {Pick<EvidenceEvent, 'kind'>} event */
export function outdates({ kind }) {
  return !BESIDE.includes(kind);
}

/** Bytes of unacknowledged events that go with a greeting; a frame may hold 64 KiB. */
const GREETING = 32 << 10;

/**
 * The evidence of one image as this page sees it: what the server has
 * confirmed, and on top of it the events that are still on their way, played at
 * once so that the person need not wait. Knows nothing of sockets or pixels.
 */
export class Evidence {
  /**
   * @param {number} n superpixels
   * @param {string} [map] name of their map
   * @param {PixelsOf} [pixelsOf]
   */
  constructor(n, map = '', pixelsOf = () => []) {
    this.n = n;
    this.map = map;
    this.pixelsOf = pixelsOf;
    this.division = new Division(n);
    /** Tells for cells the superpixels that they are in. @type {(cells: number[]) => number[]} */
    this.basesOf = () => [];
    /** @type {Granularity} */
    this.granularity = { regions: n, wanted: n, finest: n, split: 0 };
    this.epoch = '';
    this.seq = 0;
    this.undoDepth = 0;
    this.redoDepth = 0;
    /** @type {Pending[]} in the order they were made */
    this.pending = [];
    /** The repairs of the last state, as received and decoded. */
    this.lastRepairs = { records: /** @type {import('./repairs.js').RepairRecord[]} */ ([]), repairs: NO_REPAIRS };
    /** @type {Board} */
    this.confirmed = blank(n);
    /** @type {Board} confirmed with the pending events played on it */
    this.present = this.confirmed;
  }

  /**
   * Adds an event of the person; it shows at once.
   *
   * @param {Omit<EvidenceEvent, 'expected_seq'>} event
   * @param {Uint8Array} [taken] accept only: the labels of the hypothesis
   * @returns {Pending}
   */
  add(event, taken) {
    const map = event.superpixels && this.map ? { map: this.map } : {};
    /** @type {Pending} */
    const pending = { event: { ...event, ...map, expected_seq: this.seq }, taken, sent: false, counted: false, epoch: this.epoch };
    this.pending.push(pending);
    this.replay();
    return pending;
  }

  /**
   * Takes over events that an earlier page could not send to the server, after
   * those that are pending. Events about other superpixels are translated to
   * the current ones by their points; those that can't be are dropped.
   *
   * @param {Kept[]} left in the order they were made
   * @param {(superpixels: number[], points: [number, number][]) => number[]} renumber
   * @returns {string[]} ids of those given up
   */
  resume(left, renumber) {
    if (this.seq === 0 && this.epoch === '' && left.length > 0) this.seq = left[0].seq;
    /** @type {string[]} */
    const lost = [];
    for (const { event, taken, epoch } of left) {
      if (this.pending.some((p) => p.event.id === event.id)) continue;
      const elsewhere = event.superpixels !== undefined && (event.map ?? '') !== this.map;
      if ((elsewhere && !event.points?.length) || (taken && taken.length !== this.division.size)) {
        lost.push(event.id);
        continue;
      }
      const here = elsewhere ? { superpixels: renumber(event.superpixels ?? [], event.points ?? []), map: this.map } : {};
      this.pending.push({ event: { ...event, ...here }, taken, sent: false, counted: false, epoch });
    }
    this.replay();
    return lost;
  }

  /**
   * The event to send now, or null. One is on its way at a time, so that a
   * rebase concerns one event only.
   *
   * @returns {EvidenceEvent | null}
   */
  next() {
    if (this.pending.length === 0 || this.pending.some((p) => p.sent)) return null;
    const [head] = this.pending;
    head.sent = true;
    head.map = this.map;
    head.event.expected_seq = this.seq;
    return head.event;
  }

  /**
   * What a new connection starts with. The first of the pending events go with
   * it and are then on their way.
   */
  greeting() {
    /** @type {EvidenceEvent[]} */
    const unacked = [];
    let room = GREETING;
    let full = false;
    for (const p of this.pending) {
      p.event.expected_seq = this.seq + unacked.length;
      room -= JSON.stringify(p.event).length;
      full ||= room < 0;
      p.sent = !full;
      p.map = this.map;
      p.greeted = p.sent;
      if (p.sent) unacked.push(p.event);
    }
    return { type: 'hello', epoch: this.epoch || (this.pending[0]?.epoch ?? ''), seq: this.seq, unacked };
  }

  /** Number of events that the page shows, those on their way included. */
  get known() {
    return this.seq + this.pending.filter((p) => !p.counted).length;
  }

  /** The connection is gone: nothing is being sent any more. */
  disconnected() {
    for (const p of this.pending) p.sent = false;
  }

  /**
   * The server has the event on disk.
   *
   * @param {string} id
   * @param {number} seq
   */
  acked(id, seq) {
    const i = this.pending.findIndex((p) => p.event.id === id);
    if (i < 0) return;
    const [p] = this.pending.splice(i, 1);
    if (!p.counted && seq > this.seq) {
      const between = seq > this.seq + 1; // others' events, which the state that follows has
      if (between) this.forgetSteps();
      play(this.confirmed, p, this);
      if (between) this.forgetSteps();
      this.seq = seq;
      this.count(p.event.kind);
      if (p.event.regions) this.granularity = { ...this.granularity, wanted: p.event.regions };
    }
    this.replay();
  }

  /** What earlier steps replaced is not known any more. */
  forgetSteps() {
    this.confirmed.done = [];
    this.confirmed.undone = [];
  }

  /**
   * The server refused an event. 'resend' means that it was made for an older
   * state and goes again; 'wait' that it should go again later; 'hold' that it
   * speaks of superpixels that are gone and goes again once the current ones are
   * known; 'dropped' that it has been rolled back.
   *
   * @param {string} id
   * @param {'stale' | 'map' | 'invalid' | 'unavailable'} reason
   * @param {number} seq
   * @returns {'resend' | 'wait' | 'hold' | 'dropped'}
   */
  rejected(id, reason, seq) {
    const i = this.pending.findIndex((p) => p.event.id === id);
    if (i < 0) return 'dropped';
    const p = this.pending[i];
    p.sent = false;
    if (reason === 'unavailable') return 'wait';
    if (reason === 'map') return p.map === this.map ? 'hold' : 'resend';
    // Stale although the state was right: what the event refers to no longer
    // exists, and it would be refused every time.
    if (reason === 'stale' && (p.event.expected_seq !== seq || p.epoch !== this.epoch || p.greeted)) {
      p.epoch = this.epoch;
      p.greeted = false;
      if (seq !== this.seq) this.forgetSteps(); // others' events, which the state that follows has
      this.seq = seq;
      return 'resend';
    }
    this.pending.splice(i, 1);
    this.replay();
    return 'dropped';
  }

  /**
   * Takes over the server's state.
   *
   * @param {StateMessage} message
   */
  state(message) {
    const clicks = decodeBase64(message.clicks);
    const labels = decodeBase64(message.labels);
    const repairs = this.decode(message.repairs ?? []);
    const parts = message.parts ?? [];
    if (!this.division.has(parts)) this.division = new Division(this.n, parts, this.basesOf(parts));
    if (clicks.length !== this.division.size || labels.length !== this.division.size) {
      throw new Error(`The state has ${labels.length} superpixels and the image ${this.n}.`);
    }
    const layers = { clicks, labels, repairs, said: saidIn(message.constraints) };
    const known = message.epoch === this.epoch && (message.seq === this.seq || this.foresees(message.seq, layers));
    const { done, undone } = this.confirmed;
    this.confirmed = known ? { ...layers, done, undone } : { ...layers, done: [], undone: [] };
    this.epoch = message.epoch;
    this.seq = message.seq;
    this.undoDepth = message.undo;
    this.redoDepth = message.redo;
    const { regions = this.n, wanted = this.n, finest = this.n, split = 0 } = message;
    this.granularity = { regions, wanted, finest, split };
    this.replay();
  }

  /** @param {import('./repairs.js').RepairRecord[]} records @returns {import('./repairs.js').Repairs} the same list for the same records */
  decode(records) {
    if (records !== this.lastRepairs.records) this.lastRepairs = { records, repairs: fromRecords(records) };
    return this.lastRepairs.repairs;
  }

  /**
   * Switches to another superpixel map, whose state is still to come. Pending
   * events are translated to it; hypotheses of the old map can no longer be
   * accepted.
   *
   * @param {number} n superpixels
   * @param {string} map its name
   * @param {(superpixels: number[], points: [number, number][]) => number[]} renumber
   * @returns {string[]} ids of what waited and had to be given up
   */
  renew(n, map, renumber) {
    this.n = n;
    this.map = map;
    this.division = new Division(n);
    const { repairs, said } = this.confirmed;
    this.confirmed = { ...blank(n), repairs, said: { ...said, excluded: [] } };
    const lost = this.pending.filter(({ event }) => event.kind === 'accept').map(({ event }) => event.id);
    this.pending = this.pending.filter(({ event }) => event.kind !== 'accept');
    for (const { event } of this.pending) {
      if (!event.superpixels) continue;
      event.superpixels = renumber(event.superpixels, event.points ?? []);
      event.map = map;
    }
    this.replay();
    return lost;
  }

  /** How many superpixels have been asked for last and may not be there yet. */
  get asked() {
    return this.pending.findLast(({ event }) => event.kind === 'granularity')?.event.regions;
  }

  /**
   * Whether a state that is one event ahead came about through our own first
   * pending event, whose acknowledgement is still to come.
   *
   * @param {number} seq
   * @param {import('./board.js').Layers} layers
   */
  foresees(seq, { labels, repairs, said }) {
    const head = this.pending[0];
    if (seq !== this.seq + 1 || !head?.sent || head.counted) return false;
    const trial = copy(this.confirmed);
    play(trial, head, this);
    if (trial.labels.some((l, i) => i < labels.length && l !== labels[i]) || !same(trial.repairs, repairs) || !alike(trial.said, said)) return false;
    this.confirmed = trial;
    head.counted = true;
    return true;
  }

  /** Steps that can be taken back and brought back, pending events included. */
  depth() {
    let { undoDepth: undo, redoDepth: redo } = this;
    for (const p of this.pending) {
      if (!p.counted) [undo, redo] = after(p.event.kind, undo, redo);
    }
    return { undo, redo };
  }

  /** The classes have changed: what steps wrote before may mean others now, so only the server can take them back. */
  forget() {
    this.confirmed = { ...this.confirmed, done: [], undone: [] };
    this.replay();
  }

  /** @param {import('./protocol.js').Kind} kind */
  count(kind) {
    [this.undoDepth, this.redoDepth] = after(kind, this.undoDepth, this.redoDepth);
  }

  replay() {
    this.present = copy(this.confirmed);
    for (const p of this.pending) if (!p.counted) play(this.present, p, this);
  }
}

/**
 * @param {import('./protocol.js').Kind} kind
 * @param {number} undo
 * @param {number} redo
 * @returns {[number, number]}
 */
function after(kind, undo, redo) {
  if (kind === 'undo') return [undo - 1, redo + 1];
  if (kind === 'redo') return [undo + 1, redo - 1];
  return [undo + 1, 0];
}
