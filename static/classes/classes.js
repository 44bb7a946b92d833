import { call, Problem } from '../ui/api.js';
import { adopted, answered, bodyOf, colorsByID, entryOf, fresh, MOST, moved, rebased, successor } from './classlist.js';
import { ClassMenu } from './classmenu.js';
import { dragRows } from './classdrag.js';
import { classRow, controlsOf, paintRow } from './classrow.js';
import { keepClass, lastClass } from './lastclass.js';
import { RestChoice } from './rest.js';
import { editName, retype, takeName } from './naming.js';
import { byId, showIn } from '../ui/dom.js';
import { isolated } from '../ui/names.js';
import { percent } from '../ui/numbers.js';
import { inRows, rove } from '../ui/roving.js';
import { toast, toastProblem } from '../ui/toast.js';

/**
 * @typedef {import('./classlist.js').Entry} Entry
 * @typedef {import('../evidence/protocol.js').ProjectRecord} ProjectRecord
 *
 * @typedef {object} ClassListener
 * @property {() => void} changed names, colours, the order or the number of classes
 * @property {(place: number) => void} chosen another class is active
 * @property {(id: number) => void} lock locks or unlocks a class
 * @property {(text: string) => void} say for screen readers
 * @property {() => void} left editing ended; the image should have the focus again
 */

/** How often a change is made again when others are faster. */
const TRIES = 10;

/** The panel of classes: choose, rename, recolour, add, reorder, delete. */
export class ClassPanel {
  /**
   * @param {string} project
   * @param {ClassListener} listener
   */
  constructor(project, listener) {
    this.project = project;
    this.address = `/api/v1/projects/${encodeURIComponent(project)}`;
    this.listener = listener;
    this.list = byId('classes');
    /** Colours for new classes, by place. */
    this.palette = (this.list.dataset.palette ?? '').split(' ');
    /** @type {Entry[]} in order */
    this.classes = [...this.list.querySelectorAll('li')].map(({ dataset }) => entryOf({ id: Number(dataset.id), name: dataset.name ?? '', color: dataset.color ?? '#000000' }));
    this.rest = new RestChoice(this.address);
    this.rest.show(this.classes, JSON.parse(byId('rest').dataset.rest ?? 'null'));
    /** What the server is known to have. */
    this.stored = this.classes;
    /** @type {number[]} ids of deleted classes, as far as they are known */
    this.deleted = [];
    /** The key of the active class. */
    this.activeKey = lastClass(project, this.classes, this.rest.id).key;
    /** The key of the class that was active before the last one was added. */
    this.formerKey = this.activeKey;
    /** The key of the class that is named for the first time and not sent before, or -1. */
    this.newKey = -1;
    /** @type {readonly number[]} ids of the classes that nothing paints over */
    this.locked = [];
    /** Whether there are changes that no call has taken along yet. */
    this.waiting = false;
    /** Whether there are changes that a call could not take along because the server was away. */
    this.unsent = false;
    /** Whether the person holds a row. */
    this.dragging = false;
    /** Whether others may have changed the classes meanwhile. */
    this.missed = false;
    /** How often the server has said what it has. */
    this.heard = 0;
    /** Calls go one after the other. */
    this.queue = Promise.resolve();
    /** How many of them have not ended. */
    this.calls = 0;
    /** @type {Map<number, ReturnType<typeof classRow>>} by key */
    this.rows = new Map();
    const controls = () => this.classes.map(({ key }) => controlsOf(this.rows.get(key))).filter((row) => row.length > 0);
    /** Makes the active class what Tab reaches. */
    this.home = rove(this.list, () => controls().flat(), inRows(controls));
    this.menu = new ClassMenu(this);
    this.sync();
    dragRows(this.list, {
      started: () => (this.dragging = true),
      moved: (from, to) => this.arrange(moved(this.classes, from, to)),
      ended: (changed) => {
        this.dragging = false;
        if (changed) this.save();
        else void this.reload();
      },
    });
    byId('add-class').addEventListener('click', () => this.add());
    new ResizeObserver(() => this.reveal()).observe(this.list); // such as a phone that is turned
  }

  /** The place of the active class. */
  get active() {
    return Math.max(0, this.classes.findIndex((c) => c.key === this.activeKey));
  }

  /** The active class. */
  get current() {
    return this.classes[this.active];
  }

  /** Colours by class id. */
  get colors() {
    return colorsByID(this.classes);
  }

