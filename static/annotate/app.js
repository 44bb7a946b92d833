import { Acceptance } from '../choosing/acceptance.js';
import { paintBadge, paintButtons, paintSave, paintStatus, statusOf } from './chrome.js';
import { ClassPanel } from '../classes/classes.js';
import { Company } from './company.js';
import { pixels } from '../canvas/colour.js';
import { byId } from '../ui/dom.js';
import { Doubt } from '../choosing/doubt.js';
import { Extent } from '../choosing/extent.js';
import { GuessNote } from './guess.js';
import { keepFocus } from './handback.js';
import { ExportDialog } from '../transfer/export.js';
import { Labelling } from './labelling.js';
import { Layers } from './layers.js';
import { Leaving } from './leaving.js';
import { Minimap } from '../canvas/minimap.js';
import { HistoryPanel } from './history.js';
import { counted } from '../ui/numbers.js';
import { basesOf, Parts as PartsOf } from '../evidence/parts.js';
import { Objects } from './objects.js';
import { Overlay } from '../canvas/overlay.js';
import { Painter } from '../canvas/painter.js';
import { Past } from '../canvas/past.js';
import { fateOf, postEvent } from '../exchange/post.js';
import { Regrain } from './regrain.js';
import { ReviewPart } from './review.js';
import { Saying } from './saying.js';
import { renumbered, sources } from '../superpixels/remap.js';
import { pixelsOf } from '../evidence/repairs.js';
import { Session } from '../exchange/session.js';
import { shares, undecided } from '../evidence/shares.js';
import { Stage } from '../tools/stage.js';
import { Strip } from '../choosing/strip.js';
import { Thumbnails } from '../canvas/thumbnails.js';
import { call } from '../ui/api.js';
import { toast } from '../ui/toast.js';
import { Tones } from './tones.js';
import { Turns } from '../ui/turns.js';

/** @typedef {Awaited<ReturnType<typeof import('./load.js').load>>} Parts the image and its superpixels */

/** Milliseconds after which the outcome of a run is announced, so that it does not cut off what led to it. */
const TELL = 900;

/** Says that the image is in the trash. @param {boolean} owner whether the person can open that */
function sayTrashed(owner) {
  if (owner) toast('This image was moved to the trash', 'You can go on here once it is restored.', 'problem', { label: 'Open the trash', run: () => location.assign('/trash') });
  else toast('This image was moved to the trash', 'You can go on here once an owner of the project has restored it.', 'problem');
}

