import { Problem } from './api.js';
import { byId, listLines } from './dom.js';
import { remarks, resultText } from './importreport.js';
import { sendFile } from './sendfile.js';
import { toast } from './toast.js';

/** @typedef {import('./importreport.js').ImportReport} ImportReport */

/**
 * The dialog that imports masks made elsewhere into a project. It may be closed
 * while files are on their way; a message tells how it ended then.
 *
 * @param {string} project
 * @param {(classes: boolean) => Promise<void>} imported called when masks have arrived, and perhaps classes
 * @returns {() => void} opens it
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

  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    const files = [...(chooser.files ?? [])];
    if (running || files.length === 0) return;
    running = true;
    primary.disabled = true;
    bar.hidden = false;
    show('');
    const address = `/api/v1/projects/${encodeURIComponent(project)}/imports?uncovered=${new FormData(form).get('uncovered')}`;
    const report = await importAll(address, files, (done, share) => {
      if (share < 1) bar.value = (done + share) / files.length;
      else bar.removeAttribute('value'); // the server works
      byId('import-state').textContent = files.length === 1 ? (share < 1 ? 'Sending' : 'Importing') : `File ${done + 1} of ${files.length}`;
    });
    running = false;
    primary.disabled = false;
    bar.hidden = true;
    chooser.value = '';
    show(resultText(report), remarks(report));
    if (dialog.open) chooser.focus();
    else toast('Masks imported', resultText(report));
    await imported(report.classes_added.length > 0);
  });

  return () => {
    if (!running) show('');
    dialog.showModal();
    chooser.focus();
  };
}

/**
 * Sends the files one after the other. What is wrong with one is in the report,
 * and the others go on.
 *
 * @param {string} address
 * @param {File[]} files
 * @param {(done: number, share: number) => void} progress files that are done, and how much of the next has been sent
 */
async function importAll(address, files, progress) {
  /** @type {ImportReport} */
  const report = { classes_added: [], images: [] };
  for (const [i, file] of files.entries()) {
    progress(i, 0);
    try {
      /** @type {ImportReport} */
      const answer = await sendFile(address, file, (share) => progress(i, share));
      report.classes_added.push(...answer.classes_added);
      report.images.push(...answer.images.map((im) => ({ ...im, mask: im.mask || file.name })));
    } catch (error) {
      const problem = error instanceof Problem ? error.detail || error.title : String(error);
      report.images.push({ mask: file.name, problem });
    }
  }
  return report;
}
