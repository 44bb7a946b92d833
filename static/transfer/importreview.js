import { byId, stamp } from '../ui/dom.js';
import { folded } from '../ui/names.js';
import { counted, percent } from '../ui/numbers.js';

/**
 * What an import would do, shown before it is done: thumbnails of the first masks,
 * and a table of the values in them with the class that each becomes.
 *
 * @typedef {import('./importreport.js').ImportReport} ImportReport
 * @typedef {import('./importreport.js').Value} Value
 * @typedef {{name: string}} Named
 */

/** What the field of a row can say besides a class. */
const OPEN = '';
const UNDECIDED = 'undecided';
const NEW = 'new';

const THUMBNAILS = 3;

/** The value that is undecided unless somebody says that it is a class. */
const WHITE = '255';

/**
 * The values of several files as one list: files that use the same value share it.
 *
 * @param {readonly Value[]} values
 * @returns {Value[]}
 */
export function merged(values) {
  /** @type {Map<string, Value>} */
  const all = new Map();
  for (const v of values) {
    const before = all.get(v.value);
    all.set(v.value, before ? { ...before, masks: before.masks + v.masks, pixels: before.pixels + v.pixels } : v);
  }
  return [...all.values()];
}

/**
 * The class to suggest for a value: the server's choice where the file has a name for it;
 * otherwise the one that the chosen list has at its place, or nothing. White is the
 * second of two classes.
 *
 * @param {Value} value
 * @param {string} list '', 'voc' or 'project'
 * @param {readonly Named[]} classes
 */
export function suggested({ name, voc, value, class: found }, list, classes) {
  if (name) return found ?? '';
  if (list === 'voc') return voc ?? '';
  if (list !== 'project') return '';
  return classes[value === WHITE && classes.length === 2 ? 1 : Number(value)]?.name ?? '';
}

export class ImportReview {
  /** @param {() => void} changed called when a class has been chosen */
  constructor(changed) {
    this.changed = changed;
    this.list = /** @type {HTMLSelectElement} */ (byId('import-list'));
    /** @type {{value: Value, choice: HTMLSelectElement, name: HTMLInputElement}[]} */
    this.rows = [];
    /** @type {readonly Named[]} */
    this.classes = [];
    this.list.addEventListener('change', () => {
      for (const row of this.rows) if (!row.value.name) this.#suggest(row);
      this.changed();
    });
  }

  /**
   * @param {ImportReport} report of a review
   * @param {readonly Named[]} classes of the project
   * @param {boolean} adds whether classes can be added
   */
  show({ values, images }, classes, adds) {
    this.classes = classes;
    this.list.value = '';
    const all = merged(values);
    byId('import-names').hidden = all.every((v) => v.name);
    byId('import-meaning').hidden = all.length === 0;
    const pixels = all.reduce((sum, v) => sum + v.pixels, 0);
    this.rows = [];
    byId('import-values').replaceChildren(...all.map((v) => this.#row(v, v.pixels / pixels, adds)));
    const shown = images.filter((im) => im.thumbnail).slice(0, THUMBNAILS);
    byId('import-thumbnails').replaceChildren(...shown.map(thumbnail));
    byId('import-thumbnails').hidden = shown.length === 0;
  }

  /** The first field that still lacks an answer. */
  get open() {
    for (const { choice, name } of this.rows) {
      if (choice.value === OPEN) return choice;
      if (choice.value === NEW && !name.value.trim()) return name;
    }
    return undefined;
  }

  /** The class for each value by name, or null for undecided. */
  get mapping() {
    return Object.fromEntries(this.rows.map(({ value, choice, name }) => {
      if (choice.value === UNDECIDED) return [value.value, null];
      return [value.value, choice.value === NEW ? name.value.trim() : this.classes[Number(choice.value)].name];
    }));
  }

  /**
   * @param {Value} value
   * @param {number} share of the pixels
   * @param {boolean} adds
   */
  #row(value, share, adds) {
    const { element, slot } = stamp('import-value');
    const row = { value, choice: /** @type {HTMLSelectElement} */ (slot('class')), name: /** @type {HTMLInputElement} */ (slot('name')) };
    const text = value.name || value.value;
    slot('swatch').style.backgroundColor = value.color;
    slot('value').textContent = text;
    slot('masks').textContent = `${value.masks} · ${percent(share)}`;
    slot('masks').title = `${counted(value.masks, 'mask')}, ${percent(share)} of the pixels`;
    row.choice.setAttribute('aria-label', `Class for ${text}`);
    row.choice.append(
      new Option('Choose…', OPEN),
      ...this.classes.map(({ name }, i) => new Option(name, String(i))),
      new Option('Leave undecided', UNDECIDED),
      ...(adds ? [new Option('New class…', NEW)] : []),
    );
    row.choice.addEventListener('change', () => {
      row.name.hidden = row.choice.value !== NEW;
      if (!row.name.hidden) {
        row.name.value ||= value.name || value.voc || '';
        row.name.focus();
      }
      this.changed();
    });
    row.name.addEventListener('input', this.changed);
    this.rows.push(row);
    this.#suggest(row);
    return element;
  }

  /** @param {ImportReview['rows'][0]} row */
  #suggest({ value, choice, name }) {
    const want = suggested(value, this.list.value, this.classes);
    const at = this.classes.findIndex((c) => folded(c.name) === folded(want));
    choice.value = at >= 0 ? String(at) : want ? NEW : OPEN;
    if (choice.selectedIndex < 0) choice.value = OPEN; // classes can't be added
    name.hidden = choice.value !== NEW;
    name.value = name.hidden ? '' : want;
  }
}

/** A mask over its photograph. @param {import('./importreport.js').Imported} im */
function thumbnail(im) {
  const { element, slot } = stamp('import-thumbnail');
  const photo = /** @type {HTMLImageElement} */ (slot('photo'));
  if (im.image) photo.src = `/api/v1/images/${im.image}/thumbnail`;
  else photo.remove();
  /** @type {HTMLImageElement} */ (slot('mask')).src = `data:image/png;base64,${im.thumbnail}`;
  slot('name').textContent = im.mask;
  return element;
}
