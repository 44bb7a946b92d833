import { get, received } from './api.js';
import { insist, pause } from './patience.js';

/**
 * Asks again for the pictures of the page that did not come, which an <img> never
 * does: one after the other, and for as long as the server is away or busy.
 */
export function keepPictures() {
  /** @type {Set<HTMLImageElement>} */
  const missing = new Set();
  let busy = false;
  const fetchAll = async () => {
    if (busy) return;
    busy = true;
    for (const picture of missing) {
      missing.delete(picture);
      if (picture.isConnected) await fetchAgain(picture);
    }
    busy = false;
  };
  const miss = (/** @type {EventTarget | null} */ picture) => {
    if (!(picture instanceof HTMLImageElement) || !picture.src.startsWith(location.origin)) return; // what came can't be shown
    picture.classList.add('missing');
    missing.add(picture);
    void fetchAll();
  };
  document.addEventListener('error', ({ target }) => miss(target), true);
  for (const picture of document.images) if (picture.complete && picture.naturalWidth === 0) miss(picture);
}

/** @param {HTMLImageElement} picture */
async function fetchAgain(picture) {
  try {
    const fetched = async () => received((await get(picture.src)).blob());
    const source = URL.createObjectURL(await insist(fetched, { wait: () => {}, pause }));
    picture.addEventListener('load', () => {
      URL.revokeObjectURL(source);
      picture.classList.remove('missing');
    }, { once: true });
    picture.src = source;
  } catch {
    // The page does without it.
  }
}