/** The annotation page: joins the session, the canvas, the strip and the panels. */
export class App {
  /**
   * @param {DOMStringMap} data of #app
   * @param {Parts} parts
   * @param {import('../exchange/queue.js').Queue} queue
   */
  constructor(data, parts, queue) {
    this.data = data;
    this.queue = queue;
    this.image = parts.image;
    /** @type {import('../superpixels/idmap.js').IdMap | null} the finest superpixels, when they are here */
    this.cells = null;
    this.touch = matchMedia('(pointer: coarse)').matches;
    this.tell = 0;
    /** Whether the person was told that edits don't reach the server. */
    this.away = false;
    this.turns = new Turns(() => this.painter.frame !== 0 || this.session.save === 'saving');
    this.parts = this.around();
    const address = `/api/v1/images/${data.image}`;
    const say = (/** @type {string} */ text) => this.say(text);
    this.painter = new Painter(
      { picture: byId('picture'), scene: byId('scene'), marks: byId('marks') },
      { ...parts, overlay: new Overlay(parts.map), original: `${address}/original` },
    );
    this.classes = new ClassPanel(data.project ?? '', {
      changed: () => {
        this.recolor();
        this.history?.reclassed();
      },
      chosen: () => {
        this.say(`${this.classes.current.name} is active`);
        this.refresh();
      },
      lock: (id) => this.saying.lock(id),
      say,
      left: () => byId('canvas').focus({ preventScroll: true }),
    });
    this.session = this.connect(address, parts);
    this.guess = new GuessNote(data, { session: this.session, nameOf: (id) => this.classes.nameOf(id), offer: (card) => this.acceptance.offer(card), say });
    this.strip = new Strip(new Thumbnails(parts.image, parts.map), parts.map.area, {
      preview: (place) => this.acceptance.hover(place),
      select: (place) => this.acceptance.select(place),
      take: (place) => this.acceptance.take(place),
      refolded: () => this.refresh(),
      nameOf: (label) => this.classes.nameOf(label),
      say,
    });
    this.acceptance = new Acceptance({
      session: this.session, strip: this.strip, say, refresh: () => this.refresh(), graph: () => this.stage.graph, focus: () => this.stage.focus,
      nameOf: (label) => this.classes.nameOf(label), area: () => this.painter.parts.area,
    });
    this.extent = new Extent(data.image ?? '', { session: this.session, acceptance: this.acceptance, nameOf: (label) => this.classes.nameOf(label) });
    this.history = this.makeHistory(address);
    this.stage = this.makeStage(parts.graph);
    this.saying = new Saying({ session: this.session, classes: this.classes, stage: this.stage, say });
    this.company = new Company(say);
    this.objects = new Objects(address, { session: this.session, classes: this.classes, painter: this.painter, say });
    this.minimap = new Minimap(this.stage);
    this.regrain = new Regrain(data.superpixels ?? '', parts.image, parts.map.n, {
      session: this.session, say, asked: (regions) => this.askRegions(regions), exchange: (renewed) => this.exchange(renewed),
      finest: (cells, to) => {
        this.cells = cells;
        to.resumed((list) => basesOf(this.painter.map, cells, list));
      },
    });
    this.tones = new Tones(address, data.display ?? '', this.painter, () => this.minimap.draw());
    this.doubt = new Doubt(data.image ?? '', {
      session: this.session, stage: this.stage, classes: this.classes, acceptance: this.acceptance, saying: this.saying, touch: this.touch, say,
      label: (superpixel) => this.labelling.touchUp('paint', superpixel),
      propose: (superpixels, label) => this.labelling.propose(superpixels, label),
    });
    this.labelling = new Labelling({
      session: this.session, classes: this.classes, stage: this.stage, acceptance: this.acceptance, history: this.history, doubt: this.doubt, saying: this.saying, objects: this.objects, say,
    });
    this.leaving = new Leaving(data, { session: this.session, acceptance: this.acceptance, queue, say });
    this.review = new ReviewPart(data, this.leaving, () => this.session.evidence.known);
    this.exporting = this.makeExport();
    this.layers = new Layers(this.painter, { recolor: () => this.recolor(), changed: () => this.refresh() });
    this.recolor();
    const restore = () => this.restore();
    document.addEventListener('contextrestored', () => this.turns.ask([restore]), true); // of each canvas of the page in turn
  }

  /** @param {string} address @param {Parts} parts */
  connect(address, { map, name }) {
    const post = (/** @type {import('../evidence/protocol.js').EvidenceEvent} */ event) => postEvent(`${address}/evidence`, event);
    const { socket = '', role = '', project = '' } = this.data;
    const member = role !== '' && role !== 'admin';
    /** @param {import('../evidence/protocol.js').ProjectRecord} record @param {{classes: number, guess: number}} [heard] what both had heard when the server was asked */
    const adopt = (record, heard) => {
      this.classes.adopt(record, false, heard?.classes);
      this.guess.adopt(record, heard?.guess);
    };
    const session = new Session(map.n, name, role ? `${socket}?role=${role}` : socket, {
      keeper: this.queue, post, ask: () => fateOf(address, `/api/v1/projects/${project}`, member), pixelsOf: (superpixels) => pixelsOf(this.painter.map, superpixels),
    }, {
      map: () => void this.regrain.fetch(),
      cells: () => void this.regrain.fetchCells(),
      divided: (division) => this.divide(division),
      labels: () => this.refresh(),
      hypotheses: (news, place) => this.hypothesesChanged(news, place),
      save: () => {
        if (this.session?.link.open) this.classes.resend();
        this.refresh();
      },
      supposed: () => this.labelling.show(),
      project: (record) => adopt(record),
      connected: () => {
        this.objects?.retry();
        void this.review.load();
        const heard = { classes: this.classes.heard, guess: this.guess.heard };
        void call('GET', `/api/v1/projects/${project}`).then((record) => adopt(record, heard), () => {}); // else the next break or change brings it
      },
      reviewed: () => void this.review.load(),
      here: (company) => this.company.hear(company),
      problem: (title, detail) => toast(title, detail, 'problem'),
      trashed: () => sayTrashed(this.data.owner !== undefined),
    });
    session.viewer = this.data.readonly !== undefined;
    return session;
  }

