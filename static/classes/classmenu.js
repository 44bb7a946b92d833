import { call, Problem } from '../ui/api.js';
import { removeClass } from './classdelete.js';
import { bodyOf, namesInUse, rebased } from './classlist.js';
import { editName } from './naming.js';
import { byId } from '../ui/dom.js';
import { Menu } from '../ui/menu.js';
import { counted } from '../ui/numbers.js';
import { toast, toastProblem } from '../ui/toast.js';

/** The menus of one class and of all. */
export class ClassMenu {
  /** @param {import('./classes.js').ClassPanel} panel */
  constructor(panel) {
    this.panel = panel;
    this.place = 0;
    this.one = new Menu(byId('class-menu'), (what) => this.run(what));
    const all = new Menu(byId('classes-menu'), (what) => (what === 'import' ? this.file.click() : this.download(what)));
    this.all = all;
    const more = byId('classes-more');
    more.addEventListener('click', () => (this.compact ? this.open(panel.active, more) : all.open(more)));
    this.file = /** @type {HTMLInputElement} */ (byId('classes-file'));
    this.file.addEventListener('change', () => {
      const [file] = this.file.files ?? [];
      this.file.value = '';
      if (file) void this.upload(file);
    });
  }

  /** Whether there is no room for the buttons of rows, so that one menu has all that they do for the active class. */
  get compact() {
    return !byId('find').checkVisibility();
  }

  /** @param {number} place of the class @param {HTMLElement} opener */
  open(place, opener) {
    this.place = place;
    const last = this.panel.classes.length - 1;
    const { element } = this.one;
    for (const item of element.querySelectorAll('button')) {
      const { do: what = '' } = item.dataset;
      item.hidden = (['colour', 'find', 'all'].includes(what) && !this.compact) || (!['lock', 'find', 'all'].includes(what) && !this.panel.owned);
      item.disabled = (what === 'up' && place === 0) || (what === 'down' && place === last) || (what === 'delete' && last === 0);
    }
    const { id } = this.panel.classes[place];
    const lock = element.querySelector('[data-do="lock"] span');
    if (lock) lock.textContent = this.panel.locked.includes(id) ? 'Unlock' : 'Lock';
    element.setAttribute('aria-label', `Class ${this.panel.classes[place].name}`);
    this.one.open(opener);
  }

  /** @param {string} what */
  run(what) {
    const { panel, place } = this;
    if (what === 'rename') editName(panel, panel.classes[place].key);
    if (what === 'up') panel.move(place, -1);
    if (what === 'down') panel.move(place, 1);
    if (what === 'colour') panel.rows.get(panel.classes[place].key)?.color.click();
    if (what === 'find') byId('find').click();
    if (what === 'all') this.all.open(byId('classes-more'));
    if (what === 'lock') panel.toggleLock(place);
    if (what === 'delete') void removeClass(panel, place);
  }

  /** Downloads the classes. @param {string} format */
  download(format) {
    const link = document.createElement('a');
    link.href = `${this.panel.address}/classes?format=${format}`;
    link.download = ''; // the server names it
    link.click();
  }

  /** Replaces the classes of the project by those of a file. @param {File} file */
  async upload(file) {
    await replace(this.panel, formatOf(file.name, await file.text()), file);
  }
}

/**
 * The file format of a label set.
 *
 * @param {string} name of its file
 * @param {string} text
 * @returns {'txt' | 'json' | 'voc'}
 */
export function formatOf(name, text) {
  if (/\.json$/i.test(name)) return 'json';
  return /^\s*(#.*\n\s*)*[^:#\n]+:\d+,\d+,\d+:/.test(text) || /^\s*#\s*label:/.test(text) ? 'voc' : 'txt';
}

/**
 * Why a label set can't become the classes, and what to do.
 *
 * @param {readonly {id: number, name: string}[]} classes of the project
 * @param {Record<string, number>} inUse in how many images there are labels of each class that the set lacks, by id
 */
export function lackingText(classes, inUse) {
  const names = namesInUse(classes, inUse).map((name) => `“${name}”`);
  const them = names.length === 1 ? 'it' : 'them';
  return `A label set replaces all classes, and this one lacks ${names.join(', ')}, which labels use. Add ${them} to the file, or delete ${them} here first. Nothing was changed.`;
}

/**
 * Makes the classes of a label set those of the project. Classes of the same
 * name stay what they are. When others have changed the classes meanwhile, theirs
 * are shown first, and the person is asked again.
 *
 * @param {import('./classes.js').ClassPanel} panel
 * @param {'txt' | 'json' | 'voc'} format
 * @param {File} file
 */
async function replace(panel, format, file) {
  await panel.queue;
  const before = panel.classes;
  const form = new FormData();
  form.append('file', file);
  form.append('base', JSON.stringify(bodyOf(panel.stored)));
  try {
    panel.adopt(await call('PUT', `${panel.address}/classes?format=${format}`, form));
    const after = panel.classes;
    toast(`${counted(after.length, 'class', 'classes')} imported`, '', 'info', { label: 'Undo', run: () => panel.undo(() => rebased(after, before, panel.classes, panel.deleted, panel.palette)) });
  } catch (error) {
    if (!(error instanceof Problem)) return toastProblem(error);
    if (error.fields.in_use) return void toast('Classes not imported', lackingText(before, error.fields.in_use), 'problem');
    if (!error.fields.project) return toastProblem(error);
    panel.adopt(error.fields.project);
    toast('Classes not imported yet', 'Someone else has just changed the classes. Import anyway?', 'problem', { label: 'Import', run: () => replace(panel, format, file) });
  }
}
