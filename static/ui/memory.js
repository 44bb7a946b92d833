/**
 * What this browser remembers of the person's preferences, if it allows storage.
 */

/** @param {string} key @param {string} value '' forgets */
export function remember(key, value) {
  try {
    if (value) localStorage.setItem(key, value);
    else localStorage.removeItem(key);
  } catch {
    // Without storage it lasts as long as the page.
  }
}

/** @param {string} key @param {string} fallback when nothing is remembered */
export function recalled(key, fallback) {
  try {
    return localStorage.getItem(key) ?? fallback;
  } catch {
    return fallback;
  }
}
