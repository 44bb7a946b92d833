import { at } from '../superpixels/idmap.js';
import { barring, barringPixels } from '../evidence/barred.js';
import { counted } from '../ui/numbers.js';
import { VOID } from '../evidence/protocol.js';
import { alike, composed, labelAt } from './shown.js';
import { toast } from '../ui/toast.js';

/**
 * @typedef {import('../tools/strokes.js').Drawn} Drawn
 *
 * @typedef {object} Ports
 * @property {import('../exchange/session.js').Session} session
 * @property {import('../classes/classes.js').ClassPanel} classes
 * @property {import('../tools/stage.js').Stage} stage
 * @property {import('../choosing/acceptance.js').Acceptance} acceptance
 * @property {Pick<import('./history.js').HistoryPanel, 'leave'>} history
 * @property {Pick<import('../choosing/doubt.js').Doubt, 'forget'>} doubt
 * @property {import('./saying.js').Saying} saying
 * @property {Pick<import('./objects.js').Objects, 'tell'>} objects
 * @property {(text: string) => void} say
 */

/** CSS pixels between the two clicks of a double click at most. */
const TWICE = 8;

/** Labels and clears with strokes and keys, undoes and redoes it, and shows the result on the canvas. */
export class Labelling {
  /** @param {Ports} ports */
  constructor(ports) {
    this.ports = ports;
    this.painter = ports.stage.painter;
    /** @type {Drawn | null} the stroke in progress */
    this.draft = null;
    /** @type {{point: [number, number], label: number} | null} the last stroke, if it was a click */
    this.clicked = null;
    /** @type {{superpixels: readonly number[], label: number}} what a region would become */
    this.proposal = { superpixels: [], label: VOID };
    /** What the canvas was given last; nothing in it is changed later but the stroke. @type {import('./shown.js').Scene | null} */
    this.scene = null;
  }

  /** Paints the labelling or a preview, with the stroke in progress. */
  show() {
    const { painter, draft, proposal } = this;
    const { session, acceptance, classes, saying } = this.ports;
    const scene = {
      present: session.evidence.present,
      whole: session.supposed ?? acceptance.choice.shown?.card.labels,
      draft, label: classes.current.id, proposal, map: painter.map, division: session.evidence.division,
    };
    if (draft || !alike(scene, this.scene)) {
      const { labels, clicks, repairs, picked } = composed(scene);
      painter.show(labels, clicks, repairs, picked);
    }
    this.scene = scene;
    saying.show();
    saying.draft(draft);
  }

  /** A stroke has begun or grown. @param {Drawn} drawn */
  drafted(drawn) {
    this.ports.history.leave();
    if (drawn.tool === 'objects') {
      this.painter.marks.hover = drawn.superpixels;
      this.painter.touchMarks();
      return;
    }
    if (!this.draft) this.suppose(drawn);
    this.draft = drawn;
    if (drawn.mode !== 'exclude') this.aim(drawn);
    this.show();
  }

  /** The stroke in progress was cancelled. */
  cancelled() {
    this.draft = null;
    this.ports.session.unsuppose();
    this.show();
  }

  /** Asks for the first hypothesis before the button is released. @param {Drawn} drawn that has begun */
  suppose(drawn) {
    const { session, acceptance, classes: { current } } = this.ports;
    if (this.isClick(drawn) && current.stored && !acceptance.choice.chosen) session.suppose(drawn.superpixels[0], drawn.points[0], current.id, acceptance.choice.shown?.card);
  }

  /** Puts the dots of what is drawn in their places. @param {Drawn} drawn */
  aim(drawn) {
    const { points } = this.painter;
    for (const s of drawn.superpixels) points.delete(s);
    if (this.isClick(drawn)) points.set(drawn.superpixels[0], drawn.points[0]);
  }

  /** Whether a stroke is a click at a point and not along a way. @param {Drawn} drawn */
  isClick({ tool, mode, superpixels }) {
    return mode === 'paint' && tool === 'superpixel' && superpixels.length === 1;
  }

  /** Whether a click says once more what the last one has said, such as the second of a double click, which undo would have to take back, too. @param {Drawn} drawn @param {number} label */
  repeats({ superpixels, points }, label) {
    const { clicked } = this;
    if (clicked?.label !== label || this.ports.session.evidence.present.clicks[superpixels[0]] !== label) return false;
    return this.ports.stage.drawing.near(clicked.point, points[0], TWICE);
  }

