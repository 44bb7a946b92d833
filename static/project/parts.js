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
