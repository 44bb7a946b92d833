/** A menu that opens beside a button, with arrow-key navigation. */
export class Menu {
  /**
   * @param {HTMLElement} element a popover with role menu, whose buttons say in data-do what they do
   * @param {(what: string) => void} run
   */
  constructor(element, run) {
    this.element = element;
    /** @type {HTMLElement | null} what opened it */
    this.opener = null;
    element.addEventListener('keydown', (e) => this.key(e));
    element.addEventListener('click', (e) => {
      const item = e.target instanceof Element ? e.target.closest('[data-do]') : null;
      if (!(item instanceof HTMLElement)) return;
      element.hidePopover();
      run(item.dataset.do ?? '');
    });
    element.addEventListener('toggle', () => {
      if (!element.matches(':popover-open')) this.opener?.setAttribute('aria-expanded', 'false');
    });
  }

  /** @returns {HTMLButtonElement[]} the items that can be used */
  get items() {
    return [...this.element.querySelectorAll('button')].filter((b) => !b.disabled && !b.hidden);
  }

  /** @param {HTMLElement} opener */
  open(opener) {
    const { element } = this;
    this.opener = opener;
    element.showPopover();
    opener.setAttribute('aria-expanded', 'true');
    const { right, top, bottom } = opener.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = element;
    element.style.left = `${Math.max(8, right - offsetWidth)}px`;
    element.style.top = `${bottom + offsetHeight + 8 > innerHeight ? Math.max(8, top - offsetHeight - 4) : bottom + 4}px`;
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
}
