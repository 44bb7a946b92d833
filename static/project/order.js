import { byId } from '../ui/dom.js';
import { recalled, remember, TAB } from '../ui/memory.js';

/**
 * The order in which a person last saw the images of a project, so that 'next
 * image' means the next one in that list. It lasts as long as the tab.
 */

const key = (/** @type {string} */ project) => `collie-order-${project}`;

/**
 * @param {string} project
 * @param {readonly {id: string}[]} images
 */
export function keepOrder(project, images) {
  remember(key(project), images.map((im) => im.id).join(' '), TAB); // without storage the order of upload holds
}

/**
 * Points 'previous' and 'next' on the annotation page to the neighbours in the remembered order.
 *
 * @param {DOMStringMap} data of the page
 */
export function followOrder(data) {
  const found = neighbours(data.project ?? '', data.image ?? '');
  if (!found) return;
  for (const side of /** @type {const} */ (['previous', 'next'])) {
    const id = found[side];
    const link = byId(side);
    data[side] = id;
    link.classList.toggle('off', !id);
    for (const name of ['href', 'role', 'aria-disabled']) link.removeAttribute(name);
    const attributes = id ? { href: `/images/${id}` } : { role: 'link', 'aria-disabled': 'true' }; // without an address it is not a link
    for (const [name, value] of Object.entries(attributes)) link.setAttribute(name, value);
  }
  byId('place').textContent = `Image ${found.place} of ${found.count} in the list`;
  byId('place-shown').textContent = `${found.place} / ${found.count}`;
}

/**
 * The neighbours of an image in the remembered order, or undefined when it is
 * not in it.
 *
 * @param {string} project
 * @param {string} image
 * @returns {{previous: string, next: string, place: number, count: number} | undefined} ids, empty at the ends; the place from 1
 */
export function neighbours(project, image) {
  const ids = recalled(key(project), '', TAB).split(' ');
  const at = ids.indexOf(image);
  if (at < 0) return undefined;
  return { previous: ids[at - 1] ?? '', next: ids[at + 1] ?? '', place: at + 1, count: ids.length };
}
