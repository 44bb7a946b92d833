import { Problem } from '../ui/api.js';
import { showIn } from '../ui/dom.js';
import { freeName, namesake } from './classlist.js';

/** @typedef {import('./classes.js').ClassPanel} ClassPanel */

/** Turns the name of a class into a field. @param {ClassPanel} panel @param {number} key */
export function editName(panel, key) {
  const row = panel.rows.get(key);
  const entry = panel.classes.find((c) => c.key === key);
  if (!row || !entry || !panel.mayChange()) return;
  row.input.defaultValue = row.input.value = entry.name;
  row.input.hidden = false;
  row.choose.hidden = true;
  row.input.focus();
  row.input.select();
  showIn(panel.list, row.element); // Firefox leaves a part outside where the list is a row
}

/**
 * Takes the name that was typed. A name that another class has stays in its
 * field, with what is wrong.
 *
 * @param {ClassPanel} panel
 * @param {number} key
 * @returns {boolean} whether the field is closed
 */
export function takeName(panel, key) {
  const row = panel.rows.get(key);
  if (!row || row.input.hidden) return true;
  const name = row.input.value.trim();
  const other = namesake(panel.classes, key, name);
  complain(row, other ? `There is already a class called ${other.name}. Choose another name.` : '');
  if (other) return false;
  row.input.hidden = true;
  row.choose.hidden = false;
  const renamed = name !== '' && name !== row.input.defaultValue;
  const added = key === panel.newKey;
  if (added) panel.newKey = -1;
  if (renamed) panel.set(key, { name });
  if (key === panel.activeKey) panel.reveal(); // a row is wider than its field
  if (renamed || added) panel.save();
  return true;
}

/** Takes editing back, and with it a class that was to be named for the first time. @param {ClassPanel} panel @param {number} key */
export function cancelName(panel, key) {
  const row = panel.rows.get(key);
  if (!row) return;
  row.input.value = row.input.defaultValue;
  complain(row, '');
  if (key !== panel.newKey) {
    row.input.hidden = true;
    row.choose.hidden = false;
    return;
  }
  panel.newKey = -1;
  panel.goBack(panel.classes.filter((c) => c.key !== key));
  if (panel.busy || panel.stored.some((c) => c.key === key)) panel.save(); // a call took it along
  else void panel.reload();
}

/**
 * Opens the field of a name that somebody else has given to another class
 * meanwhile, with what was typed.
 *
 * @param {ClassPanel} panel
 * @param {unknown} error of the call that sent the name
 * @returns {boolean} whether there is such a name
 */
export function retype(panel, error) {
  if (!(error instanceof Problem) || error.status !== 422) return false;
  const was = new Map(panel.stored.map((c) => [c.key, c.name]));
  const twin = panel.classes.find((c) => c.name !== was.get(c.key) && namesake(panel.classes, c.key, c.name));
  const row = twin && panel.rows.get(twin.key);
  if (!twin || !row) return false;
  const { key, name } = twin;
  panel.set(key, { name: was.get(key) ?? freeName(panel.classes) });
  if (!was.has(key)) panel.newKey = key;
  editName(panel, key);
  row.input.value = name;
  takeName(panel, key);
  return true;
}

/**
 * Says what is wrong with the name in the field of a row.
 *
 * @param {ReturnType<typeof import('./classrow.js').classRow>} row
 * @param {string} text empty when nothing is
 */
function complain(row, text) {
  row.problem.textContent = text;
  row.problem.hidden = text === '';
  if (text) row.problem.scrollIntoView({ block: 'nearest' });
  row.input.setAttribute('aria-invalid', String(text !== ''));
}
