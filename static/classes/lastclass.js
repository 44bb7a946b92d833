import { recalled, remember, TAB } from '../ui/memory.js';

/**
 * The class that was active last in a project, so that the next image begins with it.
 * It lasts as long as the tab; without storage each image begins with the first class.
 */

const key = (/** @type {string} */ project) => `collie-class-${project}`;

/** @param {string} project @param {number} id of the class */
export function keepClass(project, id) {
  remember(key(project), String(id), TAB);
}

/**
 * The class that was active last, or the first one.
 *
 * @template {{id: number}} C
 * @param {string} project
 * @param {C[]} classes
 */
export function lastClass(project, classes) {
  const id = recalled(key(project), '', TAB);
  return classes.find((c) => String(c.id) === id) ?? classes[0];
}
