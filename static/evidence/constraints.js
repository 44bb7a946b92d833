/**
 * What a person has said beside clicks and picks: the box around an object,
 * superpixels that are not of a class, classes that nothing paints over, objects that
 * are told apart. Lists are immutable and in order, by class and by superpixel, as
 * the server sends them.
 *
 * @typedef {[number, number, number, number]} Corners left, top, right, bottom, in pixels of the image
 *
 * @typedef {object} Said
 * @property {readonly {class: number, box: Corners}[]} boxes at most one per class
 * @property {readonly {class: number, superpixels: readonly number[]}[]} excluded
 * @property {readonly number[]} locked ids of classes
 * @property {readonly {class: number, number: number}[]} objects where exactly they are only the server knows
 */

/** @type {Said} */
export const NOTHING_SAID = { boxes: [], excluded: [], locked: [], objects: [] };

/** @param {import('./protocol.js').Constraints} [sent] @returns {Said} */
export function saidIn(sent) {
  const objects = (sent?.objects ?? []).flatMap(({ class: label, ranges }) =>
    ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => ({ class: label, number: first + i }))));
  return { ...NOTHING_SAID, ...sent, objects };
}

/**
 * What is said after an event that says something itself, or that takes an
 * exclusion back: a label that of its class, a clear all of them.
 *
 * @param {Said} said
 * @param {Pick<import('./protocol.js').EvidenceEvent, 'kind' | 'class' | 'points' | 'number'>} event
 * @param {readonly number[]} superpixels that it is about
 * @returns {Said} the same when nothing has changed
 */
export function constrained(said, { kind, class: label = -1, points = [], number = 0 }, superpixels) {
  switch (kind) {
    case 'box': {
      const others = said.boxes.filter((b) => b.class !== label);
      const own = points.length === 2 ? [{ class: label, box: cornersOf(points[0], points[1]) }] : [];
      return { ...said, boxes: [...others, ...own].sort((a, b) => a.class - b.class) };
    }
    case 'exclude': return { ...said, excluded: readmitted(said.excluded, label, [], superpixels) };
    case 'lock': return { ...said, locked: [...new Set([...said.locked, label])].sort((a, b) => a - b) };
    case 'unlock': return { ...said, locked: said.locked.filter((l) => l !== label) };
    case 'instance':
      if (number === 0 || said.objects.some((o) => o.class === label && o.number === number)) return said;
      return { ...said, objects: [...said.objects, { class: label, number }] };
    case 'label':
    case 'clear':
      if (said.excluded.length === 0) return said;
      return { ...said, excluded: said.excluded.flatMap((x) => (kind === 'clear' || x.class === label ? readmitted([x], x.class, superpixels, []) : [x])) };
  }
  return said;
}

/**
 * The exclusions with those of one class changed.
 *
 * @param {Said['excluded']} excluded
 * @param {number} label
 * @param {readonly number[]} without
 * @param {readonly number[]} and
 * @returns {Said['excluded']}
 */
function readmitted(excluded, label, without, and) {
  const away = new Set(without);
  const old = excluded.find((x) => x.class === label)?.superpixels ?? [];
  const superpixels = [...new Set([...old.filter((s) => !away.has(s)), ...and])].sort((a, b) => a - b);
  const others = excluded.filter((x) => x.class !== label);
  return superpixels.length === 0 ? others : [...others, { class: label, superpixels }].sort((a, b) => a.class - b.class);
}

/** Whether two say the same. @param {Said} a @param {Said} b */
export function alike(a, b) {
  return a === b || JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b));
}

/** @param {Said} said */
function inOrder({ boxes, excluded, locked }) {
  return [boxes.map((b) => [b.class, b.box]), excluded.map((x) => [x.class, x.superpixels]), locked];
}

/**
 * The rectangle between two opposite corners.
 *
 * @param {readonly [number, number]} a
 * @param {readonly [number, number]} b
 * @returns {Corners}
 */
export function cornersOf([ax, ay], [bx, by]) {
  return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
}

/**
 * The smallest box that a point lies in.
 *
 * @param {Said['boxes']} boxes
 * @param {readonly [number, number]} point
 */
export function boxAt(boxes, [x, y]) {
  const area = (/** @type {Corners} */ [left, top, right, bottom]) => (right - left) * (bottom - top);
  return boxes
    .filter(({ box: [left, top, right, bottom] }) => x >= left && x <= right && y >= top && y <= bottom)
    .reduce((/** @type {Said['boxes'][number] | null} */ least, b) => (least && area(least.box) <= area(b.box) ? least : b), null);
}

/**
 * Whether two boxes are likely around different objects: they share less than half of
 * the smaller one.
 *
 * @param {Corners} a
 * @param {Corners} b
 */
export function apart(a, b) {
  const area = (/** @type {Corners} */ [left, top, right, bottom]) => Math.max(0, right - left) * Math.max(0, bottom - top);
  const shared = area([Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])]);
  return 2 * shared < Math.min(area(a), area(b));
}

/** The lowest number that no object of a class has. @param {Pick<Said, 'objects'>} said @param {number} label */
export function freeNumber({ objects }, label) {
  const taken = new Set(objects.filter((o) => o.class === label).map((o) => o.number));
  let number = 1;
  while (taken.has(number)) number++;
  return number;
}

/** The classes that a superpixel is not of. @param {Said} said @param {number} superpixel */
export function excludedAt({ excluded }, superpixel) {
  return excluded.filter((x) => x.superpixels.includes(superpixel)).map((x) => x.class);
}
