import { byId } from './dom.js';
import { VOID } from './protocol.js';

/** The menu of one class, and the question what takes the place of a deleted one. */
export class ClassMenu {
  /** @param {import('./classes.js').ClassPanel} panel */
  constructor(panel) {
    this.panel = panel;
    this.element = byId('class-menu');
    this.place = 0;
    /** @type {HTMLElement | null} what opened it */
    this.opener = null;
    this.element.addEventListener('keydown', (e) => this.key(e));
    this.element.addEventListener('click', (e) => {
      const item = e.target instanceof Element ? e.target.closest('[data-do]') : null;
      if (item instanceof HTMLElement) this.run(item.dataset.do ?? '');
    });
    this.element.addEventListener('toggle', () => {
      if (!this.element.matches(':popover-open')) this.opener?.setAttribute('aria-expanded', 'false');
    });
  }

  /** @returns {HTMLButtonElement[]} the items that can be used */
  get items() {
    return [...this.element.querySelectorAll('button')].filter((b) => !b.disabled);
  }

  /** @param {number} place of the class @param {HTMLElement} opener */
  open(place, opener) {
    this.place = place;
    this.opener = opener;
    const last = this.panel.classes.length - 1;
    for (const item of this.element.querySelectorAll('button')) {
      item.disabled = (item.dataset.do === 'up' && place === 0) || (item.dataset.do === 'down' && place === last) || (item.dataset.do === 'delete' && last === 0);
    }
    this.element.setAttribute('aria-label', `Class ${this.panel.classes[place].name}`);
    this.element.showPopover();
    opener.setAttribute('aria-expanded', 'true');
    const { right, top, bottom } = opener.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.element;
    this.element.style.left = `${Math.max(8, right - offsetWidth)}px`;
    this.element.style.top = `${bottom + offsetHeight + 8 > innerHeight ? top - offsetHeight - 4 : bottom + 4}px`;
    this.items[0].focus();
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const { items } = this;
    const at = items.findIndex((item) => item === document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[e.key];
    if (e.key === 'Tab' || e.key === 'Escape') {
      this.element.hidePopover();
      this.opener?.focus();
    }
    e.stopPropagation();
    if (next === undefined && e.key !== 'Escape') return;
    e.preventDefault();
    if (next !== undefined) items[(next + items.length) % items.length].focus();
  }

  /** @param {string} what */
  run(what) {
    const { panel, place } = this;
    this.element.hidePopover();
    if (what === 'rename') panel.edit(panel.classes[place].key);
    if (what === 'up') panel.move(place, -1);
    if (what === 'down') panel.move(place, 1);
    if (what === 'delete') void panel.remove(place);
  }

  /**
   * Asks what takes the place of a class that labels use.
   *
   * @param {import('./classlist.js').Entry} gone
   * @param {import('./classlist.js').Entry[]} others
   * @param {number} images that use it
   * @returns {Promise<number | null>} id of a class, VOID for undecided, null when it is to stay
   */
  ask(gone, others, images) {
    const dialog = /** @type {HTMLDialogElement} */ (byId('remap-dialog'));
    const select = /** @type {HTMLSelectElement} */ (byId('remap-target'));
    byId('remap-title').textContent = `Delete ${gone.name}?`;
    byId('remap-note').textContent = `It is used in ${images === 1 ? '1 image' : `${images} images`}. What shall these labels become?`;
    select.replaceChildren(...[...others.map((c) => new Option(c.name, String(c.id))), new Option('Undecided', String(VOID))]);
    dialog.returnValue = '';
    dialog.showModal();
    return new Promise((resolve) => {
      dialog.addEventListener('close', () => resolve(dialog.returnValue === 'delete' ? Number(select.value) : null), { once: true });
    });
  }
}
