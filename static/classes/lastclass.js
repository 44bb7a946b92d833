import { recalled, remember, TAB } from '../ui/memory.js';

/**
 * The class that was active last in a project, so that the next image begins with it.
 * It lasts as long as the tab. Otherwise an image begins with the first class that has to be
 * clicked. The class that nobody need click corrects an image at its end; the first click on
 * the next one is seldom of it.
 */

const key = (/** @type {string} */ project) => `collie-class-${project}`;

/** @param {string} project @param {number} id of the class @param {number} rest id of the class that nobody need click, or -1 */
export function keepClass(project, id, rest) {
  if (id !== rest) remember(key(project), String(id), TAB);
}

/**
 * The class other than the rest that was active last, or else the first such one.
 *
 * @template {{id: number}} C
 * @param {string} project
 * @param {C[]} classes
 * @param {number} rest id of the class that nobody need click, or -1
 */
export function lastClass(project, classes, rest) {
  const id = recalled(key(project), '', TAB);
  const clicked = classes.filter((c) => c.id !== rest);
  return clicked.find((c) => String(c.id) === id) ?? clicked[0] ?? classes[0];
}
