/**
 * The next superpixel to suggest: the most useful one that does not touch one
 * that has been suggested, else one that has not been, else the first again.
 *
 * @param {readonly number[]} worth the most useful first
 * @param {readonly number[]} past suggested before
 * @param {import('../superpixels/graph.js').Graph} graph
 * @returns {number} -1 when nothing is worth a click
 */
export function elsewhere(worth, past, { first, to }) {
  const near = new Set(past);
  for (const s of past) for (let i = first[s]; i < first[s + 1]; i++) near.add(to[i]);
  return worth.find((s) => !near.has(s)) ?? worth.find((s) => !past.includes(s)) ?? worth[0] ?? -1;
}
