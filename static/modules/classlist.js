import { PALETTE } from './colour.js';

/**
 * The classes of a project as this page has them, in order.
 *
 * @typedef {object} Entry
 * @property {number} key names the entry in this page
 * @property {number} id names the class in evidence and labels; a guess until it is stored
 * @property {boolean} stored whether the server has the class
 * @property {string} name
 * @property {string} color #rrggbb
 *
 * @typedef {import('./protocol.js').ClassRecord} ClassRecord
 */

/** The most classes that a project can have. */
export const MOST = 255;

let keys = 0;

/** @param {ClassRecord} record @returns {Entry} */
export function entryOf({ id, name, color }) {
  return { key: keys++, id, stored: true, name, color };
}

/**
 * A class that the server does not have yet. It will most likely get the lowest
 * id that is free.
 *
 * @param {readonly Entry[]} list
 * @param {readonly number[]} deleted ids of deleted classes
 * @returns {Entry}
 */
export function fresh(list, deleted) {
  const taken = new Set([...deleted, ...list.map((c) => c.id)]);
  let id = 0;
  while (taken.has(id)) id++;
  const names = new Set(list.map((c) => c.name.toLowerCase()));
  let number = list.length + 1;
  while (names.has(`class ${number}`)) number++;
  return { key: keys++, id, stored: false, name: `class ${number}`, color: PALETTE[list.length % PALETTE.length] };
}

/**
 * The list with one entry moved to another place.
 *
 * @template T
 * @param {readonly T[]} list
 * @param {number} from
 * @param {number} to
 * @returns {T[]}
 */
export function moved(list, from, to) {
  const rest = list.filter((_, i) => i !== from);
  rest.splice(Math.min(Math.max(0, to), rest.length), 0, list[from]);
  return rest;
}

/** @param {readonly Entry[]} list what the server is sent */
export function bodyOf(list) {
  return list.map(({ id, stored, name, color }) => (stored ? { id, name, color } : { name, color }));
}

/**
 * The list after the server has answered: its new classes have their ids.
 *
 * @param {readonly Entry[]} list as it is now
 * @param {readonly Entry[]} sent as it was sent
 * @param {readonly ClassRecord[]} answer in the order sent
 * @returns {Entry[]}
 */
export function answered(list, sent, answer) {
  const ids = new Map(sent.map(({ key }, i) => [key, answer[i]?.id]));
  return list.map((c) => {
    const id = ids.get(c.key);
    return id === undefined || c.stored ? c : { ...c, id, stored: true };
  });
}

/**
 * The list after anyone has changed the classes.
 *
 * @param {readonly Entry[]} list
 * @param {readonly ClassRecord[]} records in order
 * @returns {Entry[]}
 */
export function adopted(list, records) {
  const known = new Map(list.filter((c) => c.stored).map((c) => [c.id, c]));
  return records.map((record) => {
    const had = known.get(record.id);
    return had ? { ...had, name: record.name, color: record.color } : entryOf(record);
  });
}

/**
 * Colours by class id; ids without a class are grey.
 *
 * @param {readonly Entry[]} list
 * @returns {string[]}
 */
export function colorsByID(list) {
  const colors = Array.from({ length: Math.max(...list.map((c) => c.id)) + 1 }, () => '#808080');
  for (const { id, color } of list) colors[id] = color;
  return colors;
}
