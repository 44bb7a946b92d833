import { recalled, remember, TAB } from '../ui/memory.js';

/**
 * The class that was active last in a project, so that the next image begins with it.
 * It lasts as long as the tab. Otherwise an image begins with the first class that has to be
 * clicked.
 */

const key = (/** @type {string} */ project) => `collie-class-${project}`;

/** @param {string} project @param {number} id of the class */
export function keepClass(project, id) {
  remember(key(project), String(id), TAB);
}

/**
 * The class that was active last, or else the first one that is not the rest.
 *
 * @template {{id: number}} C
 * @param {string} project
 * @param {C[]} classes
 * @param {number} rest id of the class that nobody need click, or -1
 */
export function lastClass(project, classes, rest) {
  const id = recalled(key(project), '', TAB);
  return classes.find((c) => String(c.id) === id) ?? classes.find((c) => c.id !== rest) ?? classes[0];
}
