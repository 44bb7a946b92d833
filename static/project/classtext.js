import { namesInUse } from '../classes/classlist.js';
import { call, Problem, textOf } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { isolated } from '../ui/names.js';
import { toast } from '../ui/toast.js';

/** @typedef {import('../evidence/protocol.js').ClassRecord} ClassRecord */

/** Classes as a label set, a line each. @param {readonly ClassRecord[]} classes */
export function linesOf(classes) {
  return classes.map(({ name, color }) => `${name} ${color}\n`).join('');
}

/**
 * Why the classes can't be what was typed, and what to do.
 *
 * @param {unknown} error
 * @param {readonly ClassRecord[]} classes that the lines were made from
 */
export function refusalText(error, classes) {
  if (!(error instanceof Problem)) return textOf(error);
  const { in_use: inUse, project } = error.fields;
  if (inUse) {
    const names = namesInUse(classes, inUse).map((name) => `“${isolated(name)}”`);
    return `No line is called ${names.join(', ')}, but labels use ${names.length === 1 ? 'it' : 'them'}. Nothing was changed.`;
  }
  return project ? 'Someone else has just changed the classes. Save again to replace theirs by yours.' : textOf(error);
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
    const form = /** @type {HTMLFormElement} */ (this.dialog.querySelector('form'));
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      void this.save();
    });
  }

  /** Shows the classes as they are now. */
  async open() {
    this.lines.value = '';
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
    const form = new FormData();
    form.append('file', new Blob([this.lines.value], { type: 'text/plain' }), 'classes.txt');
    form.append('base', JSON.stringify(this.base));
    try {
      this.changed(await call('PUT', `${this.address}/classes?format=txt`, form));
      this.dialog.close();
      toast('Classes saved');
    } catch (error) {
      this.say(refusalText(error, this.base));
      if (error instanceof Problem && error.fields.project) this.base = error.fields.project.classes;
    }
  }

  /** @param {string} problem */
  say(problem) {
    this.problem.textContent = problem;
    this.problem.hidden = !problem;
  }
}
