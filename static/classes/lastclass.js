/**
 * The class that was active last in a project, so that the next image begins with it.
 * It lasts as long as the tab.
 */

const key = (/** @type {string} */ project) => `collie-class-${project}`;

/** @param {string} project @param {number} id of the class */
export function keepClass(project, id) {
  try {
    sessionStorage.setItem(key(project), String(id));
  } catch {
    // Without storage each image begins with the first class.
  }
}

/**
 * The class that was active last, or the first one.
 *
 * @template {{id: number}} C
 * @param {string} project
 * @param {C[]} classes
 */
export function lastClass(project, classes) {
  let id = '';
  try {
    id = sessionStorage.getItem(key(project)) ?? '';
  } catch {
    // as above
  }
  return classes.find((c) => String(c.id) === id) ?? classes[0];
}
