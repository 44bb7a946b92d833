/**
 * The guesses that a person has had on screen, so that only those can be accepted
 * in bulk. They are kept in this browser. A guess that has changed since has
 * another number of events, so it counts as not seen.
 *
 * @typedef {{seq: number, digest: string}} Seen number of events, and digest of the first hypothesis
 */

import { recalled, remember } from '../ui/memory.js';

const key = (/** @type {string} */ project) => `collie-seen-${project}`;

/** @param {string} project @returns {Record<string, Seen>} by image */
export function seenIn(project) {
  try {
    return JSON.parse(recalled(key(project), '{}'));
  } catch {
    return {}; // not written by this page
  }
}

/** @param {string} project @param {Record<string, Seen>} seen */
function keep(project, seen) {
  remember(key(project), Object.keys(seen).length > 0 ? JSON.stringify(seen) : '');
}

/** @param {string} project @param {string} image @param {Seen} now */
export function noteSeen(project, image, now) {
  const seen = seenIn(project);
  const had = seen[image];
  if (had?.seq === now.seq && had.digest === now.digest) return;
  keep(project, { ...seen, [image]: now });
}

/**
 * The images whose current guess has been seen; what is known of others is
 * forgotten.
 *
 * @param {string} project
 * @param {readonly {id: string, seq: number, guessed: boolean}[]} images of the project
 * @returns {({id: string} & Seen)[]}
 */
export function seenGuesses(project, images) {
  const seen = seenIn(project);
  const present = images.filter((im) => im.guessed && seen[im.id]?.seq === im.seq);
  keep(project, Object.fromEntries(present.map(({ id }) => [id, seen[id]])));
  return present.map(({ id }) => ({ id, ...seen[id] }));
}
