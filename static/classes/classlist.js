import { folded } from '../ui/names.js';

/**
 * The classes of a project as this page knows them, in order.
 *
 * @typedef {object} Entry
 * @property {number} key names the entry in this page
 * @property {number} id names the class in evidence and labels; a guess until it is stored
 * @property {boolean} stored whether the server has the class
 * @property {string} name
 * @property {string} color #rrggbb
 *
 * @typedef {import('../evidence/protocol.js').ClassRecord} ClassRecord
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
 * @param {readonly string[]} palette a colour for each place
 * @returns {Entry}
 */
export function fresh(list, deleted, palette) {
  return { key: keys++, id: freeID(list, deleted), stored: false, name: freeName(list), color: freeColor(list, palette) };
}

/** The colour of the next place, or the first of the palette that no class has. @param {readonly Entry[]} list @param {readonly string[]} palette */
function freeColor(list, palette) {
  const taken = new Set(list.map((c) => c.color));
  return [palette[list.length], ...palette].find((c) => c && !taken.has(c)) ?? palette[0];
}

/** @param {readonly Entry[]} list @param {readonly number[]} deleted */
function freeID(list, deleted) {
  const taken = new Set([...deleted, ...list.map((c) => c.id)]);
  let id = 0;
  while (taken.has(id)) id++;
  return id;
}

/** A name for a new class. @param {readonly Entry[]} list */
export function freeName(list) {
  const names = new Set(list.map((c) => folded(c.name)));
  let number = list.length + 1;
  while (names.has(`class ${number}`)) number++;
  return `class ${number}`;
}

/**
 * The entry other than that of a key that has a name already, or one that counts
 * as the same.
 *
 * @param {readonly Entry[]} list
 * @param {number} key
 * @param {string} name
 */
export function namesake(list, key, name) {
  const wanted = folded(name).trim();
  return list.find((c) => c.key !== key && folded(c.name) === wanted);
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

/**
 * The names of the classes that labels use.
 *
 * @param {readonly {id: number, name: string}[]} classes
 * @param {Record<string, number>} inUse in how many images there are labels of each class, by id
 */
export function namesInUse(classes, inUse) {
  return classes.filter(({ id }) => inUse[id] > 0).map(({ name }) => name);
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
 * The class that is active when the active one has been deleted: what its labels
 * have become, else the one that is at its place now.
 *
 * @param {readonly Entry[]} list without it
 * @param {number} place where it was
 * @param {{target: number}} [record] of the deleted class
 */
export function successor(list, place, record) {
  return list.find((c) => c.id === record?.target) ?? list[Math.min(place, list.length - 1)];
}

/**
 * Applies one person's changes of `base` to the list that others have made of it
 * at the same time. A class that either side has deleted is gone. If both have
 * changed a name or a colour, the person's wins; so does the person's order if
 * it differs from that of `base`.
 *
 * @param {readonly Entry[]} base
 * @param {readonly Entry[]} mine what the person has made of it
 * @param {readonly Entry[]} theirs what the server has
 * @param {readonly number[]} deleted ids of the classes that are deleted there
 * @param {readonly string[]} palette a colour for each place
 * @returns {Entry[]}
 */
export function rebased(base, mine, theirs, deleted, palette) {
  const [was, own, there] = [base, mine, theirs].map((list) => new Map(list.map((c) => [c.key, c])));
  const ids = new Set(theirs.map((c) => c.id));
  /** @param {Entry} c @returns {Entry | null} as it is after both */
  const both = ({ key, id, stored }) => {
    const [b, m, t] = [was.get(key), own.get(key), there.get(key)];
    if (!m || !t) return b || (m && stored && ids.has(id)) ? null : (m ?? t ?? null);
    return { ...t, name: b && m.name !== b.name ? m.name : t.name, color: b && m.color !== b.color ? m.color : t.color };
  };
  const kept = mine.filter((c) => was.has(c.key));
  const mineMoved = !same(kept, base.filter((c) => own.has(c.key)));
  const [main, other] = mineMoved ? [mine, theirs] : [theirs, mine];
  const list = main.flatMap((c) => both(c) ?? []);
  const [inMain, inOther] = [main, other].map((entries) => new Set(entries.map((c) => c.key)));
  const tail = other.findLastIndex((c) => inMain.has(c.key));
  let at = 0; // behind the entry before and what only the main list has there; in the end what was at the end
  other.forEach((c, i) => {
    const place = list.findIndex((had) => had.key === c.key);
    const added = place < 0 ? both(c) : null;
    if (i > tail) at = list.length;
    if (added) list.splice(at, 0, added);
    if (added || place >= 0) at = (added ? at : place) + 1;
    while (at < list.length && !inOther.has(list[at].key)) at++;
  });
  /** @type {Entry[]} */
  const settled = list.filter((c) => c.stored);
  return list.map((c) => {
    if (c.stored) return c;
    const taken = settled.some((had) => had.name.toLowerCase() === c.name.toLowerCase()) && /^class \d+$/.test(c.name);
    const twin = settled.some((had) => had.color === c.color);
    const renewed = { ...c, id: freeID(settled, deleted), name: taken ? freeName(settled) : c.name, color: twin ? freeColor(settled, palette) : c.color };
    settled.push(renewed);
    return renewed;
  });
}

/** @param {readonly Entry[]} a @param {readonly Entry[]} b whether they are the same classes in the same order */
function same(a, b) {
  return a.length === b.length && a.every((c, i) => c.key === b[i].key);
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
