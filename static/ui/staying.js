/**
 * Lets the browser ask whoever leaves the page, as long as work goes on that would
 * end with it, such as an upload.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} what came of it
 */
export async function staying(work) {
  const ask = (/** @type {Event} */ event) => event.preventDefault();
  addEventListener('beforeunload', ask);
  try {
    return await work();
  } finally {
    removeEventListener('beforeunload', ask);
  }
}
