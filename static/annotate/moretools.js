import { byId } from '../ui/dom.js';
import { Menu } from '../ui/menu.js';

/** @param {string} what a tool, or the id of a button @returns {HTMLElement} */
function buttonOf(what) {
  return document.querySelector(`[data-tool="${what}"]`) ?? byId(what);
}

/** The menu of the tools and views that phones have no room for. */
export function moreTools() {
  const opener = byId('more-tools');
  const menu = new Menu(byId('tools-menu'), (what) => buttonOf(what).click());
  opener.addEventListener('click', () => {
    for (const item of menu.element.querySelectorAll('button')) {
      const button = buttonOf(item.dataset.do ?? '');
      item.hidden = button.hidden;
      if (item.role === 'menuitemcheckbox') item.setAttribute('aria-checked', button.getAttribute('aria-pressed') ?? 'false');
    }
    menu.open(opener);
  });
}
