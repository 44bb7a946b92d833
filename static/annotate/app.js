import { Choice } from './choice.js';
import { paintChrome, statusOf } from './chrome.js';
import { ClassPanel } from '../classes/classes.js';
import { pixels } from '../canvas/colour.js';
import { byId } from '../ui/dom.js';
import { Doubt } from './doubt.js';
import { exportDialog, undecided } from '../project/export.js';
import { region } from '../superpixels/graph.js';
import { at } from '../superpixels/idmap.js';
import { Minimap } from '../canvas/minimap.js';
import { HistoryPanel } from './history.js';
import { Overlay } from '../canvas/overlay.js';
import { Painter } from '../canvas/painter.js';
import { postEvent } from '../evidence/post.js';
import { VOID } from '../evidence/protocol.js';
import { Regrain } from './regrain.js';
import { renumbered } from '../superpixels/remap.js';
import { pixelsOf } from '../evidence/repairs.js';
import { Session } from '../evidence/session.js';
import { composed, labelAt } from './shown.js';
import { Stage } from '../tools/stage.js';
import { Strip } from './strip.js';
import { Thumbnails } from '../canvas/thumbnails.js';
import { toast } from '../ui/toast.js';
import { Tones } from './tones.js';

/** Milliseconds that an Enter pressed too early waits for its hypothesis. */
const EAGER = 4000;

/** Milliseconds to wait for the disk before saying that it takes long. */
const SAVING = 8000;

/** Milliseconds to wait for a server that is away, which may only be starting anew. */
const RETURNING = 1500;

/** Milliseconds after which the outcome of a run is announced, so that it does not cut off what led to it. */
const TELL = 900;

/** The annotation page: joins the session, the canvas, the strip and the panels. */
export class App {
  /**
   * @param {DOMStringMap} data of #app
   * @param {Awaited<ReturnType<typeof import('./load.js').load>>} parts
   * @param {import('../evidence/queue.js').Queue} queue
   */
  constructor(data, parts, queue) {
    this.data = data;
    this.area = parts.map.area;
    this.graph = parts.graph;
    this.touch = matchMedia('(pointer: coarse)').matches;
    this.choice = new Choice();
    this.eager = 0;
    this.tell = 0;
    /** @type {import('../tools/strokes.js').Drawn | null} the stroke that is going on */
    this.draft = null;
    /** @type {{superpixels: readonly number[], label: number}} what a region would become */
    this.proposal = { superpixels: [], label: VOID };
    /** Whether the next tap accepts the region under it. */
    this.picking = false;
    this.frame = 0;
    /** Whether classes differ by patterns beside their colours. */
    this.patterned = false;
    this.overlay = new Overlay(parts.map);
    this.painter = new Painter(
      { picture: byId('picture'), scene: byId('scene'), marks: byId('marks') },
      { ...parts, overlay: this.overlay, original: `/api/v1/images/${data.image}/original` },
    );
    this.classes = new ClassPanel(data.project ?? '', {
      changed: () => this.recolor(),
      chosen: () => this.say(`${this.classes.current.name} is active`),
      say: (text) => this.say(text),
      left: () => byId('canvas').focus({ preventScroll: true }),
    });
    this.strip = new Strip(new Thumbnails(parts.image, parts.map), this.area, {
      preview: (place) => this.hover(place),
      select: (place) => this.select(place),
      take: (place) => {
        this.select(place);
        if (!this.picking && !this.choice.selected?.card.stale) this.accept();
      },
      refolded: () => this.refresh(),
    });
    this.history = new HistoryPanel(this);
    this.regrain = new Regrain(this, parts.image);
    this.queue = queue;
    const post = (/** @type {import('../evidence/protocol.js').EvidenceEvent} */ event) => postEvent(`/api/v1/images/${data.image}/evidence`, event);
    this.session = new Session(parts.map.n, parts.name, data.socket ?? '', {
      keeper: queue, post, pixelsOf: (superpixels) => pixelsOf(this.painter.map, superpixels),
    }, {
      map: () => void this.regrain.fetch(),
      labels: () => this.refresh(),
      hypotheses: (news, place) => this.hypothesesChanged(news, place),
      save: () => this.refresh(),
      supposed: () => this.show(),
      project: (project) => this.classes.adopt(project),
      problem: (title, detail) => toast(title, detail, 'problem'),
    });
    this.session.readOnly = data.readonly !== undefined;
    this.stage = new Stage(this.painter, this.graph, {
      draft: (drawn) => {
        this.history.leave();
        if (!this.draft) this.suppose(drawn);
        this.draft = drawn;
        this.show();
      },
      stroke: (drawn) => this.stroke(drawn),
      cancelled: () => {
        this.draft = null;
        this.session.unsuppose();
        this.show();
      },
      pick: (s, point) => this.pick(s, point),
      tapped: (s) => this.tapped(s),
      hover: (s) => this.doubt?.describe(s),
      told: (text) => this.say(text),
      nameAt: (point) => this.classes.nameOf(labelAt(this.overlay, this.painter.map, at(this.painter.map, ...point), point)),
      look: () => {
        this.minimap?.update();
        this.doubt?.popup.close(); // it belongs to a place of the window
      },
    });
    this.minimap = new Minimap(this.stage);
    this.tones = new Tones(`/api/v1/images/${data.image}`, data.display ?? '', this.painter, () => this.minimap.draw());
    this.doubt = new Doubt(this);
    this.openExport = exportDialog({
      undecided: () => undecided(this.labels, this.area),
      preview: () => {
        const { selected } = this.choice;
        return selected && this.differs(selected.card) ? this.nameOf(selected.place) : '';
      },
      accept: async () => {
        this.accept();
        return this.saved();
      },
      saved: () => this.saved(),
    });
    this.recolor();
  }

