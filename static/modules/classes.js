import { call, Problem, problemOf } from './api.js';
import { adopted, answered, bodyOf, colorsByID, entryOf, fresh, MOST, moved } from './classlist.js';
import { ClassMenu } from './classmenu.js';
import { dragRows } from './classdrag.js';
import { ink } from './colour.js';
import { byId, stamp } from './dom.js';
import { classKey } from './keys.js';
import { percent } from './status.js';
import { toast, toastProblem } from './toast.js';

/**
 * @typedef {import('./classlist.js').Entry} Entry
 * @typedef {import('./protocol.js').ProjectRecord} ProjectRecord
 *
 * @typedef {object} ClassListener
 * @property {() => void} changed names, colours, the order or the number of classes
 * @property {(place: number) => void} chosen another class is active
 * @property {(text: string) => void} say for people who listen
 * @property {() => void} left editing ended; the image should have the focus again
 */

/** The panel of classes: choose, rename, recolour, add, reorder, delete. */
export class ClassPanel {
  /**
   * @param {string} project
   * @param {ClassListener} listener
   */
  constructor(project, listener) {
    this.address = `/api/v1/projects/${encodeURIComponent(project)}`;
    this.listener = listener;
    this.list = byId('classes');
    /** @type {Entry[]} in order */
    this.classes = [...this.list.querySelectorAll('li')].map(({ dataset }) => entryOf({ id: Number(dataset.id), name: dataset.name ?? '', color: dataset.color ?? '#000000' }));
    /** What the server is known to have. */
    this.stored = this.classes;
    /** @type {number[]} ids of deleted classes, as far as they are known */
    this.deleted = [];
    /** The key of the active class. */
    this.activeKey = this.classes[0].key;
    /** Whether there are changes that no call has taken along yet. */
    this.waiting = false;
    /** Whether others may have changed the classes meanwhile. */
    this.missed = false;
    /** Calls go one after the other. */
    this.queue = Promise.resolve();
    /** How many of them have not ended. */
    this.calls = 0;
    /** @type {Map<number, ReturnType<ClassPanel['row']>>} by key */
    this.rows = new Map();
    this.menu = new ClassMenu(this);
    this.sync();
    dragRows(this.list, {
      moved: (from, to) => this.arrange(moved(this.classes, from, to)),
      dropped: () => this.save(),
      revert: (before) => this.arrange(before),
      order: () => this.classes,
    });
    byId('add-class').addEventListener('click', () => this.add());
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

  /** @param {number} id */
  nameOf(id) {
    return this.byID(id)?.name ?? 'undecided';
  }

  /** @param {number} id */
  colorOf(id) {
    return this.byID(id)?.color ?? '#000000';
  }

  /**
   * @param {number} place
   * @returns {boolean} whether there is such a class
   */
  choose(place) {
    const chosen = this.classes[place];
    if (!chosen) return false;
    this.activeKey = chosen.key;
    this.paint();
    this.rows.get(chosen.key)?.element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.listener.chosen(place);
    return true;
  }

  /** @param {number} id */
  chooseID(id) {
    this.choose(this.classes.findIndex((c) => c.id === id));
  }

  add() {
    if (this.classes.length === MOST) return;
    const added = fresh(this.classes, this.deleted);
    this.arrange([...this.classes, added]);
    this.save();
    this.choose(this.classes.length - 1);
    this.edit(added.key);
  }

  /** @param {number} place @param {1 | -1} by */
  move(place, by) {
    const to = place + by;
    if (to < 0 || to >= this.classes.length) return;
    const { name, key } = this.classes[place];
    this.arrange(moved(this.classes, place, to));
    this.rows.get(key)?.choose.focus();
    this.listener.say(`${name} is class ${to + 1} of ${this.classes.length}`);
    this.save();
  }

  /**
   * Deletes a class. When labels use it, the person is asked what takes its
   * place.
   *
   * @param {number} place
   */
  async remove(place) {
    const gone = this.classes[place];
    if (this.classes.length < 2) {
      toast('A project needs a class', 'Rename this one, or add another first.');
      return;
    }
    await this.queue;
    const rest = () => bodyOf(this.classes.filter((c) => c.key !== gone.key));
    try {
      let images = 0;
      let answer = await this.patch({ classes: rest() }).catch((error) => {
        images = error instanceof Problem ? (error.fields.in_use?.[gone.id] ?? 0) : 0;
        if (images > 0) return null;
        throw error;
      });
      if (!answer) {
        const target = await this.menu.ask(gone, this.classes.filter((c) => c.key !== gone.key), images);
        if (target === null) return;
        answer = await this.patch({ classes: rest(), remap: { [gone.id]: target } });
      }
      this.adopt(answer);
      const next = this.rows.get(this.classes[Math.min(place, this.classes.length - 1)].key);
      next?.choose.focus();
      toast('Class deleted', gone.name, 'info', { label: 'Undo', run: () => this.restore(gone, place) });
    } catch (error) {
      toastProblem(error);
    }
  }

  /** @param {Entry} gone @param {number} place where it was */
  async restore(gone, place) {
    await this.queue;
    const body = bodyOf(this.classes);
    body.splice(place, 0, { id: gone.id, name: gone.name, color: gone.color });
    this.adopt(await this.patch({ classes: body }));
  }

  /**
   * Makes the classes of a label set those of the project. Classes of the same
   * name stay what they are.
   *
   * @param {'txt' | 'json' | 'voc'} format
   * @param {string} text
   */
  async replace(format, text) {
    await this.queue;
    const before = bodyOf(this.classes);
    try {
      const response = await fetch(`${this.address}/classes?format=${format}`, { method: 'PUT', mode: 'same-origin', credentials: 'same-origin', body: text });
      const answer = await response.text();
      if (!response.ok) throw problemOf(answer, response.status);
      this.adopt(JSON.parse(answer));
      toast(`${this.classes.length} classes imported`, '', 'info', { label: 'Undo', run: async () => this.adopt(await this.patch({ classes: before })) });
    } catch (error) {
      toastProblem(error);
    }
  }

  /** @param {{classes: object[], remap?: object}} body @returns {Promise<ProjectRecord>} */
  async patch(body) {
    this.calls++;
    try {
      return await call('PATCH', this.address, body);
    } finally {
      this.calls--;
    }
  }

  /** @param {number} key */
  row(key) {
    const { element, slot } = stamp('class-template');
    const parts = {
      element,
      color: /** @type {HTMLInputElement} */ (slot('color')),
      choose: slot('choose'),
      name: slot('name'),
      share: slot('share'),
      key: slot('key'),
      input: /** @type {HTMLInputElement} */ (slot('input')),
      more: slot('more'),
    };
    const place = () => this.classes.findIndex((c) => c.key === key);
    parts.choose.addEventListener('click', () => this.choose(place()));
    parts.choose.addEventListener('dblclick', () => this.edit(key));
    parts.choose.addEventListener('keydown', (e) => {
      if (!e.altKey || (e.key !== 'ArrowUp' && e.key !== 'ArrowDown')) return;
      e.preventDefault();
      e.stopPropagation();
      this.move(place(), e.key === 'ArrowUp' ? -1 : 1);
    });
    parts.more.addEventListener('click', () => this.menu.open(place(), parts.more));
    parts.color.addEventListener('input', () => this.set(key, { color: parts.color.value }));
    parts.color.addEventListener('change', () => this.save());
    parts.input.addEventListener('keydown', (e) => {
      if (e.key === 'Escape') parts.input.value = this.classes[place()].name;
      if (e.key === 'Enter' || e.key === 'Escape') {
        e.preventDefault();
        e.stopPropagation();
        this.finish(key);
        this.listener.left();
      }
    });
    parts.input.addEventListener('blur', () => this.finish(key));
    return parts;
  }

  /** Turns the name of a class into a field. @param {number} key */
  edit(key) {
    const row = this.rows.get(key);
    const entry = this.classes.find((c) => c.key === key);
    if (!row || !entry) return;
    row.input.value = entry.name;
    row.input.hidden = false;
    row.choose.hidden = true;
    row.input.focus();
    row.input.select();
  }

  /** @param {number} key */
  finish(key) {
    const row = this.rows.get(key);
    if (!row || row.input.hidden) return;
    row.input.hidden = true;
    row.choose.hidden = false;
    const name = row.input.value.trim();
    if (name !== '' && name !== this.classes.find((c) => c.key === key)?.name) {
      this.set(key, { name });
      this.save();
    }
  }

  /**
   * @param {number} key
   * @param {{name?: string, color?: string}} change
   */
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
      const row = rows.get(key) ?? this.row(key);
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
      const sent = this.classes;
      try {
        const { classes } = await this.patch({ classes: bodyOf(sent) });
        this.classes = answered(this.classes, sent, classes);
        this.stored = answered(sent, sent, classes);
        this.paint();
        this.listener.changed();
      } catch (error) {
        toastProblem(error);
        if (this.classes === sent) this.arrange(this.stored); // else a later edit is on its way
      }
      if (this.missed && !this.busy) await this.look();
    });
  }

  get busy() {
    return this.waiting || this.calls > 0;
  }

  /** Reads the classes anew. */
  async look() {
    this.missed = false;
    const response = await fetch(this.address, { credentials: 'same-origin' });
    if (response.ok) this.adopt(await response.json());
  }

  /** Waits until the active class is one that evidence can name. */
  async known() {
    while (this.busy) await this.queue;
    return this.current.stored;
  }

  /** Takes over what the server has, after a change by anyone. @param {ProjectRecord} project */
  adopt({ classes, deleted = [] }) {
    this.deleted = deleted.map((c) => c.id);
    this.missed = this.busy;
    if (this.busy) return; // changes of ours win; what there is then is read after them
    const place = this.active;
    const next = adopted(this.classes, classes);
    if (!next.some((c) => c.key === this.activeKey)) this.activeKey = next[Math.min(place, next.length - 1)].key;
    this.stored = next;
    this.arrange(next);
  }

  paint() {
    this.classes.forEach(({ key, name, color }, i) => {
      const row = this.rows.get(key);
      if (!row) return;
      const active = key === this.activeKey;
      row.color.value = color;
      row.color.setAttribute('aria-label', `Colour of ${name}`);
      row.name.textContent = name;
      row.key.textContent = classKey(i);
      row.key.hidden = classKey(i) === '';
      row.choose.setAttribute('aria-pressed', String(active));
      row.input.setAttribute('aria-label', `Name of class ${i + 1}`);
      row.more.setAttribute('aria-label', `More for ${name}`);
      row.element.classList.toggle('active', active);
      row.element.style.setProperty('--class', color);
      row.element.style.setProperty('--class-ink', ink(color));
    });
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
