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
  const keep = (/** @type {Panel} */ kept, /** @type {Panel} */ other) => {
    const [a, b] = [kept, other].map(({ panel }) => panel.getBoundingClientRect());
    if (Math.min(a.right, b.right) > Math.max(a.left, b.left)) other.toggle(false); // one that is closed is nowhere
  };
  for (const [opened, other] of [[first, second], [second, first]]) {
    new MutationObserver(() => keep(opened, other)).observe(opened.panel, { attributeFilter: ['hidden'] });
  }
  new ResizeObserver(() => keep(first, second)).observe(byId('stage'));
}
