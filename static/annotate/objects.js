import { get, Problem } from '../ui/api.js';
import { freeNumber } from '../evidence/constraints.js';
import { nothing } from '../superpixels/box.js';
import { at } from '../superpixels/idmap.js';
import { VOID } from '../evidence/protocol.js';
import { insist, pause } from '../ui/patience.js';
import { toast } from '../ui/toast.js';

/**
 * An object as GET objects lists it.
 *
 * @typedef {object} ObjectRecord
 * @property {number} class
 * @property {number} number
 * @property {number[][]} outlines x, y, x, y, … in pixels of the image
 * @property {[number, number][]} marks
 */

/** Milliseconds at most before a server that can't answer at the moment is asked again. */
const AGAIN = 3000;

/** Statuses that the save state explains: nobody is signed in, or the image is in the trash. */
const EXPLAINED = [401, 404];

/** Tells touching objects of one class apart, and shows those that have been told apart. */
export class Objects {
  /**
   * @param {string} address of the image
   * @param {{session: import('../exchange/session.js').Session, classes: import('../classes/classes.js').ClassPanel, painter: import('../canvas/painter.js').Painter, say: (text: string) => void}} ports
   */
  constructor(address, ports) {
    this.address = address;
    this.ports = ports;
    /** @type {import('../canvas/instances.js').Instance[]} */
    this.shown = [];
    /** The state that is shown. */
    this.seq = 0;
    /** The state whose objects could not be had, so that they are not asked for in vain all the time. */
    this.failed = 0;
    /** What the server calls the objects that are shown; as long as they stay the same, so does this. */
    this.tag = '';
    this.loading = false;
    /** Takes the last hint away. */
    this.hint = () => {};
  }

  /**
   * A gesture says that the points belong to one object, or takes the object there back; a click on its mark does, too.
   * A stroke that begins at a mark gives its object more.
   *
   * @param {import('../tools/strokes.js').Drawn} drawn
   */
  tell({ mode, superpixels, points }) {
    const { session, classes, say } = this.ports;
    const { labels } = session.evidence.present;
    const begun = this.markedAt(labels[superpixels[0]], superpixels[0]);
    const rest = begun || mode === 'clear' || classes.current.id === classes.rest.id ? -1 : classes.rest.id; // around the objects, where a stroke may begin
    const label = superpixels.map((s) => labels[s]).find((l) => l !== VOID && l !== rest) ?? VOID;
    if (label === VOID) {
      toast('No object here', 'Label the objects first or accept a hypothesis, then click each object.');
      return;
    }
    if (mode === 'clear' || (begun && superpixels.length === 1)) return this.join(label, points[0]);
    const small = this.shown.filter((o) => o.marks.length === 0); // than their superpixels, and imported
    const number = begun?.number ?? freeNumber({ objects: [...session.evidence.present.said.objects, ...small] }, label);
    session.constrain('instance', label, { points: points.filter((_, i) => labels[superpixels[i]] === label), number });
    const others = session.evidence.present.said.objects.filter((o) => o.class === label).length;
    const name = `${classes.nameOf(label)} ${number}`;
    this.hint();
    if (others === 1) this.hint = toast(name, 'Now click the object that touches it.');
    else if (others === 2 && !begun) this.hint = toast(name, 'Is a border wrong? Drag from a number over what belongs to that object.');
    else say(name);
  }

  /** The object of a class with a mark in a superpixel. @param {number} label @param {number} superpixel */
  markedAt(label, superpixel) {
    const { map } = this.ports.painter;
    return this.shown.find((o) => o.class === label && o.marks.some(([x, y]) => at(map, x, y) === superpixel));
  }

  /**
   * Takes the marks of the object at a point away.
   *
   * @param {number} label its class
   * @param {[number, number]} point
   */
  join(label, [x, y]) {
    const { session, classes, painter, say } = this.ports;
    const context = painter.marks.context;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    const found = this.shown.find((o) => o.class === label && context.isPointInPath(o.path, x, y, 'evenodd'));
    context.restore();
    if (!found) {
      toast('No object is marked here', 'Click each of the objects that touch.');
      return;
    }
    /** @type {[number, number][]} */
    const points = found.marks.length > 0 ? found.marks.map(([px, py]) => [px + 0.5, py + 0.5]) : [[x, y]];
    session.constrain('instance', label, { points, number: 0 });
    say(`${classes.nameOf(label)} ${found.number} is no longer an object of its own`);
  }

  /** Asks the server for the objects of the state, one request at a time. Those that have not changed are neither sent nor drawn again. */
  update() {
    const { evidence } = this.ports.session;
    if (evidence.seq === this.seq || evidence.seq === this.failed || this.loading) return;
    if (evidence.confirmed.said.objects.length === 0) {
      this.seq = evidence.seq;
      this.tag = '';
      this.show([]);
    } else if (evidence.pending.length === 0) {
      void this.load(evidence.seq);
    }
  }

  /** @param {number} seq the state to be shown */
  async load(seq) {
    this.loading = true;
    try {
      const ask = () => get(`${this.address}/objects`); // the browser asks whether those that it has are still right
      const answer = await insist(ask, { wait: () => {}, pause: (milliseconds) => pause(Math.min(milliseconds, AGAIN)) });
      const tag = answer.headers.get('ETag') ?? '';
      if (tag === '' || tag !== this.tag) this.show((await answer.json()).objects);
      this.tag = tag;
      this.seq = seq;
    } catch (error) {
      this.failed = seq;
      const { status, detail } = error instanceof Problem ? error : new Problem('', 'The answer of the server could not be read.');
      if (!EXPLAINED.includes(status)) toast('The objects shown are not up to date', `${detail} Your labels are safe.`, 'problem', { label: 'Try again', run: () => this.retry() });
    }
    this.loading = false;
    this.update(); // something may have happened meanwhile
  }

  /** Asks again for objects that could not be had. */
  retry() {
    this.failed = 0;
    this.update();
  }

  /** @param {ObjectRecord[]} objects */
  show(objects) {
    if (objects.length === 0 && this.shown.length === 0) return;
    const { classes, painter } = this.ports;
    this.shown = objects.map((o) => ({ ...o, color: classes.colorOf(o.class), ...drawingOf(o.outlines) }));
    painter.instances.show(this.shown);
    document.getElementById('canvas')?.setAttribute('data-objects', String(objects.length));
  }

  /** The classes have other colours now. */
  recolor() {
    if (this.shown.length === 0) return;
    const { classes, painter } = this.ports;
    this.shown = this.shown.map((o) => ({ ...o, color: classes.colorOf(o.class) }));
    painter.instances.show(this.shown);
  }
}

/** Closed outlines as a drawing in pixels of the image. @param {number[][]} outlines */
function drawingOf(outlines) {
  const path = new Path2D();
  const box = nothing();
  let points = 0;
  for (const corners of outlines) {
    points += corners.length / 2;
    for (let i = 0; i < corners.length; i += 2) {
      const [x, y] = [corners[i], corners[i + 1]];
      if (i === 0) path.moveTo(x, y);
      else path.lineTo(x, y);
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y);
    }
    path.closePath();
  }
  return { path, box, points };
}
