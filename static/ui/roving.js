/**
 * Keyboard focus among the controls of a toolbar or list: one of them can be
 * reached with Tab, arrow keys lead to the others.
 *
 * @typedef {(from: HTMLElement, key: string) => HTMLElement | undefined} Way the control that a key leads to
 */

/**
 * @param {HTMLElement} container
 * @param {() => HTMLElement[]} controls in order, hidden ones included
 * @param {Way} [way] when the controls do not simply follow each other
 * @returns {(home?: HTMLElement) => void} makes one the control that Tab reaches, the first unless given, unless the focus is inside
 */
export function rove(container, controls, way = along(controls)) {
  /** @param {HTMLElement | undefined} one */
  const reach = (one) => {
    for (const control of controls()) control.tabIndex = control === one ? 0 : -1;
  };
  container.addEventListener('focusin', (e) => {
    if (controls().includes(/** @type {HTMLElement} */ (e.target))) reach(/** @type {HTMLElement} */ (e.target));
  });
  container.addEventListener('keydown', (e) => {
    const from = /** @type {HTMLElement} */ (e.target);
    if (e.altKey || e.ctrlKey || e.metaKey || !controls().includes(from)) return;
    const next = way(from, e.key);
    if (!next) return;
    e.preventDefault();
    e.stopPropagation();
    next.focus();
  });
  const first = () => controls().find((control) => !control.hidden);
  reach(first());
  return (home) => {
    if (!container.contains(document.activeElement)) reach(home ?? first());
  };
}

/** @param {HTMLElement} control */
function usable(control) {
  return control.checkVisibility() && !(/** @type {HTMLButtonElement} */ (control).disabled);
}

/** One after the other, and around. @param {() => HTMLElement[]} controls @returns {Way} */
function along(controls) {
  return (from, key) => {
    const all = controls().filter(usable);
    const at = all.indexOf(from);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1 }[key];
    return to === undefined ? undefined : all.at(to % all.length);
  };
}

/**
 * Rows of controls: up and down lead to the same one of another row, left and
 * right along the row.
 *
 * @param {() => HTMLElement[][]} rows
 * @returns {Way}
 */
export function inRows(rows) {
  return (from, key) => {
    const all = rows();
    const row = all.findIndex((controls) => controls.includes(from));
    const place = all[row].indexOf(from);
    const along = all[row].filter(usable);
    switch (key) {
      case 'ArrowUp': return all[row - 1]?.[place];
      case 'ArrowDown': return all[row + 1]?.[place];
      case 'ArrowLeft': return along[along.indexOf(from) - 1];
      case 'ArrowRight': return along[along.indexOf(from) + 1];
      case 'Home': return all[0][place];
      case 'End': return all.at(-1)?.[place];
    }
    return undefined;
  };
}