  /** @param {string} address */
  makeHistory(address) {
    return new HistoryPanel(address, {
      stored: () => this.session.evidence.seq,
      classOf: (id) => this.classes.byID(id),
      restore: (seq) => this.labelling.restore(seq),
      say: (text) => this.say(text),
      show: (mask) => {
        this.painter.past = mask && new Past(mask, this.painter.map, this.classes.classes.map((c) => c.color));
        this.painter.touch();
        this.refresh();
      },
    });
  }

  makeExport() {
    return new ExportDialog({
      undecided: () => undecided(this.session.evidence.present, this.painter.parts),
      preview: () => this.acceptance.preview,
      accept: async () => {
        this.acceptance.accept();
        return this.session.mayAsk() && this.leaving.saved();
      },
      saved: async () => this.session.mayAsk() && this.leaving.saved(),
    });
  }

  /** @param {import('../superpixels/graph.js').Graph} graph */
  makeStage(graph) {
    return new Stage(this.painter, graph, {
      draft: (drawn) => this.labelling.drafted(drawn),
      stroke: (drawn) => void this.labelling.stroke(drawn),
      cancelled: () => this.labelling.cancelled(),
      interrupted: () => toast('The polygon is not closed yet', 'Take its tool again to go on with it.'),
      pick: (s, point) => this.labelling.pick(s, point),
      begins: () => this.waitFor('draw', true),
      taps: () => this.acceptance.picking || this.doubt.popup.taps,
      tapped: (s) => this.acceptance.tapped(s) || this.doubt.popup.tapped(s),
      hover: (s) => this.doubt?.describe(s),
      say: (text) => this.say(text),
      nameAt: (point) => this.labelling.nameAt(point),
      look: () => {
        this.minimap?.update();
        this.doubt?.popup.close(); // it belongs to a place of the window
      },
    });
  }

  /**
   * The next tap on the image is for one thing and no other.
   *
   * @param {'accept' | 'ask' | 'draw'} what
   * @param {boolean} on
   */
  waitFor(what, on) {
    this.acceptance.pickRegion(what === 'accept' && on);
    this.doubt?.popup.pick(what === 'ask' && on);
  }

  /**
   * Takes over edits that earlier pages could not send to the server.
   *
   * @param {import('../evidence/evidence.js').Kept[]} left
   */
  resume(left) {
    const { map } = this.painter;
    const kept = this.session.resume(left, (superpixels, points) => renumbered(superpixels, points, map, map));
    if (kept > 0) toast(`${counted(kept, 'unsaved edit')} recovered`, 'Made before the page was closed, and being saved now.');
  }

  /** The colours of the classes as pixels; that of the rest is faint. */
  get colors() {
    return pixels(this.classes.colors, this.classes.rest.id);
  }

  recolor() {
    this.painter.overlay.recolor(this.colors, this.layers?.patterned ?? false);
    this.painter.dots.colors = this.classes.colors;
    this.objects?.recolor();
    this.painter.touch();
    this.refresh();
  }

  /** @param {string} text for screen readers */
  say(text) {
    byId('announcer').textContent = text;
  }

  /** Paints the canvas in the next frame and everything else after it, so that the canvas does not wait for the rest. */
  refresh() {
    this.labelling?.show();
    this.turns.ask(this.parts);
  }

