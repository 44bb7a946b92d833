import { call } from '../ui/api.js';
import { recalled, remember, TAB } from '../ui/memory.js';
import { toast, toastProblem } from '../ui/toast.js';

/** Where the tab has the project that was moved to the trash from its own page. */
const MOVED = 'collie-moved';

/**
 * Moves something to the trash, removes its element, and offers to undo both. Asked
 * again meanwhile, as by a double click, it does nothing.
 *
 * @param {string} address of the thing in the interface
 * @param {string} id
 * @param {string} name for the message
 * @param {HTMLElement} element
 * @param {() => void} [changed] called after each of the two
 */
export async function discard(address, id, name, element, changed = () => {}) {
  if (element.ariaBusy) return;
  element.ariaBusy = 'true';
  try {
    await call('DELETE', address);
  } catch (error) {
    toastProblem(error);
    return;
  } finally {
    element.ariaBusy = null;
  }
  const parent = element.parentElement;
  const next = element.nextElementSibling;
  const focused = element.contains(document.activeElement);
  const neighbour = /** @type {HTMLElement | null} */ ((next ?? element.previousElementSibling)?.querySelector('a, button') ?? null);
  element.remove();
  if (focused) (neighbour ?? document.getElementById('main'))?.focus();
  changed();
  sayMoved(name, async () => {
    await restore(id);
    parent?.insertBefore(element, next?.parentElement === parent ? next : null);
    element.querySelector('a')?.focus();
    changed();
  });
}

/** Says that something was moved to the trash. @param {string} what @param {() => void | Promise<void>} undo */
export function sayMoved(what, undo) {
  toast('Moved to the trash', what, 'info', { label: 'Undo', run: undo });
}

/** Lets the page that opens next say that a project was moved to the trash. @param {string} id @param {string} name */
export function discarded(id, name) {
  remember(MOVED, JSON.stringify({ id, name }), TAB);
}

/** Says that a project was moved to the trash from the page before, if so, and offers to undo it. */
export function sayDiscarded() {
  const moved = recalled(MOVED, '', TAB);
  remember(MOVED, '', TAB);
  if (!moved) return;
  const { id, name } = JSON.parse(moved);
  sayMoved(name, async () => {
    await restore(id);
    location.assign(`/projects/${encodeURIComponent(id)}`);
  });
}

/**
 * Moves images of a project to the trash or restores them, all or, after an error, none.
 *
 * @param {string} project
 * @param {string[]} images ids
 * @param {boolean} trashed where to
 */
export async function trashImages(project, images, trashed) {
  await call('PUT', `/api/v1/projects/${encodeURIComponent(project)}/trash`, { images, trashed });
}

/**
 * Restores something from the trash.
 *
 * @param {string} id
 */
export async function restore(id) {
  await call('POST', `/api/v1/trash/${encodeURIComponent(id)}/restore`);
}
