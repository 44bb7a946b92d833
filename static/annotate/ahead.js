/** Milliseconds that the image has the line to itself. */
const QUIET = 1000;

/**
 * Fetches the picture and the superpixels of the image that is likely to be opened next,
 * so that the browser has them then. Not where the person asks to save data.
 *
 * @param {string} image id; '' for none
 */
export function fetchAhead(image) {
  const line = /** @type {{saveData?: boolean} | undefined} */ (/** @type {any} */ (navigator).connection);
  if (!image || line?.saveData) return;
  setTimeout(async () => {
    try {
      for (const part of ['display', 'superpixels.bin?of=whole']) {
        const response = await fetch(`/api/v1/images/${image}/${part}`, { priority: 'low' });
        await response.arrayBuffer(); // or the browser may not keep it
      }
    } catch {
      // The page of that image asks again.
    }
  }, QUIET);
}