  /** What is around the canvas, in the order in which it is brought up to date. @returns {(() => void)[]} */
  around() {
    const thumbnail = () => {
      if (this.strip.paintOne()) this.turns.ask([thumbnail]);
    };
    return [
      () => this.paintStrip(),
      () => this.classes.count(shares(this.painter.overlay.labels, this.painter.map, this.painter.overlay.repairs)),
      () => this.doubt.update(),
      () => this.paintPanels(),
      () => this.paintBars(),
      keepFocus(),
      thumbnail,
    ];
  }

  paintStrip() {
    const { session: { hypotheses, evidence }, acceptance, classes } = this;
    this.strip.update({ hypotheses, labels: evidence.present.labels, colors: classes.colors, rest: classes.rest.id, selected: acceptance.choice.selected?.place ?? -1 });
    acceptance.caughtUp();
  }

  paintPanels() {
    const { session } = this;
    this.guess.update();
    this.extent.update();
    this.objects.update();
    this.regrain.control.update(session.evidence.granularity, session.asked);
    this.history.changed();
  }

  /** What the bars above and below the canvas say. */
  paintBars() {
    const { session, acceptance } = this;
    paintBadge(acceptance, { past: this.history.shown, covered: !this.painter.labelled, touch: this.touch });
    paintStatus(acceptance.waiting || this.status, session.hypotheses);
    paintButtons(session, acceptance);
    paintSave(session);
    this.review.seen();
    this.tellSave();
  }

  /** Says that edits no longer reach the server, and later that they have; not each time that one is saved. */
  tellSave() {
    const { save } = this.session;
    const away = save === 'offline' || save === 'signed-out';
    if (away === this.away || (this.away && save !== 'saved')) return;
    this.away = away;
    this.say(away ? this.status : 'Saved');
  }

  /** What the line above the strip says. */
  get status() {
    return statusOf({ session: this.session, classes: this.classes.classes, active: this.classes.current.id, rest: this.classes.rest.id, lasting: this.queue.lasting, touch: this.touch });
  }

  /**
   * @param {'started' | 'placed' | 'folded' | 'done' | 'outdated'} news
   * @param {number} place
   */
  hypothesesChanged(news, place) {
    if (news === 'outdated' || news === 'started') this.extent.outdate();
    if (news === 'outdated') this.doubt?.popup.close(); // it offers what follows from the old
    if (news === 'placed') this.acceptance.placed(place);
    if (news === 'done') {
      this.acceptance.finished();
      clearTimeout(this.tell);
      this.tell = window.setTimeout(() => !this.away && this.say(this.status), TELL); // that it is offline has been said
    }
    this.refresh();
  }

  /** @param {number} regions superpixels that the person wants */
  askRegions(regions) {
    const { choice } = this.acceptance;
    choice.follow = choice.selected ? true : null;
    this.session.regrain(regions);
  }

  /** Paints everything again after the browser has lost what canvases held, as when the graphics driver restarts. */
  restore() {
    this.painter.forget();
    this.stage.measure();
    this.minimap.draw();
    this.strip.forget();
    this.refresh();
  }

  /** Turns the page to other superpixels. @param {import('./regrain.js').Parts} parts */
  exchange({ name, map, lines, graph, anchors }) {
    const { session, painter, layers } = this;
    const old = painter.map;
    const overlay = new Overlay(map);
    overlay.recolor(this.colors, layers.patterned);
    this.stage.renew(graph);
    session.hypotheses.renew(sources(old, map));
    this.acceptance.renewed();
    painter.renew({ map, overlay, lines, anchors });
    this.strip.renew(new Thumbnails(this.image, map), map.area);
    session.adopt(map.n, name, (superpixels, points) => renumbered(superpixels, points, old, map));
  }

  /** Clicks have divided superpixels. @param {import('../evidence/division.js').Division} division */
  divide(division) {
    const { painter, strip } = this;
    painter.divide(new PartsOf(painter.map, this.cells, division));
    strip.thumbnails.divide(painter.parts);
    strip.renew(strip.thumbnails, painter.parts.area);
  }
}
