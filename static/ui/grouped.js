/**
 * Items by key, both in the order in which they come first.
 *
 * @template T
 * @param {Iterable<T>} items
 * @param {(item: T) => string} keyOf
 * @returns {Map<string, T[]>}
 */
export function grouped(items, keyOf) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
