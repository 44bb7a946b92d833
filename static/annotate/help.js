import { byId } from '../ui/dom.js';
import { bindingsFor } from './keys.js';

/**
 * The help sheet, made from the table of keys. Whoever may not label or review is
 * not told the keys for it.
 *
 * @returns {() => void} opens it
 */
export function helpSheet() {
  const dialog = /** @type {HTMLDialogElement} */ (byId('help-dialog'));
  const bindings = bindingsFor([
    ...(byId('app').dataset.readonly === undefined ? /** @type {const} */ (['annotate']) : []),
    ...(document.querySelector('[data-do="approved"]') ? /** @type {const} */ (['review']) : []),
  ]);
  const groups = [...new Set(bindings.map((b) => b.group))];
  byId('help-keys').replaceChildren(
    ...groups.map((group) => {
      const section = document.createElement('section');
      const title = document.createElement('h4');
      title.textContent = group;
      const list = document.createElement('dl');
      for (const { shown, does } of bindings.filter((b) => b.group === group)) {
        const keys = document.createElement('dt');
        keys.append(...written(shown));
        const what = document.createElement('dd');
        what.textContent = does;
        const pair = document.createElement('div');
        pair.append(keys, what);
        list.append(pair);
      }
      section.append(title, list);
      return section;
    }),
  );
  return () => dialog.showModal();
}

/**
 * Keys as <kbd> elements, joined by text.
 *
 * @param {string} shown
 * @returns {Node[]}
 */
function written(shown) {
  return shown.split(/(, | \+ | … | {2})/).map((part, i) => {
    if (i % 2 === 1) return document.createTextNode(part === ', ' || part === '  ' ? ' ' : part);
    const kbd = document.createElement('kbd');
    kbd.textContent = part;
    return kbd;
  });
}
