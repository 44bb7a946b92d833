import { Deadline } from './deadline.js';
import { Evidence, outdates } from '../evidence/evidence.js';
import { decodeHypothesis } from '../evidence/frames.js';
import { Hypotheses } from '../evidence/hypotheses.js';
import { newID } from '../evidence/protocol.js';
import { Link } from './socket.js';

/** Milliseconds before an event that the server could not store is sent again. */
const PATIENCE = 2000;

/** Bytes above which an event goes by HTTP; a frame may hold 64 KiB. */
const FRAME = 60 << 10;

/** The run number of speculative hypotheses. */
const SUPPOSED = 0;

/**
 * @typedef {'connecting' | 'saved' | 'saving' | 'offline' | 'signed-out' | 'trashed' | 'failed'} SaveState
 *
 * @typedef {object} Listener what the page does when something has changed
 * @property {() => void} labels the labelling or the clicks
 * @property {(fresh: 'started' | 'placed' | 'folded' | 'done' | 'outdated', place: number) => void} hypotheses
 * @property {() => void} supposed the first hypothesis is known that a label would lead to
 * @property {() => void} map the superpixels have changed; call adopt with the new ones
 * @property {(division: import('../evidence/division.js').Division) => void} divided clicks have divided superpixels, or no longer do
 * @property {() => void} cells the finest superpixels are needed; call resumed when they are there
 * @property {() => void} save
 * @property {(project: import('../evidence/protocol.js').ProjectRecord) => void} project its classes have changed
 * @property {() => void} reviewed the image may have another status by hand
 * @property {(company: import('../evidence/protocol.js').HereMessage) => void} here who else has the image open
 * @property {() => void} connected the page may have missed changes of the classes and of the status before
 * @property {(title: string, detail: string) => void} problem
 * @property {() => void} trashed the image was moved to the trash, and nothing can be changed before it is restored
 *
 * @typedef {object} Keeper where events outlive the page, see queue.js
 * @property {(kept: import('../evidence/evidence.js').Kept) => Promise<void>} put
 * @property {(id: string) => Promise<void>} drop only after all puts before it
 *
 * @typedef {(event: import('../evidence/protocol.js').EvidenceEvent) => Promise<import('../evidence/protocol.js').AckMessage | import('../evidence/protocol.js').RejectMessage | null>} Post
 */

/** The evidence and hypotheses of one image, kept in step with the server. Session adds what a person does. */
export class Exchange {
  /**
   * @param {number} n superpixels
   * @param {string} map name of their map
   * @param {string} path of the socket
   * @param {object} ways
   * @param {Keeper} ways.keeper
   * @param {Post} ways.post sends an event that is too large for the socket; null when there was no answer
   * @param {() => Promise<import('./post.js').Fate>} ways.ask what has become of the image
   * @param {import('../evidence/evidence.js').PixelsOf} [ways.pixelsOf]
   * @param {Listener} listener
   */
  constructor(n, map, path, { keeper, post, ask, pixelsOf }, listener) {
    this.evidence = new Evidence(n, map, pixelsOf);
    this.keeper = keeper;
    this.post = post;
    this.ask = ask;
    /** @type {import('../evidence/protocol.js').StateMessage | null} a state whose superpixels the page does not have yet */
    this.waiting = null;
    /** The number of the last event that was acknowledged after the last state. */
    this.passed = 0;
    /** What the last state said of repairs; a state that says nothing of them means the same. */
    this.repairs = /** @type {import('../evidence/repairs.js').RepairRecord[]} */ ([]);
    /** @type {(() => void)[]} what came after it */
    this.later = [];
    this.hypotheses = new Hypotheses();
    /** The first guess in force. @type {import('../evidence/protocol.js').GuessRecord | null} */
    this.guess = null;
    this.listener = listener;
    /** What the first hypothesis would be with the label that is being given, as soon as that is known. @type {Uint8Array | null} */
    this.supposed = null;
    /** The number that the event would have. */
    this.supposing = 0;
    /** The clicks, boxes and the like that the current run is for. */
    this.ranFor = '';
    this.failed = false;
    /** Whether an event is on its way by HTTP. */
    this.posting = false;
    this.deadline = new Deadline(() => this.link.lose());
    /** Whether the finest superpixels are known. */
    this.celled = false;
    this.ready = false;
    /** Whether the person's role lets them only view. */
    this.viewer = false;
    let trashed = false;
    this.link = new Link(path, {
      greeting: () => this.evidence.greeting(),
      message: (message) => this.receive(message),
      binary: (buffer) => this.arrive(buffer),
      change: (open) => {
        if (open) listener.connected();
        else {
          this.evidence.disconnected();
          this.unsuppose();
        }
        this.expect();
        if (this.trashed && !trashed) listener.trashed();
        trashed = this.trashed;
        listener.save();
      },
      ask,
    });
  }