  get labels() {
    return this.session.evidence.present.labels;
  }

  get clicks() {
    return this.session.evidence.present.clicks;
  }

  /**
   * Takes over what earlier pages could not bring to the server.
   *
   * @param {import('../evidence/queue.js').Kept[]} left
   */
  resume(left) {
    if (left.length === 0) return;
    const { map } = this.painter;
    this.session.resume(left, (superpixels, points) => renumbered(superpixels, points, map, map));
    toast(left.length === 1 ? 'One step from before is saved now' : `${left.length} steps from before are saved now`, 'They had not reached the server.');
  }

  recolor() {
    this.overlay.recolor(pixels(this.classes.colors), this.patterned);
    this.painter.dots.colors = this.classes.colors;
    this.painter.touch();
    this.refresh();
  }

  /** @param {string} text for people who listen to the page */
  say(text) {
    byId('announcer').textContent = text;
  }

  /** Paints on the canvas what is to be seen there now. */
  show() {
    if (!this.session) return;
    const { labels, clicks, repairs } = composed(this);
    this.painter.show(labels, clicks, repairs);
  }

  /** Canvas with the next frame; everything else right after it, so that the canvas does not wait for the rest. */
  refresh() {
    this.show();
    this.frame ||= requestAnimationFrame(() =>
      setTimeout(() => {
        this.frame = 0;
        if (this.session) paintChrome(this);
      }),
    );
  }

  /** @param {number} place */
  nameOf(place) {
    return `hypothesis ${place + 1} of ${this.session.hypotheses.cards.length}`;
  }

  /**
   * @param {'started' | 'placed' | 'folded' | 'done' | 'outdated'} news
   * @param {number} place
   */
  hypothesesChanged(news, place) {
    const { hypotheses } = this.session;
    if (news === 'placed') {
      const blank = this.labels.every((l, s) => l === this.clicks[s]);
      const telling = hypotheses.classes > 1; // one class everywhere is nothing to look at
      this.choice.placed(hypotheses.cards[place], place, telling && (this.choice.follow ?? blank));
      if (this.eager && performance.now() < this.eager && this.acceptable()) this.accept();
    }
    if (news === 'done') {
      this.choice.finished(hypotheses);
      if (!this.expecting()) this.eager = 0;
      clearTimeout(this.tell);
      this.tell = window.setTimeout(() => this.say(statusOf(this)), TELL);
    }
    this.refresh();
  }

  /** Has the first hypothesis shown before the button is released. @param {import('../tools/strokes.js').Drawn} drawn that has begun */
  suppose({ mode, superpixels }) {
    const { current } = this.classes;
    if (mode === 'paint' && this.stage.tools.kind === 'superpixel' && current.stored) this.session.suppose(superpixels, current.id);
  }

  /** @param {import('../tools/strokes.js').Drawn} drawn */
  async stroke({ mode, superpixels, points, runs }) {
    const known = mode === 'clear' || this.classes.current.stored || (await this.classes.known()); // it may have been made just now
    this.draft = null;
    if (!known) return this.show();
    this.doubt.forget();
    const { name, id } = this.classes.current;
    const done = mode === 'paint' ? `labelled ${name}` : 'cleared';
    if (runs) {
      this.session.repair(runs, mode === 'paint' ? id : VOID);
      const count = runs.reduce((sum, v, i) => sum + (i % 2) * v, 0);
      this.say(`${count} ${count === 1 ? 'pixel' : 'pixels'} ${done}`);
      return;
    }
    this.choice.follow = true;
    this.choice.hovered = null;
    this.eager = 0;
    superpixels.forEach((s, i) => this.painter.points.set(s, points[i]));
    if (mode === 'paint') this.session.label(superpixels, points, id);
    else this.session.clear(superpixels, points);
    this.say(`${superpixels.length} ${superpixels.length === 1 ? 'superpixel' : 'superpixels'} ${done}`);
  }

  /** What a key does to the superpixel in focus. @param {'paint' | 'clear'} mode @param {number} s */
  touchUp(mode, s) {
    if (s >= 0) this.stroke({ mode, superpixels: [s], points: [this.stage.pointIn(s)], runs: null });
  }

