import { call } from '../ui/api.js';
import { byId, stamp } from '../ui/dom.js';
import { NOBODY, tallyBy } from './gallery.js';
import { grouped } from '../ui/grouped.js';
import { Menu } from '../ui/menu.js';
import { nameOrCount } from '../ui/numbers.js';
import { inParts } from './parts.js';
import { putBack } from './putback.js';
import { toast, toastProblem } from '../ui/toast.js';

/** @typedef {import('./gallery.js').ImageRecord} ImageRecord */

/**
 * Names in the order in which they are offered: one's own, then the others.
 *
 * @param {Iterable<string>} names
 * @param {string} own
 */
export function inOrder(names, own) {
  return [...new Set(names)].sort((a, b) => Number(b === own) - Number(a === own) || a.localeCompare(b));
}

/**
 * Who is to work on which image: the filter for it, and the menu of members for the
 * selected images. Both are hidden on a server without login.
 */
export class Assignees {
  /**
   * @param {string} project
   * @param {() => ImageRecord[]} chosen the images that the menu is about
   * @param {(images: ImageRecord[]) => void} changed the records as they are now
   */
  constructor(project, chosen, changed) {
    this.address = `/api/v1/projects/${encodeURIComponent(project)}`;
    this.own = byId('main').dataset.person ?? '';
    this.chosen = chosen;
    this.changed = changed;
    /** Removes the message about the last assignment, whose Undo would write over the next. */
    this.forget = () => {};
    this.select = /** @type {HTMLSelectElement} */ (byId('image-assignee'));
    this.menu = new Menu(byId('assign-menu'), (name) => void this.assign(name === NOBODY ? '' : name));
    const button = byId('assign-chosen');
    button.addEventListener('click', () => void this.open(button));
  }

  /** Offers those who have images, and how many. @param {ImageRecord[]} images @param {string} wanted the choice so far */
  fill(images, wanted) {
    const counts = tallyBy(images, (im) => im.assignee ?? NOBODY);
    const names = inOrder(Object.keys(counts).concat(wanted, this.own).filter((name) => name !== '' && name !== NOBODY), this.own);
    const option = (/** @type {string} */ value, /** @type {string} */ text) => new Option(`${text} (${counts[value] ?? 0})`, value, false, value === wanted);
    this.select.replaceChildren(option('', 'Everybody'), ...names.map((name) => option(name, this.shown(name))), option(NOBODY, 'Nobody'));
  }

  /** @param {string} name */
  shown(name) {
    return name === this.own ? `Me, ${name}` : name;
  }

  /** Opens the menu with those who can work on images. @param {HTMLElement} opener */
  async open(opener) {
    /** @type {{name: string, role: string}[]} */
    let members;
    try {
      members = await call('GET', `${this.address}/members`);
    } catch (error) {
      toastProblem(error);
      return;
    }
    const names = inOrder(members.filter((m) => m.role !== 'viewer').map((m) => m.name), this.own);
    if (names.length === 0 && !this.chosen().some((im) => im.assignee)) {
      toast('Nobody can work on images yet', 'Images are assigned to members of the project: its annotators, reviewers and owners.');
      return;
    }
    this.menu.element.replaceChildren(...names.map((name) => item(name, this.shown(name))), item(NOBODY, 'Nobody'));
    this.menu.open(opener);
  }

  /** @param {string} name empty for nobody */
  async assign(name) {
    const before = this.chosen();
    try {
      await this.put(before, name);
    } catch (error) {
      toastProblem(error);
      return;
    }
    this.forget();
    this.forget = toast(name ? `Assigned to ${name}` : 'Assigned to nobody', nameOrCount(before), 'info', { label: 'Undo', run: () => this.restore(before, name) });
  }

  /** Gives images back to those who had them, if nobody but who has them now got one. @param {ImageRecord[]} before @param {string} now */
  async restore(before, now) {
    const former = (/** @type {ImageRecord} */ im) => im.assignee ?? '';
    await putBack(this.address, grouped(before, former).values(), (images) => this.put(images, former(images[0]), now), (im) => former(im) === now, this.changed);
  }

  /** @param {ImageRecord[]} images @param {string} assignee @param {string} [replaces] who may lose them; anybody without it */
  async put(images, assignee, replaces) {
    await inParts(images, async (part) => {
      this.changed(await call('PUT', `${this.address}/assignments`, { images: part.map((im) => im.id), assignee, replaces }));
    });
  }
}

/** An item of the menu. @param {string} name @param {string} text */
function item(name, text) {
  const { element, slot } = stamp('assignee-template');
  element.dataset.do = name;
  slot('text').textContent = text;
  return element;
}
