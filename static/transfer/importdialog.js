import { call } from '../ui/api.js';
import { byId, listLines } from '../ui/dom.js';
import { ImportReview } from './importreview.js';
import { kinds, remarks, resultText, reviewText } from './importreport.js';
import { importAll, remaining, together } from './imports.js';
import { packed } from './pack.js';
import { counted } from '../ui/numbers.js';
import { pause, waitText } from '../ui/patience.js';
import { sendFile } from '../ui/sendfile.js';
import { staying } from '../ui/staying.js';
import { toast, toastProblem } from '../ui/toast.js';
import { keptLines, stepsOf, undoImport, undoneText } from './undoimport.js';

/**
 * The dialog that imports masks made elsewhere into a project: files are chosen,
 * then reviewed, then imported. It may be closed while files are being sent; a
 * message then gives the result.
 */
export class ImportDialog {
  /**
   * @param {string} project
   * @param {(classes: boolean) => Promise<void>} imported called when masks have arrived, and perhaps classes
   */
  constructor(project, imported) {
    this.address = `/api/v1/projects/${encodeURIComponent(project)}`;
    this.imported = imported;
    this.dialog = /** @type {HTMLDialogElement} */ (byId('import-dialog'));
    this.form = /** @type {HTMLFormElement} */ (this.dialog.querySelector('form'));
    this.chooser = /** @type {HTMLInputElement} */ (byId('import-files'));
    this.primary = /** @type {HTMLButtonElement} */ (byId('import-start'));
    this.bar = /** @type {HTMLProgressElement} */ (byId('import-progress'));
    this.review = new ImportReview(() => this.#ready());
    this.running = false;
    /** @type {import('./importreport.js').ImportReport | null} of the files, once they have been reviewed */
    this.reviewed = null;
    this.stored = stepsOf([]); // by the last import
    this.form.addEventListener('submit', (e) => {
      e.preventDefault();
      if (!this.running && this.chosen.length > 0) void (this.reviewed ? this.#import() : this.#look());
    });
    this.chooser.addEventListener('change', () => this.#step(null));
    this.undo = /** @type {HTMLButtonElement} */ (byId('import-undo'));
    this.undo.addEventListener('click', () => void this.#undo());
    byId('import-back').addEventListener('click', () => {
      this.#step(null);
      this.chooser.focus();
    });
  }

  open() {
    if (!this.running) this.#step(null);
    this.dialog.showModal();
    this.chooser.focus();
  }

  /** Files that were dropped. @param {readonly File[]} files */
  take(files) {
    this.#choose(together(this.chosen, files));
    if (this.running) return;
    this.#step(null);
    this.#show(`${counted(this.chosen.length, 'file')} ready for review.`);
  }

  get chosen() { return [...(this.chooser.files ?? [])]; }

  /** @param {readonly File[]} files */
  #choose(files) {
    const transfer = new DataTransfer(); // the only way to a list of files
    for (const file of files) transfer.items.add(file);
    this.chooser.files = transfer.files;
  }

  /** @param {string} text @param {string[]} [lines] */
  #show(text, lines = []) {
    byId('import-state').textContent = text;
    listLines('import-remarks', lines);
  }

  /** Goes to the review of a report, or to the choice of files. @param {import('./importreport.js').ImportReport | null} report */
  #step(report) {
    this.reviewed = report;
    byId('import-choice').hidden = report !== null;
    byId('import-review').hidden = byId('import-back').hidden = report === null;
    const open = this.review.open ? ' Choose a class for each value.' : ''; // it stays, so that nothing moves under the pointer
    this.#show(report ? reviewText(report) + open : '', report ? remarks(report) : []);
    this.#ready();
  }

  /** Names the next step on the button. */
  #ready() {
    const good = this.reviewed?.images.filter((im) => !im.problem) ?? [];
    this.primary.textContent = this.reviewed ? `Import ${kinds(good)}` : 'Review';
    this.undo.hidden = this.reviewed !== null || this.stored.size === 0;
    this.undo.disabled = this.running;
    this.primary.disabled = this.running || (this.reviewed !== null && (good.length === 0 || this.review.open !== undefined));
  }

  /**
   * Sends the files, for a review or for good.
   *
   * @param {readonly File[]} files
   * @param {string} query
   * @param {string} doing what the server does with a file that has arrived
   * @param {Record<string, string>} [fields]
   */
  async #send(files, query, doing, fields) {
    const choices = new FormData(this.form);
    const address = `${this.address}/imports?numbers=${choices.get('numbers')}&uncovered=${choices.get('uncovered')}${query}`;
    return this.#busily(async () => {
      const sent = await packed(files);
      return importAll(sent, {
        send: (file, progress) => sendFile(address, file, progress, fields),
        pause,
        progress: (done, share) => {
          if (share < 1) this.bar.value = (done + share) / sent.length;
          else this.bar.removeAttribute('value'); // the server works
          this.#show(sent.length === 1 ? (share < 1 ? 'Sending' : doing) : `File ${done + 1} of ${sent.length}`);
        },
        wait: (problem, seconds) => this.#show(waitText(problem, seconds)),
      });
    });
  }

  /**
   * Does what takes a while, under the progress bar.
   *
   * @template T
   * @param {() => Promise<T>} work
   */
  async #busily(work) {
    this.running = true;
    this.bar.hidden = false;
    this.#show('');
    this.#ready();
    try {
      return await staying(work);
    } finally {
      this.running = false;
      this.bar.hidden = true;
    }
  }

  async #look() {
    const files = this.chosen;
    const report = await this.#send(files, '&review=true', 'Reading');
    if (this.chosen.length !== files.length) { // others were dropped meanwhile
      this.#step(null);
      return;
    }
    try {
      const { classes, role } = await call('GET', this.address);
      this.review.show(report, classes, ['owner', 'admin'].includes(role));
    } catch (error) {
      this.#step(null);
      toastProblem(error);
      return;
    }
    this.#step(report);
    (this.review.open ?? (this.primary.disabled ? byId('import-back') : this.primary)).focus();
  }

  async #import() {
    const files = this.chosen;
    const report = await this.#send(files, '', 'Importing', { mapping: JSON.stringify(this.review.mapping) });
    this.stored = stepsOf(report.images);
    this.#choose(remaining(this.chosen, files)); // others may have been dropped meanwhile
    this.#step(null);
    this.#finished('Import finished', resultText(report), remarks(report));
    await this.imported(report.classes_added.length > 0);
  }

  /** Says what was done, in a message if the dialog has been closed. @param {string} title @param {string} text @param {string[]} lines */
  #finished(title, text, lines) {
    this.#show(text, lines);
    if (this.dialog.open) this.chooser.focus();
    else toast(title, text);
  }

  /** Takes the last import back. */
  async #undo() {
    const stored = this.stored;
    const outcome = await this.#busily(() => undoImport(stored, {
      send: (image, event) => call('POST', `/api/v1/images/${encodeURIComponent(image)}/evidence`, event),
      pause,
      progress: (done) => {
        this.bar.value = done / stored.size;
        this.#show(`Image ${done + 1} of ${stored.size}`);
      },
      wait: (problem, seconds) => this.#show(waitText(problem, seconds)),
    }));
    this.stored = stepsOf([]);
    this.#ready();
    this.#finished('Import undone', undoneText(outcome, stored), keptLines(outcome));
    await this.imported(false);
  }
}
