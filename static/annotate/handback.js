import { byId } from '../ui/dom.js';

/** Where a click with a pointer is not meant to leave the focus. */
const CONTROLS = '.rail, .strip, .classes, .polygon-actions, #undo, #redo, #history';

/**
 * Gives the focus back to the image after a pointer has used a control, so that
 * Enter accepts and Space pans, as the page says. The focus stays where the
 * keyboard put it, where a control has opened something, and on sliders, which
 * arrow keys may go on to move.
 */
export function handBack() {
  let pointed = false;
  const toImage = () => byId('canvas').focus({ preventScroll: true });
  document.addEventListener('pointerdown', () => (pointed = true), true);
  document.addEventListener('keydown', ({ key }) => {
    const { activeElement } = document;
    const letter = key.length === 1 && key !== ' ';
    if (pointed && letter && activeElement?.matches('select') && activeElement.closest(CONTROLS)) toImage(); // its list has closed without a choice
    pointed = false;
  }, true);
  const back = (/** @type {Event} */ { target }) => {
    const used = target instanceof Element ? target.closest('button, select, input[type=checkbox]') : null;
    if (pointed && used && used === document.activeElement && used.closest(CONTROLS) && used.ariaExpanded !== 'true') toImage();
  };
  document.addEventListener('click', (e) => {
    if (e.detail > 0 && !(e.target instanceof HTMLSelectElement)) back(e); // that has opened its list
  });
  document.addEventListener('change', back);
}

/**
 * Gives the focus to the image when the control that had it is gone, hidden or
 * disabled. The browser would leave it nowhere, and the Tab key would begin at the
 * top of the page.
 *
 * @returns {() => void} does so, if necessary
 */
export function keepFocus() {
  /** @type {Element | null} */
  let last = null;
  document.addEventListener('focusin', ({ target }) => (last = target instanceof Element ? target : null));
  return () => {
    const { activeElement } = document;
    if (!last || (activeElement !== document.body && activeElement !== last)) return;
    const gone = last.isConnected ? last.closest(CONTROLS) && (last.matches(':disabled') || !last.checkVisibility()) : last.matches('.hypothesis');
    if (gone) byId('canvas').focus({ preventScroll: true });
  };
}

/**
 * What the focus goes back to when a panel that opens now is closed: the button
 * that opened it from the keyboard, otherwise the image.
 *
 * @returns {HTMLElement}
 */
export function origin() {
  return document.querySelector('button[aria-expanded]:focus-visible') ?? byId('canvas');
}
