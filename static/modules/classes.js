import { call } from './api.js';
import { ink, PALETTE } from './colour.js';
import { byId, stamp } from './dom.js';
import { classKey } from './keys.js';
import { PATTERNS } from './patterns.js';
import { percent } from './status.js';
import { toastProblem } from './toast.js';

const MOST = 255;

/**
 * @typedef {import('./protocol.js').ClassRecord} ClassRecord
 *
 * @typedef {object} ClassListener
 * @property {() => void} changed names, colours or the number of classes
 * @property {(index: number) => void} chosen another class is active
 * @property {() => void} left editing ended; the image should have the focus again
 */

/** The panel of classes: choose, rename, recolour, add. */
export class ClassPanel {
  /**
   * @param {string} project
   * @param {ClassListener} listener
   */
  constructor(project, listener) {
    this.address = `/api/v1/projects/${encodeURIComponent(project)}`;
    this.listener = listener;
    this.list = byId('classes');
    /** @type {ClassRecord[]} */
    this.classes = [...this.list.querySelectorAll('li')].map((li) => ({ name: li.dataset.name ?? '', color: li.dataset.color ?? '#000000' }));
    /** What the server is known to have. */
    this.stored = this.classes;
    this.active = 0;
    /** Calls go one after the other, so that the last edit wins. */
    this.queue = Promise.resolve();
    this.rows = this.classes.map((_, i) => this.row(i));
    this.list.replaceChildren(...this.rows.map((r) => r.element));
    this.paint();
    byId('add-class').addEventListener('click', () => this.add());
  }

  get colors() {
    return this.classes.map((c) => c.color);
  }

  /** @param {number} label */
  nameOf(label) {
    return this.classes[label]?.name ?? 'undecided';
  }

  /** @param {number} label */
  colorOf(label) {
    return this.classes[label]?.color ?? '#000000';
  }

  /** @param {number} index @returns {boolean} whether there is such a class */
  choose(index) {
    if (index < 0 || index >= this.classes.length) return false;
    this.active = index;
    this.paint();
    this.rows[index].element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.listener.chosen(index);
    return true;
  }

  add() {
    if (this.classes.length === MOST) return;
    const index = this.classes.length;
    this.classes = [...this.classes, { name: `class ${index + 1}`, color: PALETTE[index % PALETTE.length] }];
    this.save();
    this.sync();
    this.choose(index);
    this.edit(index);
  }

  /** @param {number} index */
  row(index) {
    const { element, slot } = stamp('class-template');
    const parts = {
      element,
      color: /** @type {HTMLInputElement} */ (slot('color')),
      choose: slot('choose'),
      name: slot('name'),
      share: slot('share'),
      key: slot('key'),
      input: /** @type {HTMLInputElement} */ (slot('input')),
      rename: slot('rename'),
    };
    parts.choose.addEventListener('click', () => this.choose(index));
    parts.choose.addEventListener('dblclick', () => this.edit(index));
    parts.rename.addEventListener('click', () => this.edit(index));
    parts.color.addEventListener('input', () => this.set(index, { color: parts.color.value }));
    parts.color.addEventListener('change', () => this.save());
    parts.input.addEventListener('keydown', (e) => {
      if (e.key === 'Escape') parts.input.value = this.classes[index].name;
      if (e.key === 'Enter' || e.key === 'Escape') {
        e.preventDefault();
        e.stopPropagation();
        this.finish(index);
        this.listener.left();
      }
    });
    parts.input.addEventListener('blur', () => this.finish(index));
    return parts;
  }

  /** Turns the name of a class into a field. @param {number} index */
  edit(index) {
    const { input, choose } = this.rows[index];
    input.value = this.classes[index].name;
    input.hidden = false;
    choose.hidden = true;
    input.focus();
    input.select();
  }

  /** @param {number} index */
  finish(index) {
    const { input, choose } = this.rows[index];
    if (input.hidden) return;
    input.hidden = true;
    choose.hidden = false;
    const name = input.value.trim();
    if (name !== '' && name !== this.classes[index].name) {
      this.set(index, { name });
      this.save();
    }
  }

  /**
   * @param {number} index
   * @param {Partial<ClassRecord>} change
   */
  set(index, change) {
    this.classes = this.classes.map((c, i) => (i === index ? { ...c, ...change } : c));
    this.paint();
    this.listener.changed();
  }

  /** Brings the rows in line with the classes. */
  sync() {
    while (this.rows.length < this.classes.length) this.rows.push(this.row(this.rows.length));
    this.rows.length = this.classes.length;
    this.list.replaceChildren(...this.rows.map((r) => r.element));
    this.paint();
    this.listener.changed();
  }

  /** Sends the classes; what the server refuses is taken back. */
  save() {
    const classes = this.classes;
    this.queue = this.queue.then(async () => {
      try {
        await call('PATCH', this.address, { classes });
        this.stored = classes;
      } catch (error) {
        toastProblem(error);
        if (this.classes !== classes) return; // a later edit is on its way
        this.classes = this.stored;
        this.active = Math.min(this.active, this.classes.length - 1);
        this.sync();
      }
    });
  }

  paint() {
    this.classes.forEach(({ name, color }, i) => {
      const row = this.rows[i];
      row.color.value = color;
      row.color.setAttribute('aria-label', `Colour of ${name}`);
      row.name.textContent = name;
      row.key.textContent = classKey(i);
      row.key.hidden = classKey(i) === '';
      row.choose.setAttribute('aria-pressed', String(i === this.active));
      row.input.setAttribute('aria-label', `Name of class ${i + 1}`);
      row.rename.setAttribute('aria-label', `Rename ${name}`);
      row.rename.title = i === this.active ? 'Rename (F2)' : 'Rename';
      row.element.dataset.pattern = String(i % PATTERNS);
      row.element.classList.toggle('active', i === this.active);
      row.element.style.setProperty('--class', color);
      row.element.style.setProperty('--class-ink', ink(color));
    });
  }

  /**
   * Shows how much of the image each class has.
   *
   * @param {Uint8Array} labels
   * @param {ArrayLike<number>} area
   */
  count(labels, area) {
    const sums = new Float64Array(256);
    let total = 0;
    for (let s = 0; s < labels.length; s++) {
      sums[labels[s]] += area[s];
      total += area[s];
    }
    this.rows.forEach((row, i) => {
      row.share.textContent = sums[i] > 0 ? percent(sums[i] / total) : '';
    });
  }
}
