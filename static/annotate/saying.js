import { apart, boxAt, excludedAt } from '../evidence/constraints.js';
import { VOID } from '../evidence/protocol.js';
import { counted } from '../ui/numbers.js';
import { toast } from '../ui/toast.js';

/**
 * @typedef {object} Ports
 * @property {import('../exchange/session.js').Session} session
 * @property {import('../classes/classes.js').ClassPanel} classes
 * @property {import('../tools/stage.js').Stage} stage
 * @property {(text: string) => void} say
 */

/** Says what clicks and picks can't: boxes, what is not of a class, and locks; and shows it. */
export class Saying {
  /** @param {Ports} ports */
  constructor(ports) {
    this.ports = ports;
    /** What is shown. */
    this.shown = '';
  }

  get said() {
    return this.ports.session.evidence.present.said;
  }

  /**
   * A box has been drawn; a tap takes away the one that it is in.
   *
   * @param {NonNullable<import('../tools/strokes.js').Drawn['box']>} drawn
   * @param {boolean} away whether it takes a box away in any case
   */
  box({ corners, tap }, away) {
    const { session, classes: { current }, say } = this.ports;
    if (tap || away) {
      const gone = this.unbox([(corners[0] + corners[2]) / 2, (corners[1] + corners[3]) / 2]);
      if (gone && tap && !away) toast(`Box around ${gone} removed`, 'A click in a box removes it. Undo brings it back.'); // elsewhere a click selects it
      return;
    }
    const before = this.said.boxes.find((b) => b.class === current.id);
    session.constrain('box', current.id, { points: [[corners[0], corners[1]], [corners[2], corners[3]]] });
    say(`Box around ${current.name}`);
    if (before && apart(before.box, corners)) toast('A class has one box', `This one has replaced the one before. For several objects of ${current.name}, draw one box around all of them, or click each.`);
    else if (!session.evidence.present.labels.includes(VOID)) toast(`Box around ${current.name}`, `What you have accepted stays until you click a piece of ${current.name} in the box.`);
  }

  /** Takes away the box at a point. @param {[number, number] | null} point of the image @returns {string} the class that it was around, or '' */
  unbox(point) {
    const { session, classes, say } = this.ports;
    const found = point && boxAt(this.said.boxes, point);
    if (!found) {
      toast('No box here', 'Drag a rectangle around the object.');
      return '';
    }
    session.constrain('box', found.class);
    const name = classes.nameOf(found.class);
    say(`Box around ${name} removed`);
    return name;
  }

  /**
   * @param {number[]} superpixels that are not of a class
   * @param {[number, number][]} points one in each
   * @param {number} label
   */
  exclude(superpixels, points, label) {
    const { session, classes, say } = this.ports;
    session.constrain('exclude', label, { superpixels, points });
    say(`${counted(superpixels.length, 'superpixel')} not ${classes.nameOf(label)}`);
  }

  /** Locks or unlocks a class. @param {number} label */
  lock(label) {
    const { session, classes, say } = this.ports;
    const locked = this.said.locked.includes(label);
    session.constrain(locked ? 'unlock' : 'lock', label);
    say(`${classes.nameOf(label)} ${locked ? 'unlocked' : 'locked'}`);
  }

  /** What a superpixel is not, in words after its class. @param {number} superpixel */
  inWords(superpixel) {
    return excludedAt(this.said, superpixel).map((label) => `, not ${this.ports.classes.nameOf(label)}`).join('');
  }

  /** Shows what is said, in the colours of the classes. */
  show() {
    const { classes, stage: { painter } } = this.ports;
    const noted = (/** @type {{class: number}} */ { class: label }) => ({ color: classes.colorOf(label), name: classes.nameOf(label) });
    const boxes = this.said.boxes.map((b) => ({ ...b, ...noted(b) }));
    const excluded = this.said.excluded.map((x) => ({ ...x, ...noted(x) }));
    classes.lock(this.said.locked);
    const shown = JSON.stringify([boxes, excluded, painter.map.n]);
    if (shown === this.shown) return;
    this.shown = shown;
    Object.assign(painter.notes, { boxes, excluded });
    painter.touch();
  }

  /** Shows the box that is being drawn, or outlines what would not be of the class. @param {import('../tools/strokes.js').Drawn | null} drawn */
  draft(drawn) {
    const { classes: { current }, stage: { painter } } = this.ports;
    if (drawn?.mode === 'exclude' && !drawn.box) {
      painter.marks.hover = drawn.superpixels;
      painter.touchMarks();
    }
    const box = drawn?.box && !drawn.box.tap && drawn.mode !== 'clear' ? drawn.box.corners : null;
    if (!box && !painter.marks.box) return;
    painter.marks.box = box && { class: current.id, color: current.color, name: current.name, box };
    painter.touchMarks();
  }
}