  /** @param {number} id */
  byID(id) {
    return this.classes.find((c) => c.id === id);
  }

  /** A class as a part of a text. @param {number} id */
  nameOf(id) {
    return isolated(this.byID(id)?.name ?? 'undecided');
  }

  /** @param {number} id */
  colorOf(id) {
    return this.byID(id)?.color ?? '#000000';
  }

  /** @param {number} place @returns {boolean} whether there is such a class */
  choose(place) {
    const chosen = this.classes[place];
    if (!chosen) return false;
    this.activeKey = chosen.key;
    keepClass(this.project, chosen.id, this.rest.id);
    this.paint();
    this.reveal();
    this.listener.chosen(place);
    return true;
  }

  /** Brings the active class into view. */
  reveal() {
    showIn(this.list, this.rows.get(this.activeKey)?.element);
  }

  /** @param {number} id */
  chooseID(id) {
    this.choose(this.classes.findIndex((c) => c.id === id));
  }

  /** @param {number} place */
  toggleLock(place) {
    const { id, stored } = this.classes[place];
    if (stored) this.listener.lock(id);
  }

  /** @param {readonly number[]} locked ids of the classes that nothing paints over */
  lock(locked) {
    if (locked === this.locked) return;
    this.locked = locked;
    this.paint();
  }

  /** Whether the person owns the project, as far as the page knows: it offers to add classes. */
  get owned() {
    return !byId('add-class').hidden;
  }

  /** Whether the person can change the classes; says so when not. */
  mayChange() {
    const may = this.owned;
    if (!may) toast('Classes not changed', 'Only owners of a project can change its classes.', 'problem');
    return may;
  }

  add() {
    if (this.classes.length === MOST || !this.mayChange()) return;
    if (!takeName(this, this.newKey)) return; // assistive technology presses buttons without taking the focus from the field
    const added = fresh(this.classes, this.deleted, this.palette);
    this.formerKey = this.activeKey;
    this.newKey = added.key;
    this.arrange([...this.classes, added]);
    this.choose(this.classes.length - 1);
    editName(this, added.key);
  }

  /** @param {number} place @param {1 | -1} by */
  move(place, by) {
    const to = place + by;
    if (to < 0 || to >= this.classes.length || !this.mayChange()) return;
    const { name, key } = this.classes[place];
    this.arrange(moved(this.classes, place, to));
    this.rows.get(key)?.choose.focus();
    this.listener.say(`${name} is class ${to + 1} of ${this.classes.length}`);
    this.save();
  }

  /** Takes a change of the list back. @param {() => Entry[]} make */
  async undo(make) {
    try {
      this.adopt(await this.send(make));
    } catch (error) {
      toastProblem(error);
    }
  }

  /**
   * Sends a list. When others have changed the classes meanwhile, which the server
   * knows by the list that this one was made from, it is made again from theirs.
   *
   * @param {() => Entry[]} make the list, of the classes as they are at that moment
   * @param {() => object} [remap] what takes the place of the classes that it leaves out
   * @returns {Promise<ProjectRecord>}
   */
  async send(make, remap) {
    this.calls++;
    try {
      for (let tries = 0; ; tries++) {
        try {
          return await call('PATCH', this.address, { classes: bodyOf(make()), base: bodyOf(this.stored), remap: remap?.() });
        } catch (error) {
          if (!(error instanceof Problem) || !error.fields.project || tries === TRIES) throw error;
          this.rebase(error.fields.project);
        }
      }
    } finally {
      this.calls--;
    }
  }

  /** Makes what is not stored yet of what the server has. @param {ProjectRecord} project */
  rebase({ classes, deleted = [] }) {
    this.deleted = deleted.map((c) => c.id);
    const theirs = adopted(this.stored, classes);
    const next = rebased(this.stored, this.classes, theirs, this.deleted, this.palette);
    this.stored = theirs;
    this.arrange(next);
  }

  /** @param {number} key @param {{name?: string, color?: string}} change */
  set(key, change) {
    this.classes = this.classes.map((c) => (c.key === key ? { ...c, ...change } : c));
    this.paint();
    this.listener.changed();
  }

  /** Shows the classes in another order, or others. @param {Entry[]} classes */
  arrange(classes) {
    this.classes = classes;
    this.sync();
    this.listener.changed();
  }

