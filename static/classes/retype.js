import { Problem } from '../ui/api.js';
import { freeName, namesake } from './classlist.js';

/**
 * Opens the field of a name that somebody else has given to another class
 * meanwhile, with what was typed.
 *
 * @param {import('./classes.js').ClassPanel} panel
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
  panel.edit(key);
  row.input.value = name;
  panel.finish(key);
  return true;
}
