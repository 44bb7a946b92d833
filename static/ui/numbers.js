/**
 * A share of 1 as a percentage that reads 0 or 100 only when it is exactly that, and
 * that no line breaks apart.
 *
 * @param {number} share
 */
export function percent(share) {
  if (share <= 0) return '0\u00a0%';
  if (share >= 1) return '100\u00a0%';
  if (share < 0.01) return '<\u00a01\u00a0%';
  return `${Math.min(99, Math.round(share * 100))}\u00a0%`;
}

/**
 * From one share of 1 to another, as whole percentages.
 *
 * @param {number} low
 * @param {number} high
 */
export function percentRange(low, high) {
  const [from, to] = [Math.floor(low * 100), Math.ceil(high * 100)];
  return from === to ? `${from}\u00a0%` : `${from}–${to}\u00a0%`;
}

/**
 * A number of things in words: '1 image', '2 images'.
 *
 * @param {number} n
 * @param {string} thing
 * @param {string} [things]
 */
export function counted(n, thing, things = `${thing}s`) {
  return `${n} ${n === 1 ? thing : things}`;
}

/**
 * Images in words: the name of one, the number of several.
 *
 * @param {readonly {name: string}[]} images
 */
export function nameOrCount(images) {
  return images.length === 1 ? images[0].name : counted(images.length, 'image');
}
