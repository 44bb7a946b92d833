import { restore } from './discard.js';
import { call, Problem } from '../ui/api.js';
import { byId } from '../ui/dom.js';
import { refuseFiles } from '../ui/files.js';
import { themeToggle } from '../ui/theme.js';
import { toast, toastProblem } from '../ui/toast.js';

themeToggle();
refuseFiles();

const list = byId('trash-list');

list.addEventListener('click', async (event) => {
  const button = /** @type {HTMLButtonElement | null} */ (/** @type {Element} */ (event.target).closest('[data-restore]'));
  const row = /** @type {HTMLElement | null} */ (button?.closest('.trash-row') ?? null);
  if (!button || !row) return;
  button.disabled = true;
  const name = row.querySelector('.trash-name')?.textContent ?? '';
  const open = row.dataset.open ?? '/';
  try {
    await restore(row.dataset.id ?? '');
    toast('Restored', name, 'info', { label: 'Open', run: () => location.assign(open) });
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) {
      button.disabled = false;
      toastProblem(error);
      return;
    }
    toast('No longer in the trash', `${name} was restored or erased in the meantime, or your role has changed.`);
  }
  const neighbour = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  byId('trash-empty').hidden = list.children.length > 0;
  (neighbour?.querySelector('button') ?? byId('main')).focus();
});

document.addEventListener('visibilitychange', async () => {
  if (document.visibilityState !== 'visible') return;
  /** @type {{id: string}[] | null} */
  const items = await call('GET', '/api/v1/trash').catch(() => null); // while the server can't be reached the list stays as it is
  const listed = [...list.querySelectorAll('li')].map((row) => row.dataset.id);
  if (items && items.map(({ id }) => id).join() !== listed.join()) location.reload();
});
