import { restore } from './discard.js';
import { byId } from '../ui/dom.js';
import { themeToggle } from '../ui/theme.js';
import { toast, toastProblem } from '../ui/toast.js';

themeToggle();

const list = byId('trash-list');

list.addEventListener('click', async (event) => {
  const button = /** @type {HTMLButtonElement | null} */ (/** @type {Element} */ (event.target).closest('[data-restore]'));
  const row = /** @type {HTMLElement | null} */ (button?.closest('.trash-row') ?? null);
  if (!button || !row) return;
  button.disabled = true;
  try {
    await restore(row.dataset.id ?? '');
  } catch (error) {
    button.disabled = false;
    toastProblem(error);
    return;
  }
  const neighbour = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  byId('trash-empty').hidden = list.children.length > 0;
  (neighbour?.querySelector('button') ?? byId('main')).focus();
  const open = row.dataset.open ?? '/';
  toast('Restored', row.querySelector('.trash-name')?.textContent ?? '', 'info', { label: 'Open', run: () => location.assign(open) });
});
