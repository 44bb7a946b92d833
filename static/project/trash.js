import { restore, trashImages } from './discard.js';
import { call, Problem } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { refuseFiles } from '../ui/files.js';
import { finder } from './gallery.js';
import { grouped } from '../ui/grouped.js';
import { counted } from '../ui/numbers.js';
import { inParts, inTurn } from './parts.js';
import { themeToggle } from '../ui/theme.js';
import { toast, toastProblem } from '../ui/toast.js';

themeToggle();
refuseFiles();

const list = byId('trash-list');
const form = /** @type {HTMLFormElement} */ (byId('trash-filter'));
const find = /** @type {HTMLInputElement} */ (byId('find-trash'));
const all = /** @type {HTMLButtonElement} */ (byId('restore-all'));
let restoring = false;

/** @returns {HTMLElement[]} in order */
const rows = () => /** @type {HTMLElement[]} */ ([...list.children]);

const shown = () => rows().filter((row) => !row.hidden);

/** Shows what the text finds, and says how many would come back. */
function filter() {
  if (list.children.length < 2) find.value = '';
  const matches = finder(find.value);
  for (const row of rows()) row.hidden = !matches(row.querySelector('.trash-text')?.textContent ?? '');
  const { length } = shown();
  byId('trash-empty').hidden = list.children.length > 0;
  form.hidden = list.children.length < 2;
  all.hidden = length < 2;
  all.textContent = length < list.children.length ? `Restore these ${length}` : `Restore all ${length}`;
  byId('trash-state').textContent = length > 0 || list.children.length === 0 ? '' : 'Nothing in the trash matches.';
}

/** Restores what a row is about; false if it is no longer in the trash. @param {HTMLElement} row */
async function bringBack(row) {
  try {
    await restore(row.dataset.id ?? '');
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error;
    return false;
  }
  return true;
}

form.addEventListener('submit', (event) => event.preventDefault());
find.addEventListener('input', filter);

all.addEventListener('click', async () => {
  let back = 0;
  /** @type {HTMLElement[]} they go together: painting the list again after each takes longer than restoring it */
  const gone = [];
  /** @type {Problem | null} why one can't come back now, such as a class whose name another one has: the others do */
  let refused = null;
  restoring = all.disabled = find.disabled = true;
  try {
    const chosen = shown();
    const others = chosen.filter((row) => !row.dataset.imageOf); // first: a project before its images
    await inTurn(others, byId('trash-state'), 'Restoring', 'item', async (row) => {
      try {
        if (await bringBack(row)) back++;
        gone.push(row);
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 422) throw error;
        refused ??= error;
      }
    });
    for (const [project, images] of grouped(chosen.filter((row) => row.dataset.imageOf), (row) => row.dataset.imageOf ?? '')) {
      await inParts(images, async (part) => {
        await trashImages(project, part.map((row) => row.dataset.id ?? ''), false);
        back += part.length;
        gone.push(...part);
      });
    }
  } catch (error) {
    toastProblem(error);
  }
  if (refused) toastProblem(refused);
  for (const row of gone) row.remove();
  restoring = all.disabled = find.disabled = false;
  if (shown().length === 0) find.value = '';
  filter();
  if (back > 0) toast('Restored', counted(back, 'item'));
  (form.hidden ? byId('main') : find).focus();
});

list.addEventListener('click', async (event) => {
  const button = /** @type {HTMLButtonElement | null} */ (/** @type {Element} */ (event.target).closest('[data-restore]'));
  const row = /** @type {HTMLElement | null} */ (button?.closest('.trash-row') ?? null);
  if (!button || !row) return;
  button.disabled = true;
  const name = row.querySelector('.trash-name')?.textContent ?? '';
  const open = row.dataset.open ?? '/';
  try {
    if (await bringBack(row)) toast('Restored', name, 'info', { label: 'Open', run: () => location.assign(open) });
    else toast('No longer in the trash', `${name} was restored or erased in the meantime, or your role has changed.`);
  } catch (error) {
    button.disabled = false;
    toastProblem(error);
    return;
  }
  const listed = shown();
  const at = listed.indexOf(row);
  const neighbour = listed[at + 1] ?? listed[at - 1];
  row.remove();
  filter();
  (neighbour?.querySelector('button') ?? byId('main')).focus();
});

document.addEventListener('visibilitychange', async () => {
  if (document.visibilityState !== 'visible' || restoring) return;
  /** @type {{id: string}[] | null} */
  const items = await call('GET', '/api/v1/trash').catch(() => null); // while the server can't be reached the list stays as it is
  const listed = [...list.querySelectorAll('li')].map((row) => row.dataset.id);
  if (items && !restoring && items.map(({ id }) => id).join() !== listed.join()) location.reload();
});
