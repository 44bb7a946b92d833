import { byId, ownDirection } from '../ui/dom.js';
import { composing } from '../ui/keys.js';
import { sought } from '../ui/names.js';

/**
 * Lets the person choose a class by typing a part of its name.
 *
 * @param {() => readonly {name: string, color: string}[]} classes
 * @param {(index: number) => void} choose
 * @returns {() => void} opens the dialog
 */
export function findClass(classes, choose) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('find-dialog'));
  const input = /** @type {HTMLInputElement} */ (byId('find-input'));
  const list = byId('find-list');
  /** @type {number[]} */
  let found = [];
  let at = 0;

  const paint = () => {
    const wanted = sought(input.value).trim();
    const all = classes();
    found = matches(all.map((c) => c.name), wanted);
    at = Math.min(at, Math.max(0, found.length - 1));
    list.replaceChildren(
      ...found.map((index, place) => {
        const option = document.createElement('li');
        option.id = `find-${index}`;
        option.setAttribute('role', 'option');
        option.setAttribute('aria-selected', String(place === at));
        const swatch = document.createElement('span');
        swatch.className = 'swatch';
        swatch.style.backgroundColor = all[index].color;
        option.append(swatch, ownDirection(all[index].name));
        option.addEventListener('click', () => take(place));
        return option;
      }),
    );
    byId('find-none').textContent = found.length > 0 ? '' : 'No matching class';
    if (found.length > 0) input.setAttribute('aria-activedescendant', `find-${found[at]}`);
    else input.removeAttribute('aria-activedescendant');
    list.children[at]?.scrollIntoView({ block: 'nearest' });
  };
  /** The browser gives the focus back to the button that opened the dialog, which would take Enter and Space. */
  const toImage = () => byId('canvas').focus({ preventScroll: true });
  /** @param {number} place */
  const take = (place) => {
    if (place >= found.length) return;
    dialog.close();
    toImage();
    choose(found[place]);
  };
  dialog.addEventListener('close', toImage);
  dialog.addEventListener('submit', (e) => {
    e.preventDefault(); // which would close the dialog without a match, too
    take(at);
  });
  input.addEventListener('input', () => {
    at = 0;
    paint();
  });
  input.addEventListener('keydown', (e) => {
    if (composing(e)) return; // its keys choose what is written
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      e.preventDefault();
      at = (at + (e.key === 'ArrowDown' ? 1 : found.length - 1)) % Math.max(1, found.length);
      paint();
    }
  });
  return () => {
    input.value = '';
    at = 0;
    dialog.showModal();
    paint();
    input.focus();
  };
}

/**
 * Places of the names that contain the text, those that start with it first.
 *
 * @param {readonly string[]} names
 * @param {string} text see sought
 * @returns {number[]}
 */
export function matches(names, text) {
  const places = names.map((name) => sought(name).indexOf(text));
  const all = names.map((_, i) => i).filter((i) => places[i] >= 0);
  return all.sort((a, b) => Number(places[a] > 0) - Number(places[b] > 0) || a - b);
}