  /** @param {'undo' | 'redo'} kind */
  travel(kind) {
    if (this.session.evidence.depth()[kind] <= 0) return;
    this.choice.follow = null;
    this.history.leave();
    this.session.travel(kind);
    this.say(kind === 'undo' ? 'Undone' : 'Redone');
  }

  /**
   * Makes the class of a superpixel, or of the pixel there, as it is shown the
   * active one.
   *
   * @param {number} s
   * @param {[number, number]} [point] of the image
   */
  pick(s, point) {
    if (s < 0) return;
    const label = labelAt(this.overlay, this.painter.map, s, point ?? this.stage.pointIn(s));
    if (label !== VOID) this.classes.chooseID(label);
  }

  /** Has the next tap accept the region under it, or no longer. @param {boolean} on */
  pickRegion(on) {
    this.picking = on;
    byId('accept-region').setAttribute('aria-pressed', String(on));
    if (on) this.say('Tap the region to accept');
  }

  /** @param {number} s that was tapped @returns {boolean} whether that was all it meant */
  tapped(s) {
    if (!this.picking) return false;
    this.pickRegion(false);
    this.acceptRegion(s);
    return true;
  }

  /** @param {number} place or -1 */
  hover(place) {
    this.choice.hover(this.session.hypotheses, place);
    this.refresh();
  }

  /** @param {number} place or -1 */
  select(place) {
    this.eager = 0;
    this.choice.hovered = null;
    this.choice.select(this.session.hypotheses, place);
    this.strip.reveal(place);
    if (this.choice.selected) this.say(`Preview of ${this.nameOf(place)}`);
    this.refresh();
  }

  /** @param {1 | -1} step */
  walk(step) {
    const place = this.choice.beside(this.session.hypotheses, step, (p) => this.strip.visible(p));
    if (place >= 0) this.select(place);
  }

  /** @param {import('../evidence/hypotheses.js').Card} card */
  differs(card) {
    const { labels, clicks } = this;
    return card.labels.some((l, s) => l !== labels[s] && clicks[s] === VOID);
  }

  /** Whether what is selected was made for all that has been clicked. */
  acceptable() {
    const { selected } = this.choice;
    return selected !== null && !selected.card.stale && this.session.evidence.pending.every((p) => p.event.kind === 'accept');
  }

  /** Whether a hypothesis may yet come for what has been clicked. */
  expecting() {
    const { hypotheses, evidence } = this.session;
    return hypotheses.running || hypotheses.run === 0 || evidence.pending.length > 0;
  }

  /** Accepts the selected hypothesis; one that is still to come is accepted when it is here. */
  accept() {
    const { selected } = this.choice;
    if (!selected || !this.acceptable()) {
      if (this.expecting()) this.eager = performance.now() + EAGER;
      return;
    }
    const differs = this.differs(selected.card);
    this.select(-1);
    if (differs) this.session.accept(selected.card);
    this.say(differs ? `Accepted ${this.nameOf(selected.place)}` : 'This is the labelling already');
  }

  /** Accepts, of the selected hypothesis, the region that differs around a superpixel. @param {number} [at] */
  acceptRegion(at = this.stage.focus) {
    const { selected } = this.choice;
    if (!selected) return;
    if (at < 0) {
      toast('Point at a region first', 'Move the cursor over a part of the image that the preview changes.');
      return;
    }
    if (!this.acceptable()) return;
    const { labels } = this;
    const superpixels = region(this.graph, at, (s) => selected.card.labels[s] !== labels[s]);
    if (superpixels.length === 0) {
      toast('Nothing to accept here', 'The preview and the labelling agree under the cursor.');
      return;
    }
    this.takeRegion(selected.card, superpixels, `a region of ${superpixels.length} superpixels`);
  }

  /**
   * Makes a part of a hypothesis the labelling.
   *
   * @param {import('../evidence/hypotheses.js').Card} card
   * @param {number[]} superpixels
   * @param {string} what it is, in words
   */
  takeRegion(card, superpixels, what) {
    if (card.stale) return;
    this.choice.follow = false;
    this.session.accept(card, superpixels);
    this.say(`Accepted ${what}`);
  }

  /**
   * Shows what a region would become; nothing with no superpixels.
   *
   * @param {readonly number[]} superpixels
   * @param {number} label
   */
  propose(superpixels, label) {
    this.proposal = { superpixels, label };
    this.show();
  }

  /** Waits until everything is on disk; false when that takes too long. */
  async saved() {
    const start = performance.now();
    while (this.eager > performance.now() || this.session.save !== 'saved') {
      const offline = this.session.save === 'offline';
      if (performance.now() > start + (offline ? RETURNING : SAVING)) {
        toast(offline ? 'The server can’t be reached' : 'Not everything is saved yet', 'Nothing is lost; try again when the state says Saved.', 'problem');
        return false;
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return true;
  }
}
