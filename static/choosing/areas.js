import { percentRange } from '../ui/numbers.js';

/** How many classes are named at most: those whose areas are least certain. */
const MOST = 6;

/**
 * How large the classes probably are, in words.
 *
 * @param {readonly {label: number, low: number, high: number}[]} areas shares of the image, 0..1; about 8 of 10 hold the true one
 * @param {(id: number) => string} nameOf a class
 */
export function areasInWords(areas, nameOf) {
  const open = areas.map((a, place) => ({ ...a, place })).sort((a, b) => b.high - b.low - (a.high - a.low) || a.place - b.place);
  const named = open.slice(0, MOST).sort((a, b) => a.place - b.place);
  return `Area, 80\u00a0% sure: ${named.map(({ label, low, high }) => `${nameOf(label)}\u00a0${percentRange(low, high).replace('–', '–\u2060')}`).join(', ')}`;
}
