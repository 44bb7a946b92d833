/**
 * What this browser remembers of the person's preferences, if it allows storage: for
 * good, or as long as the tab.
 */

/** Storage that lasts as long as the tab. A browser can refuse to name it. */
export const TAB = () => sessionStorage;

const LASTING = () => localStorage;

/** @param {string} key @param {string} value '' forgets @param {() => Storage} [where] */
export function remember(key, value, where = LASTING) {
  try {
    if (value) where().setItem(key, value);
    else where().removeItem(key);
  } catch {
    // Without storage it lasts as long as the page.
  }
}

/** @param {string} key @param {string} fallback when nothing is remembered @param {() => Storage} [where] */
export function recalled(key, fallback, where = LASTING) {
  try {
    return where().getItem(key) ?? fallback;
  } catch {
    return fallback;
  }
}
