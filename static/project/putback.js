import { Problem, call } from '../ui/api.js';
import { counted } from '../ui/numbers.js';
import { inParts } from './parts.js';
import { toast } from '../ui/toast.js';

/** How many of the images that were left a message names. */
const NAMED = 3;

/** The first names of images, and how many others there are. @param {readonly {name: string}[]} images */
function namesOf(images) {
  const names = images.slice(0, NAMED).map((im) => im.name);
  if (images.length > NAMED) names.push(counted(images.length - NAMED, 'other'));
  return new Intl.ListFormat('en-GB').format(names);
}

/**
 * Undoes what was done to images of a project. The server refuses a call as a whole when
 * one of its images has become something else since, or is gone; then the others are put
 * back, and a message names those that were left. If these are all, it throws what the
 * server said.
 *
 * @template {{id: string, name: string}} T
 * @param {string} address of the project
 * @param {Iterable<T[]>} alike the images as they were, those together that one call can put back
 * @param {(images: T[]) => Promise<void>} put such a call
 * @param {(now: T) => boolean} same whether an image is still what undoing takes back
 * @param {(images: T[]) => void} changed the records of those that were left, as they are now
 */
export async function putBack(address, alike, put, same, changed) {
  const groups = [...alike];
  const alone = groups.length === 1 && groups[0].length === 1;
  /** @type {T[]} */
  const left = [];
  /** @type {unknown} */
  let refusal;
  let done = 0;
  const attempt = async (/** @type {T[]} */ images) => {
    try {
      await put(images);
      done += images.length;
    } catch (error) {
      if (!(error instanceof Problem) || alone || (error.status !== 409 && error.status !== 404)) throw error;
      refusal = error;
      /** @type {Map<string, T>} */
      const now = new Map((await call('GET', `${address}/images`)).map((/** @type {T} */ im) => [im.id, im]));
      const stays = (/** @type {T} */ { id }) => !now.has(id) || !same(/** @type {T} */ (now.get(id)));
      const others = images.filter(stays);
      if (others.length === 0) throw error; // refused for another reason
      left.push(...others);
      changed(others.flatMap(({ id }) => now.get(id) ?? []));
      if (others.length < images.length) await attempt(images.filter((im) => !stays(im)));
    }
  };
  for (const images of groups) await inParts(images, attempt);
  if (left.length === 0) return;
  if (done === 0) throw refusal;
  const text = left.length === 1 ? 'has changed in the meantime and stays as it is.' : 'have changed in the meantime and stay as they are.';
  toast(`Undone for ${done} of ${counted(done + left.length, 'image')}`, `${namesOf(left)} ${text}`);
}
