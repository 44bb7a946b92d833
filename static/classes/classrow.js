import { ink } from '../canvas/colour.js';
import { stamp } from '../ui/dom.js';
import { composing } from '../ui/keys.js';
import { classKey } from './classkey.js';
import { cancelName, editName, takeName } from './naming.js';
import { PATTERNS } from '../canvas/patterns.js';

/**
 * The row of one class; it reports to the panel.
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
    problem: slot('problem'),
    lock: /** @type {HTMLButtonElement} */ (slot('lock')),
    more: slot('more'),
  };
  const place = () => panel.classes.findIndex((c) => c.key === key);
  parts.choose.addEventListener('click', () => panel.choose(place()));
  parts.choose.addEventListener('dblclick', () => editName(panel, key));
  parts.choose.addEventListener('keydown', (e) => {
    if (!e.altKey || (e.key !== 'ArrowUp' && e.key !== 'ArrowDown')) return;
    e.preventDefault();
    e.stopPropagation();
    panel.move(place(), e.key === 'ArrowUp' ? -1 : 1);
  });
  parts.lock.addEventListener('click', () => panel.toggleLock(place()));
  parts.more.addEventListener('click', () => panel.menu.open(place(), parts.more));
  parts.color.addEventListener('input', () => panel.set(key, { color: parts.color.value }));
  parts.color.addEventListener('change', () => panel.save());
  parts.input.addEventListener('keydown', (e) => {
    if (composing(e) || (e.key !== 'Enter' && e.key !== 'Escape')) return;
    e.preventDefault();
    e.stopPropagation();
    if (e.key === 'Escape') cancelName(panel, key);
    else if (!takeName(panel, key)) return;
    panel.listener.left();
  });
  parts.input.addEventListener('blur', () => takeName(panel, key));
  return parts;
}

/** The controls of a row that the keyboard can reach, in order. @param {ReturnType<typeof classRow> | undefined} row @returns {HTMLElement[]} */
export function controlsOf(row) {
  return row ? [row.color, row.choose, row.lock, row.more] : [];
}

/**
 * Shows the name, colour and key of a class, and whether it is locked.
 *
 * @param {ReturnType<typeof classRow>} row
 * @param {import('./classlist.js').Entry} entry
 * @param {number} place
 * @param {{active: boolean, locked: boolean}} state
 */
export function paintRow(row, { id, name, color, stored }, place, { active, locked }) {
  row.color.value = color;
  row.color.setAttribute('aria-label', `Colour of ${name}`);
  row.name.textContent = row.name.title = name;
  row.key.textContent = classKey(place);
  row.key.hidden = classKey(place) === '';
  row.choose.setAttribute('aria-pressed', String(active));
  row.input.setAttribute('aria-label', `Name of class ${place + 1}`);
  row.input.setAttribute('aria-describedby', (row.problem.id = `class-problem-${place}`));
  row.lock.setAttribute('aria-label', `Lock ${name}`);
  row.lock.setAttribute('aria-pressed', String(locked));
  row.lock.title = locked ? `Unlock ${name}` : `Lock ${name}: nothing paints over it`;
  row.lock.disabled = !stored;
  row.lock.querySelector('use')?.setAttribute('href', locked ? '#i-lock' : '#i-unlock');
  row.more.setAttribute('aria-label', `Actions for ${name}`);
  row.element.classList.toggle('active', active);
  row.element.classList.toggle('locked', locked);
  row.element.dataset.pattern = String(id % PATTERNS);
  row.element.style.setProperty('--class', color);
  row.element.style.setProperty('--class-ink', ink(color));
}