  /** Whether the image was moved to the trash while the page was open. */
  get trashed() {
    return this.link.trashed;
  }

  /** Whether the person can only view. */
  get readOnly() {
    return this.viewer || this.trashed;
  }

  /** @returns {SaveState} */
  get save() {
    if (!this.link.open && this.link.signedOut) return 'signed-out';
    if (this.trashed) return 'trashed';
    if (!this.link.open) return this.ready || this.link.attempt > 0 ? 'offline' : 'connecting';
    if (this.failed) return 'failed';
    return this.evidence.pending.length > 0 ? 'saving' : 'saved';
  }

  /** Superpixels that have been asked for and are not here yet. */
  get asked() {
    return this.evidence.asked ?? this.waiting?.wanted;
  }

  /**
   * @param {Omit<import('../evidence/protocol.js').EvidenceEvent, 'id' | 'expected_seq'>} event
   * @param {Uint8Array} [taken]
   */
  append(event, taken) {
    if (!this.mayChange()) return;
    const { keeper, evidence } = this;
    if (event.kind !== 'label') this.unsuppose();
    const pending = evidence.add({ id: newID(), ...event }, taken);
    void keeper.put({ event: pending.event, taken, epoch: pending.epoch, seq: evidence.seq }); // sent meanwhile: whichever comes first saves it
    if (outdates(event)) this.outdate();
    this.listener.labels();
    this.pump();
  }

  /** Starts a search for hypotheses. @param {number} count */
  run(count) {
    if (this.mayChange()) this.link.send({ type: 'run', count });
  }

  /** The label does not follow, or what does is known. */
  unsuppose() {
    this.supposing = 0;
    this.supposed = null;
  }

  /** Whether the server knows the image; says that it is in the trash when not. */
  mayAsk() {
    if (this.trashed) this.listener.trashed();
    return !this.trashed;
  }

  /** Whether the person can change anything; says so when not. */
  mayChange() {
    if (!this.readOnly) return true;
    if (this.mayAsk()) this.listener.problem('View only', 'Your role in this project doesn’t include labelling. Ask an owner of the project to make you an annotator.');
    this.listener.save();
    return false;
  }

  /**
   * Takes over edits that earlier pages could not send to the server.
   *
   * @param {import('../evidence/evidence.js').Kept[]} left
   * @param {(superpixels: number[], points: [number, number][]) => number[]} renumber
   * @returns {number} how many of them can be sent now
   */
  resume(left, renumber) {
    if (left.length === 0) return 0;
    const lost = this.evidence.resume(left, renumber);
    for (const id of lost) void this.keeper.drop(id);
    if (lost.length > 0) this.listener.problem('Some unsaved edits were dropped', `${lost.length} of ${left.length} unsaved edits refer to superpixels or hypotheses that no longer exist.`);
    this.outdate();
    this.listener.labels();
    this.pump();
    return left.length - lost.length;
  }

  outdate() {
    this.hypotheses.outdate();
    this.listener.hypotheses('outdated', -1);
  }

  /** Outdates a run for earlier clicks that began while the event of an ack was on its way. @param {import('../evidence/protocol.js').AckMessage} ack */
  overtake({ id, seq }) {
    const { hypotheses, evidence } = this;
    const own = evidence.pending.find((p) => p.event.id === id);
    if (own && outdates(own.event) && hypotheses.run !== 0 && hypotheses.seq < seq) this.outdate();
  }

  pump() {
    if (this.link.open && this.ready && !this.waiting) {
      const event = this.evidence.next();
      if (event) this.send(event);
    }
    this.expect();
    this.listener.save();
  }

  /** @param {import('../evidence/protocol.js').EvidenceEvent} event */
  async send(event) {
    const message = { type: 'evidence', rebase: true, ...event };
    if (JSON.stringify(message).length < FRAME) {
      this.link.send(message);
      return;
    }
    this.posting = true;
    const answer = await this.post(event);
    this.posting = false;
    this.receive(answer ?? { type: 'reject', id: event.id, reason: 'unavailable', detail: '', seq: 0 });
  }

  /** Gives up the connection unless the first event that it carries gets an answer. */
  expect() {
    this.deadline.expect((!this.posting && this.evidence.pending.find((p) => p.sent)?.event.id) || '');
  }

