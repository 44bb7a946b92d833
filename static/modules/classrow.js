import { stamp } from './dom.js';

/**
 * The row of one class, which tells the panel what is done to it.
 *
 * @param {import('./classes.js').ClassPanel} panel
 * @param {number} key of the class
 */
export function classRow(panel, key) {
  const { element, slot } = stamp('class-template');
  const parts = {
    element,
    color: /** @type {HTMLInputElement} */ (slot('color')),
    choose: slot('choose'),
    name: slot('name'),
    share: slot('share'),
    key: slot('key'),
    input: /** @type {HTMLInputElement} */ (slot('input')),
    more: slot('more'),
  };
  const place = () => panel.classes.findIndex((c) => c.key === key);
  parts.choose.addEventListener('click', () => panel.choose(place()));
  parts.choose.addEventListener('dblclick', () => panel.edit(key));
  parts.choose.addEventListener('keydown', (e) => {
    if (!e.altKey || (e.key !== 'ArrowUp' && e.key !== 'ArrowDown')) return;
    e.preventDefault();
    e.stopPropagation();
    panel.move(place(), e.key === 'ArrowUp' ? -1 : 1);
  });
  parts.more.addEventListener('click', () => panel.menu.open(place(), parts.more));
  parts.color.addEventListener('input', () => panel.set(key, { color: parts.color.value }));
  parts.color.addEventListener('change', () => panel.save());
  parts.input.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') parts.input.value = parts.input.defaultValue;
    if (e.key === 'Enter' || e.key === 'Escape') {
      e.preventDefault();
      e.stopPropagation();
      panel.finish(key);
      panel.listener.left();
    }
  });
  parts.input.addEventListener('blur', () => panel.finish(key));
  return parts;
}
