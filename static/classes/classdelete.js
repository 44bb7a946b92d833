import { Problem } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { counted } from '../ui/numbers.js';
import { VOID } from '../evidence/protocol.js';
import { toast, toastProblem } from '../ui/toast.js';

/**
 * @typedef {import('./classes.js').ClassPanel} ClassPanel
 * @typedef {import('./classlist.js').Entry} Entry
 */

/**
 * Deletes a class. When labels use it, the person is asked which class replaces it.
 *
 * @param {ClassPanel} panel
 * @param {number} place
 */
export async function removeClass(panel, place) {
  const { key } = panel.classes[place];
  const active = key === panel.activeKey;
  if (panel.classes.length < 2) {
    toast('A project needs at least one class', 'Rename this class, or add another one first.');
    return;
  }
  await panel.queue;
  const gone = panel.classes.find((c) => c.key === key); // it has its id now
  if (!gone) return;
  const rest = () => panel.classes.filter((c) => c.key !== gone.key);
  try {
    let images = 0;
    let answer = await panel.send(rest).catch((error) => {
      images = error instanceof Problem ? (error.fields.in_use?.[gone.id] ?? 0) : 0;
      if (images > 0) return null;
      throw error;
    });
    if (!answer) {
      const target = await ask(gone, rest(), images);
      if (target === null) return;
      answer = await panel.send(rest, () => (panel.classes.some((c) => c.key === gone.key) ? { [gone.id]: target } : {}));
    }
    panel.adopt(answer, true);
    const { activeKey } = panel; // what took its place, if it was active
    const next = panel.rows.get(panel.classes[Math.min(place, panel.classes.length - 1)].key);
    next?.choose.focus();
    toast('Class deleted', gone.name, 'info', { label: 'Undo', run: () => restore(panel, gone, place, () => active && panel.activeKey === activeKey) });
  } catch (error) {
    toastProblem(error);
  }
}

/**
 * @param {ClassPanel} panel
 * @param {Entry} gone
 * @param {number} place where it was
 * @param {() => boolean} active whether it was active, and nobody has chosen another class since
 */
async function restore(panel, gone, place, active) {
  await panel.queue;
  await panel.undo(() => panel.classes.toSpliced(place, 0, ...(panel.byID(gone.id) ? [] : [gone])));
  if (active()) panel.chooseID(gone.id);
}

/**
 * What labels of a deleted class can become, the default first: a class that
 * nobody has named must not get them unasked.
 *
 * @param {readonly {id: number, name: string}[]} others
 */
export function replacements(others) {
  return [{ text: 'Undecided', value: VOID }, ...others.map(({ id, name }) => ({ text: name, value: id }))];
}

/**
 * Asks which class replaces one that labels use.
 *
 * @param {Entry} gone
 * @param {Entry[]} others
 * @param {number} images that use it
 * @returns {Promise<number | null>} id of a class, VOID for undecided, null when it is to stay
 */
function ask(gone, others, images) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('remap-dialog'));
  const select = /** @type {HTMLSelectElement} */ (byId('remap-target'));
  byId('remap-title').textContent = `Delete ${gone.name}?`;
  byId('remap-note').textContent = `This class is used in ${counted(images, 'image')}.`;
  select.replaceChildren(...replacements(others).map(({ text, value }) => new Option(text, String(value))));
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'delete' ? Number(select.value) : null), { once: true });
  });
}