  /** Brings the rows in line with the classes. */
  sync() {
    const { classes, rows } = this;
    for (const key of [...rows.keys()]) if (!classes.some((c) => c.key === key)) rows.delete(key);
    const elements = classes.map(({ key }) => {
      const row = rows.get(key) ?? classRow(this, key);
      rows.set(key, row);
      return row.element;
    });
    elements.forEach((element, i) => {
      if (this.list.children[i] !== element) this.list.insertBefore(element, this.list.children[i] ?? null);
    });
    while (this.list.children.length > elements.length) this.list.lastElementChild?.remove();
    this.paint();
  }

  /** Sends the classes, in one call for all that has changed since the last. */
  save() {
    if (this.waiting) return;
    this.waiting = true;
    this.queue = this.queue.then(async () => {
      this.waiting = false;
      let sent = this.classes;
      try {
        const { classes, rest } = await this.send(() => (sent = this.classes));
        this.rest.show(classes, rest);
        this.classes = answered(this.classes, sent, classes);
        this.stored = adopted(answered(sent, sent, classes), classes);
        this.heard++;
        this.paint();
        this.listener.changed();
      } catch (error) {
        if (error instanceof Problem && error.status === 0) return this.keep();
        if (retype(this, error)) return;
        toastProblem(error);
        if (this.classes === sent) this.goBack(this.stored); // else a later edit is on its way
      }
      await this.reload();
    });
  }

  /** The server is away: what was typed stays, and is sent when it is back. */
  keep() {
    if (!this.unsent) toast('Classes not saved yet', 'Keep this page open: they are sent when the server is back.', 'problem');
    this.unsent = true;
  }

  /** The server is back. */
  resend() {
    if (!this.unsent) return;
    this.unsent = false;
    this.save();
  }

  /** Shows classes without one that was not to be added; if that is active, the one before it is again. @param {Entry[]} classes */
  goBack(classes) {
    this.arrange(classes);
    if (classes.every((c) => c.key !== this.activeKey)) this.choose(Math.max(0, classes.findIndex((c) => c.key === this.formerKey)));
  }

  /** Whether the list is about to change. */
  get busy() {
    return this.waiting || this.unsent || this.calls > 0 || this.dragging || this.newKey >= 0;
  }

  /** Reads the classes again if others may have changed them. */
  async reload() {
    if (!this.missed || this.busy) return;
    const { heard } = this;
    try {
      this.adopt(await call('GET', this.address), false, heard);
    } catch {
      // They are read with the next change at the latest.
    }
  }

  /** Waits until the active class is one that evidence can name. */
  async known() {
    let queue;
    do await (queue = this.queue);
    while (queue !== this.queue);
    return this.current.stored;
  }

  /**
   * Takes over what the server has, after a change by anyone.
   *
   * @param {ProjectRecord} project
   * @param {boolean} [mine] whether the person has made the change
   * @param {number} [heard] what this.heard was when the server was asked
   */
  adopt({ classes, deleted = [], rest }, mine = false, heard = this.heard) {
    if (heard !== this.heard) { // this may be older than what is shown
      this.missed = true;
      void this.reload();
      return;
    }
    this.deleted = deleted.map((c) => c.id);
    this.rest.show(classes, rest);
    this.missed = this.busy;
    if (this.busy) return; // our changes win; the result is read after them
    const { active, current } = this;
    const next = adopted(this.classes, classes);
    const stays = next.some((c) => c.key === current.key);
    if (!stays) this.activeKey = successor(next, active, deleted.find((c) => c.id === current.id)).key;
    this.stored = next;
    this.heard++;
    this.arrange(next);
    if (!stays && !mine) toast(`${current.name} was deleted`, `The active class is now ${this.current.name}.`);
  }

  paint() {
    this.classes.forEach((c, i) => {
      const row = this.rows.get(c.key);
      if (row) paintRow(row, c, i, { active: c.key === this.activeKey, locked: this.locked.includes(c.id) });
    });
    this.home(this.rows.get(this.activeKey)?.choose);
  }

  /**
   * Shows how much of the image each class has.
   *
   * @param {Float64Array} shares of the area by class id, see shares.js
   */
  count(shares) {
    for (const { key, id } of this.classes) {
      const share = this.rows.get(key)?.share;
      const text = shares[id] > 0 ? percent(shares[id]) : '';
      if (share && share.textContent !== text) share.textContent = text;
    }
  }
}
