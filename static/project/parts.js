import { counted } from '../ui/numbers.js';

/** Images that one request changes: the server takes 10,000, and other people's clicks wait for as long as it works on them. */
const PART = 5000;

/**
 * Changes images, many of them in several requests. After an error, those of the
 * requests before it have been changed.
 *
 * @template T
 * @param {readonly T[]} images
 * @param {(part: T[]) => Promise<void>} change
 */
export async function inParts(images, change) {
  for (let from = 0; from < images.length; from += PART) await change(images.slice(from, from + PART));
}

/** Milliseconds between two updates of what is said of a long action. */
const SAY = 1000;

/**
 * Does something to one thing after the other and says in between how far it is.
 *
 * @template T
 * @param {readonly T[]} things
 * @param {HTMLElement} line where it is said
 * @param {string} doing
 * @param {string} what one of them is
 * @param {(thing: T) => Promise<void>} act
 */
export async function inTurn(things, line, doing, what, act) {
  let next = performance.now() + SAY;
  for (const [at, thing] of things.entries()) {
    if (performance.now() >= next) {
      line.textContent = `${doing}: ${at} of ${counted(things.length, what)}`;
      next = performance.now() + SAY;
    }
    await act(thing);
  }
}