  /** @param {import('../evidence/protocol.js').ServerMessage} message */
  receive(message) {
    if (message.type === 'ack' || message.type === 'reject') this.deadline.met();
    switch (message.type) {
      case 'state':
        this.repairs = message.repairs ??= this.repairs;
        this.state(message);
        break;
      case 'ack':
        this.failed = false;
        this.overtake(message);
        this.passed = message.seq;
        this.evidence.acked(message.id, message.seq);
        void this.keeper.drop(message.id);
        this.listener.labels();
        this.pump();
        break;
      case 'reject':
        void this.refuse(message);
        break;
      case 'run':
        this.later = [];
        this.whenKnown(() => {
          const { clicks, said } = this.evidence.confirmed;
          const evidence = `${clicks} ${JSON.stringify([{ ...said, objects: [] }, this.guess?.model])}`;
          this.hypotheses.start(message, evidence === this.ranFor);
          this.ranFor = evidence;
          this.listener.hypotheses('started', -1);
        });
        break;
      case 'done':
        this.whenKnown(() => {
          this.hypotheses.finish(message);
          this.listener.hypotheses('done', -1);
        });
        break;
      case 'project':
        this.evidence.forget();
        this.ranFor = ''; // the same clicks may lead to other hypotheses
        this.listener.project(message.project);
        break;
      case 'reviewed':
        this.listener.reviewed();
        break;
      case 'here':
        this.listener.here(message);
        break;
      case 'lost':
        this.listener.problem('Edits of this image were lost', message.detail);
        break;
      case 'error':
        this.listener.problem('The server did not understand this page', message.detail);
        break;
    }
  }

  /**
   * Takes over a state, which waits when its superpixels are still to come.
   *
   * @param {import('../evidence/protocol.js').StateMessage} message
   */
  state(message) {
    if (message !== this.waiting) {
      this.later = []; // that was about an older state
      this.passed = 0;
    }
    if (message.map && message.map !== this.evidence.map) {
      this.waiting = message;
      this.unsuppose();
      this.listener.map();
      return;
    }
    const { division } = this.evidence;
    if (!division.has(message.parts ?? []) && !this.celled) {
      this.waiting = message;
      this.listener.cells();
      return;
    }
    if (this.passed > message.seq) return; // it would take back an event that is on disk; the state with that follows
    this.waiting = null;
    this.evidence.state(message);
    if (this.evidence.division !== division) {
      for (const card of this.hypotheses.cards) card.labels = this.evidence.division.fitted(card.labels);
      this.listener.divided(this.evidence.division);
    }
    this.guess = message.guess ?? null;
    this.ready = true;
    this.listener.labels();
    this.pump();
    for (const act of this.later.splice(0)) act();
  }

  /**
   * The finest superpixels are here.
   *
   * @param {(cells: number[]) => number[]} basesOf the current superpixels that cells are in
   */
  resumed(basesOf) {
    this.celled = true;
    this.evidence.basesOf = basesOf;
    if (this.waiting) this.state(this.waiting);
  }

  /**
   * Does what follows from a state once its superpixels are here.
   *
   * @param {() => void} act
   */
  whenKnown(act) {
    if (this.waiting) this.later.push(act);
    else act();
  }

  /**
   * The page has turned to the superpixels that the session waits for.
   *
   * @param {number} n how many
   * @param {string} map name of their map
   * @param {(superpixels: number[], points: [number, number][]) => number[]} renumber
   */
  adopt(n, map, renumber) {
    const lost = this.evidence.renew(n, map, renumber);
    for (const id of lost) void this.keeper.drop(id);
    if (lost.length > 0) {
      this.listener.problem('That edit was undone', 'The hypotheses changed with the superpixels. Choose from the new ones.');
    }
    if (this.waiting) this.state(this.waiting);
  }

  /** @param {import('../evidence/protocol.js').RejectMessage} message */
  async refuse({ id, reason, detail, seq }) {
    const fate = reason === 'invalid' ? await this.ask() : 'there';
    if (fate === 'trashed' || fate === 'removed') return this.link.leave(fate); // the edit came after that, and is kept
    if (fate !== 'there') [reason, detail] = ['unavailable', '']; // nobody says whether it came after that
    switch (this.evidence.rejected(id, reason, seq)) {
      case 'resend':
        this.pump();
        break;
      case 'wait':
        if (!this.failed && detail) this.listener.problem('Not saved yet', `${detail} Your edits are kept here and will be sent again.`);
        this.failed = detail !== '';
        this.listener.save();
        setTimeout(() => this.pump(), PATIENCE);
        break;
      case 'dropped':
        void this.keeper.drop(id);
        this.unsuppose();
        this.listener.labels();
        this.listener.problem('That edit was undone', detail);
        this.run(this.hypotheses.wanted || 20);
        this.pump();
        break;
    }
    this.expect();
  }

  /** @param {ArrayBuffer} buffer */
  arrive(buffer) {
    const frame = decodeHypothesis(buffer);
    if (frame.run === SUPPOSED) {
      if (frame.seq !== this.supposing || new Set(frame.labels).size < 2) return; // one class everywhere tells nothing
      this.supposed = this.evidence.division.fitted(frame.labels);
      this.listener.supposed();
      return;
    }
    if (frame.seq >= this.supposing) this.unsuppose();
    this.whenKnown(() => {
      const outcome = this.hypotheses.add(frame);
      if (outcome !== 'ignored') this.listener.hypotheses(outcome, this.hypotheses.fresh - 1);
    });
  }
}
