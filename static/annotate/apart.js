import { byId } from '../ui/dom.js';

/** @typedef {{panel: HTMLElement, toggle: (open: boolean) => void}} Panel */

/**
 * Closes one of two panels over the image where there is no room for both: the
 * one that was open before, or the second when the window has become smaller.
 *
 * @param {Panel} first
 * @param {Panel} second
 */
export function apart(first, second) {
  const observer = new ResizeObserver((entries) => {
    const [a, b] = [first, second].map(({ panel }) => panel.getBoundingClientRect());
    if (Math.min(a.right, b.right) <= Math.max(a.left, b.left)) return; // also when one is closed
    const opened = entries.length === 1 && entries[0].target === second.panel ? second : first;
    (opened === first ? second : first).toggle(false);
  });
  for (const element of [byId('stage'), first.panel, second.panel]) observer.observe(element);
}
