import { namesInUse } from '../classes/classlist.js';
import { call, Problem, textOf } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { folded, isolated } from '../ui/names.js';
import { toast } from '../ui/toast.js';

/** @typedef {import('../evidence/protocol.js').ClassRecord} ClassRecord */

/** The most classes that a message names of those that someone else has changed. */
const MOST_NEWS = 5;

/** Classes as a label set, a line each. @param {readonly ClassRecord[]} classes */
export function linesOf(classes) {
  return classes.map(({ name, color }) => `${name} ${color}\n`).join('');
}

/**
 * The new names of classes that labels use, by id: a line that kept the colour of such a
 * class, and has a name that no class had, is about that class.
 *
 * @param {string} lines
 * @param {readonly ClassRecord[]} classes that the lines were made from
 * @param {Record<string, number>} inUse the classes that no line names, as the server counts them
 * @returns {Record<string, string>}
 */
export function renamed(lines, classes, inUse) {
  const typed = lines.split('\n').flatMap((line) => {
    const [, name, color] = /^(.*\S)\s+(#[\da-f]{6})$/i.exec(line.trim()) ?? [];
    return name ? { id: -1, name, color: color.toLowerCase() } : [];
  });
  const fresh = lacking(typed, classes);
  /** @type {Record<string, string>} */
  const names = {};
  for (const { id, color } of classes.filter((c) => inUse[c.id] > 0)) {
    const at = fresh.findIndex((line) => line.color === color);
    if (at >= 0) names[id] = fresh.splice(at, 1)[0].name;
  }
  return names;
}

/**
 * Why the classes can't be what was typed, and what to do.
 *
 * @param {unknown} error
 * @param {readonly ClassRecord[]} classes that the lines were made from
 * @param {Record<string, string>} [names] the new ones of classes that labels use, by id
 */
export function refusalText(error, classes, names = {}) {
  if (!(error instanceof Problem)) return textOf(error);
  const { in_use: inUse, project } = error.fields;
  const quoted = (/** @type {string} */ name) => `“${isolated(name)}”`;
  if (inUse) {
    const lost = namesInUse(classes.filter(({ id }) => !(id in names)), inUse).map(quoted);
    if (lost.length > 0) return `No line is called ${lost.join(', ')}, but labels use ${lost.length === 1 ? 'it' : 'them'}. Nothing was changed.`;
    const changes = classes.filter(({ id }) => id in names).map(({ id, name }) => `labels of ${quoted(name)} become ${quoted(names[id])}`);
    return `In all images, ${changes.join(', ')}. Save again to confirm this.`;
  }
  if (!project) return textOf(error);
  const news = [...lacking(project.classes, classes).map(({ name }) => `${quoted(name)} is new`), ...lacking(classes, project.classes).map(({ name }) => `${quoted(name)} is gone`)];
  const most = news.length > MOST_NEWS ? [...news.slice(0, MOST_NEWS), '…'] : news;
  return `Someone else has just changed the classes${most.length > 0 ? `: ${most.join(', ')}` : ''}. Save again to replace theirs by yours.`;
}

/** The classes that another list lacks. @param {readonly ClassRecord[]} classes @param {readonly ClassRecord[]} others */
function lacking(classes, others) {
  const known = new Set(others.map(({ name }) => folded(name)));
  return classes.filter(({ name }) => !known.has(folded(name)));
}

/** The dialog with all classes of a project as text, which can be typed or pasted before there is an image. */
export class ClassText {
  /**
   * @param {string} address of the project in the interface
   * @param {(project: import('../evidence/protocol.js').ProjectRecord) => void} changed
   */
  constructor(address, changed) {
    this.address = address;
    this.changed = changed;
    this.dialog = /** @type {HTMLDialogElement} */ (byId('classes-dialog'));
    this.lines = /** @type {HTMLTextAreaElement} */ (byId('classes-lines'));
    this.problem = byId('classes-problem');
    /** @type {ClassRecord[]} that the lines were made from, or that the person knows of */
    this.base = [];
    /** The lines that the server refused because labels use classes that they rename, and the new names by id. */
    this.asked = { lines: '', names: /** @type {Record<string, string>} */ ({}) };
    const form = /** @type {HTMLFormElement} */ (this.dialog.querySelector('form'));
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      void this.save();
    });
  }

  /** Shows the classes as they are now. */
  async open() {
    this.lines.value = '';
    this.asked.lines = '';
    this.say('');
    this.dialog.showModal();
    try {
      this.base = (await call('GET', this.address)).classes;
      this.lines.value = linesOf(this.base);
    } catch (error) {
      this.say(textOf(error));
    }
  }

  async save() {
    const lines = this.lines.value;
    const form = new FormData();
    form.append('file', new Blob([lines], { type: 'text/plain' }), 'classes.txt');
    form.append('base', JSON.stringify(this.base));
    if (lines === this.asked.lines) form.append('renamed', JSON.stringify(this.asked.names));
    try {
      this.changed(await call('PUT', `${this.address}/classes?format=txt`, form));
      this.dialog.close();
      toast('Classes saved');
    } catch (error) {
      const { in_use: inUse = {}, project = undefined } = error instanceof Problem ? error.fields : {};
      this.asked = { lines, names: renamed(lines, this.base, inUse) };
      this.say(refusalText(error, this.base, this.asked.names));
      if (project) this.base = project.classes;
    }
  }

  /** @param {string} problem */
  say(problem) {
    this.problem.textContent = problem;
    this.problem.hidden = !problem;
  }
}
