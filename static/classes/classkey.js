/**
 * The key of a class, as shown.
 *
 * @param {number} index
 */
export function classKey(index) {
  if (index < 10) return String((index + 1) % 10);
  return index < 20 ? `⇧${(index - 9) % 10}` : '';
}
