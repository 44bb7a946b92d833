import { byId } from './dom.js';
import { remember } from './memory.js';

const dark = matchMedia('(prefers-color-scheme: dark)');

/** The theme in force: the person's choice, else the system's. */
function present() {
  return document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light');
}

/**
 * Makes the toggle work. A choice that equals the system's preference is
 * forgotten again, so that the page follows the system.
 */
export function themeToggle() {
  byId('theme').addEventListener('click', () => {
    const next = present() === 'dark' ? 'light' : 'dark';
    const followsSystem = next === (dark.matches ? 'dark' : 'light');
    if (followsSystem) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    remember('collie-theme', followsSystem ? '' : next);
  });
}
