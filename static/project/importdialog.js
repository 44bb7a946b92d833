import { byId, listLines } from '../ui/dom.js';
import { remarks, resultText } from './importreport.js';
import { importAll, remaining, together } from './imports.js';
import { counted } from '../ui/numbers.js';
import { pause } from '../ui/patience.js';
import { sendFile } from '../ui/sendfile.js';
import { toast } from '../ui/toast.js';

/**
 * The dialog that imports masks made elsewhere into a project. It may be closed
 * while files are being sent; a message then gives the result.
 *
 * @param {string} project
 * @param {(classes: boolean) => Promise<void>} imported called when masks have arrived, and perhaps classes
 * @returns {import('./upload.js').Taker & {open: () => void}}
 */
export function importDialog(project, imported) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('import-dialog'));
  const form = /** @type {HTMLFormElement} */ (dialog.querySelector('form'));
  const chooser = /** @type {HTMLInputElement} */ (byId('import-files'));
  const primary = /** @type {HTMLButtonElement} */ (byId('import-start'));
  const bar = /** @type {HTMLProgressElement} */ (byId('import-progress'));
  let running = false;

  /** @param {string} text @param {string[]} [lines] */
  const show = (text, lines = []) => {
    byId('import-state').textContent = text;
    listLines('import-remarks', lines);
  };

  const chosen = () => [...(chooser.files ?? [])];
  /** @param {readonly File[]} files */
  const choose = (files) => {
    const transfer = new DataTransfer(); // the only way to a list of files
    for (const file of files) transfer.items.add(file);
    chooser.files = transfer.files;
  };

  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    const files = chosen();
    if (running || files.length === 0) return;
    running = true;
    primary.disabled = true;
    bar.hidden = false;
    show('');
    const address = `/api/v1/projects/${encodeURIComponent(project)}/imports?uncovered=${new FormData(form).get('uncovered')}`;
    const report = await importAll(files, {
      send: (file, progress) => sendFile(address, file, progress),
      pause,
      progress: (done, share) => {
        if (share < 1) bar.value = (done + share) / files.length;
        else bar.removeAttribute('value'); // the server works
        show(files.length === 1 ? (share < 1 ? 'Sending' : 'Importing') : `File ${done + 1} of ${files.length}`);
      },
      wait: ({ title }, seconds) => show(`${title}. Trying again in ${seconds} s.`),
    });
    running = false;
    primary.disabled = false;
    bar.hidden = true;
    choose(remaining(chosen(), files)); // others may have been dropped meanwhile
    show(resultText(report), remarks(report));
    if (dialog.open) chooser.focus();
    else toast('Import finished', resultText(report));
    await imported(report.classes_added.length > 0);
  });

  return {
    dialog,
    open() {
      if (!running) show('');
      dialog.showModal();
      chooser.focus();
    },
    take(files) {
      choose(together(chosen(), files));
      const { length } = chosen();
      if (!running) show(`${counted(length, 'file')} ready to import.`);
    },
  };
}