  /** A stroke has ended. @param {Drawn} drawn */
  async stroke(drawn) {
    const { tool, mode, superpixels, points, runs, box } = drawn;
    const { session, classes, acceptance, doubt, saying, objects, say } = this.ports;
    if (!session.mayChange()) return this.cancelled();
    if (tool === 'objects') {
      acceptance.keep();
      objects.tell(drawn);
      return;
    }
    const known = mode === 'clear' || classes.current.stored || (await classes.known()); // it may have been made just now
    this.draft = null;
    if (!known) {
      toast('Not labelled', `${classes.current.name} is not saved yet. Label with it once the server is back, or choose another class.`, 'problem');
      return this.show();
    }
    doubt.forget();
    const { name, id } = classes.current;
    const done = mode === 'paint' ? `labelled ${name}` : 'cleared';
    const label = mode === 'paint' ? id : VOID;
    const click = this.isClick(drawn);
    const again = click && this.repeats(drawn, id);
    this.clicked = click ? { point: points[0], label: id } : null;
    if (runs) {
      if (this.barred(runs, label)) return this.show();
      session.repair(runs, label);
      const count = runs.reduce((sum, v, i) => sum + (i % 2) * v, 0);
      say(`${counted(count, 'pixel')} ${done}`);
      return;
    }
    const shown = acceptance.choice.shown?.card;
    acceptance.keep();
    if (!box && mode !== 'exclude' && this.refused(barring(session.evidence.present, { label, superpixels, point: click }, session.evidence.division))) return this.show();
    if (again) return this.cancelled();
    acceptance.labelled();
    if (box) saying.box(box, mode === 'clear');
    if (mode === 'exclude' && !box) saying.exclude(superpixels, points, id);
    if (box || mode === 'exclude') return this.show();
    this.aim(drawn);
    if (this.isClick(drawn)) session.click(superpixels[0], points[0], id, shown);
    else if (mode === 'paint') session.label(superpixels, points, id);
    else session.clear(superpixels, points);
    setTimeout(() => say(`${counted(superpixels.length, 'superpixel')} ${done}`)); // now it would force a layout before the click is dispatched
  }

  /** Whether all of some pixels belongs to locked classes; says so. @param {readonly number[]} runs start and length in turn @param {number} label */
  barred(runs, label) {
    const { map } = this.painter;
    const { present, division } = this.ports.session.evidence;
    return this.refused(barringPixels(present, { label, runs }, division, (pixel) => at(map, pixel % map.fullWidth, Math.floor(pixel / map.fullWidth))));
  }

  /** Says that nothing was painted because of locked classes, if there are any. @param {readonly number[]} bars their ids @returns {boolean} whether there are */
  refused(bars) {
    const { classes, saying } = this.ports;
    if (bars.length === 0) return false;
    const names = bars.map((id) => classes.nameOf(id)).join(', ');
    const unlock = { label: 'Unlock', run: () => bars.forEach((id) => saying.lock(id)) };
    toast(bars.length === 1 ? `${names} is locked` : `${names} are locked`, 'Nothing was changed there.', 'problem', unlock);
    return true;
  }

  /** Does to one superpixel what a click would, on a key. @param {import('../tools/strokes.js').Mode} mode @param {number} s or -1, as before the first arrow key */
  touchUp(mode, s) {
    const { stage, say } = this.ports;
    if (s < 0) say('Press an arrow key first');
    else void this.stroke({ tool: stage.tools.kind, mode, superpixels: [s], points: [stage.pointIn(s)], runs: null });
  }

  /** @param {'undo' | 'redo'} kind */
  travel(kind) {
    const { session, acceptance, history, say } = this.ports;
    if (session.evidence.depth()[kind] <= 0 || !session.mayChange()) return;
    acceptance.choice.follow = null;
    acceptance.waive(); // an early Enter was meant for what is left now
    history.leave();
    session.travel(kind);
    say(kind === 'undo' ? 'Undone' : 'Redone');
  }

  /** Brings back the state after an event. @param {number} to its number, 0 for the beginning */
  restore(to) {
    this.ports.acceptance.waive();
    this.ports.session.restore(to);
  }

  /**
   * Activates the class that a superpixel, or the pixel at the point, is shown in.
   *
   * @param {number} s or -1
   * @param {[number, number]} [point] of the image
   */
  pick(s, point) {
    if (s < 0) return;
    const label = labelAt(this.painter.overlay, this.painter.map, s, point ?? this.ports.stage.pointIn(s));
    if (label !== VOID) this.ports.classes.chooseID(label);
  }

  /** The class that a point is shown in, in words. @param {[number, number]} point of the image */
  nameAt(point) {
    const { map, overlay } = this.painter;
    return this.ports.classes.nameOf(labelAt(overlay, map, at(map, ...point), point));
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
}
