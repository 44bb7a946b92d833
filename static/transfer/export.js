import { call, Problem } from '../ui/api.js';
import { byId, listLines } from '../ui/dom.js';
import { fileOf, losses, progressText, questions, resultText, runExport, splitOf } from './exportjob.js';
import { counted, percent } from '../ui/numbers.js';
import { pause, waitText } from '../ui/patience.js';
import { toast, toastProblem } from '../ui/toast.js';

/**
 * What the dialog knows of the image that is open.
 *
 * @typedef {object} ExportContext
 * @property {() => number} undecided share of the area
 * @property {() => string} preview name of the alternative that is shown, or ""
 * @property {() => Promise<boolean>} accept accepts the preview; whether it is saved
 * @property {() => Promise<boolean>} saved waits until everything is on disk
 */

/** Formats whose mask of one image is a file of its own, with the name of its style. */
const SINGLE = new Map([
  ['index-png', 'index'],
  ['colour-png', 'colour'],
]);

/** The dialog that exports the image that is open, or the project. */
export class ExportDialog {
  /** @param {ExportContext} [context] of the image, where one is open */
  constructor(context) {
    this.context = context;
    this.dialog = /** @type {HTMLDialogElement} */ (byId('export-dialog'));
    this.form = /** @type {HTMLFormElement} */ (this.dialog.querySelector('form'));
    this.format = /** @type {HTMLSelectElement} */ (byId('export-format'));
    this.primary = /** @type {HTMLButtonElement} */ (byId('export-default'));
    this.stop = /** @type {HTMLButtonElement} */ (byId('export-cancel'));
    this.image = this.dialog.dataset.image ?? '';
    /** @type {AbortController | null} cancels the running export */
    this.running = null;
    /** @type {string[]} ids of the images to export, all when empty */
    this.chosen = [];
    /** What the dialog asks about. */
    this.asked = questions([], []);
    this.format.addEventListener('change', () => {
      this.setDefaults();
      if (!this.running) clearResult();
    });
    this.form.addEventListener('change', () => this.adapt());
    this.form.addEventListener('keydown', (e) => {
      if (e.key !== 'Enter' || !(e.target instanceof HTMLSelectElement)) return; // not every browser submits from a list
      e.preventDefault();
      this.form.requestSubmit(/** @type {HTMLButtonElement} */ (byId('export-default')));
    });
    this.form.addEventListener('submit', (e) => {
      e.preventDefault();
      void this.submit(e.submitter instanceof HTMLButtonElement && e.submitter.value === 'default');
    });
    this.stop.addEventListener('click', () => {
      this.running?.abort();
      this.stop.disabled = true;
      byId('export-state').textContent = 'Cancelling';
    });
  }

  /** @param {string[]} [images] of the project to export instead of all */
  open(images = []) {
    this.chosen = images;
    byId('export-title').textContent = images.length > 0 ? `Export ${counted(images.length, 'selected image')}` : 'Export';
    if (!this.running) clearResult();
    this.setDefaults();
    this.adapt();
    this.describe();
    this.dialog.showModal();
    this.primary.focus();
    void this.ask();
  }

  /** Asks what is to become of images that are unfinished or not approved, and of guesses that nobody has accepted. */
  async ask() {
    this.asked = questions([], []);
    field(this.form, 'guesses').checked = field(this.form, 'approved').checked = false;
    field(this.form, 'drafts').checked = true;
    this.adapt();
    try {
      this.asked = questions(await call('GET', `/api/v1/projects/${encodeURIComponent(this.dialog.dataset.project ?? '')}/images`), this.chosen);
    } catch (error) {
      if (!(error instanceof Problem)) throw error; // the report of the export says the same
    }
    byId('export-drafts-text').textContent = this.asked.drafts;
    byId('export-approved-text').textContent = this.asked.approved;
    byId('export-guesses-text').textContent = this.asked.guesses;
    this.adapt();
  }

  get scope() {
    return this.image && new FormData(this.form).get('scope') === 'image' ? 'image' : 'project';
  }

  /** Shows only the options that the format uses. */
  adapt() {
    const { uses = '', summary = '' } = this.format.selectedOptions[0].dataset;
    byId('export-summary').textContent = summary;
    const nothing = this.scope === 'image' || this.format.value === 'backup';
    const leftOut = this.asked.drafts !== '' && !field(this.form, 'drafts').checked; // guesses are unfinished images
    byId('export-guesses').hidden = nothing || leftOut || this.asked.guesses === '';
    byId('export-drafts').hidden = nothing || this.asked.drafts === '';
    byId('export-approved').hidden = nothing || this.asked.approved === '';
    byId('export-options').hidden = this.format.value === 'backup'; // it has everything as it is
    const split = field(this.form, 'split').value;
    byId('export-shares').hidden = split !== 'share';
    byId('export-split-note').textContent = split === 'name' ? 'Names with the word train, val or test, such as val/street.jpg; the others are for training.' : '';
    for (const option of this.dialog.querySelectorAll('[data-option]')) {
      if (!(option instanceof HTMLElement)) continue;
      const name = option.dataset.option ?? '';
      option.hidden = name === 'split' ? nothing : !uses.split(' ').includes(name);
    }
  }

  /** Sets the options to the defaults of the format. */
  setDefaults() {
    const { pictures, background, shapes } = this.format.selectedOptions[0].dataset;
    field(this.form, 'pictures').checked = pictures !== undefined;
    field(this.form, 'background').checked = background !== undefined;
    field(this.form, 'shapes').value = shapes ?? 'polygon';
  }

  /** Says which parts of the open image would be exported. */
  describe() {
    const only = document.getElementById('export-labelling');
    if (!this.context || !only) return;
    const preview = this.context.preview();
    const share = this.context.undecided();
    only.hidden = preview === '' || share === 1;
    this.primary.textContent = preview ? 'Accept preview and export' : 'Export';
    byId('export-note').textContent = note(preview, share);
  }

  /** @param {boolean} byDefault whether the default button was used, which accepts a preview first */
  async submit(byDefault) {
    const { context, form } = this;
    const accepting = byDefault && context?.preview();
    const style = SINGLE.get(this.format.value);
    const direct = this.scope === 'image' && style && field(form, 'undecided').value === 'void' && !field(form, 'pictures').checked;
    if (direct) this.dialog.close();
    if (context && !(accepting ? await context.accept() : await context.saved())) return;
    this.describe();
    if (direct) {
      download(`/api/v1/images/${encodeURIComponent(this.image)}/mask.png?of=labelling&style=${style}`);
      toast('Mask exported', 'It is in your downloads folder.');
      return;
    }
    if (!this.running) await this.run();
  }

  /** Has the server export in the background and downloads the result. */
  async run() {
    const { dialog, primary, stop } = this;
    this.running = new AbortController();
    stop.disabled = false;
    primary.disabled = true;
    clearResult();
    const bar = /** @type {HTMLProgressElement} */ (byId('export-progress').querySelector('progress'));
    bar.removeAttribute('value');
    byId('export-progress').hidden = false;
    try {
      const images = this.scope === 'image' ? [this.image] : this.chosen;
      const end = await runExport(dialog.dataset.project ?? '', this.format.value, options(this.form, images, this.format.value === 'backup'), {
        progress(status) {
          if (status.images_total > 0) bar.value = status.images_done / status.images_total;
          byId('export-state').textContent = progressText(status);
        },
        wait(problem, seconds) {
          byId('export-state').textContent = waitText(problem, seconds);
        },
        pause,
      }, this.running.signal);
      this.finish(end);
    } catch (error) {
      clearResult();
      if (error instanceof Problem) byId('export-state').textContent = `${error.title}. ${error.detail}`;
      if (!dialog.open || !(error instanceof Problem)) toastProblem(error);
    } finally {
      this.running = null;
      primary.disabled = false;
      const lost = stop.contains(document.activeElement) || document.activeElement === document.body;
      byId('export-progress').hidden = true;
      if (dialog.open && lost) primary.focus(); // the hidden button had it
    }
  }

  /** @param {Awaited<ReturnType<typeof runExport>>} end of the export; null when it was cancelled */
  finish(end) {
    if (!end) {
      byId('export-state').textContent = 'Export cancelled';
      return;
    }
    if (end.status === 'failed' || !end.report) throw new Problem('The export failed', end.problem ?? '');
    show(fileOf(end.id), resultText(end), losses(end.report));
    download(fileOf(end.id));
    if (!this.dialog.open) toast('Exported', resultText(end));
  }
}

function clearResult() {
  byId('export-progress').hidden = true;
  byId('export-state').textContent = '';
  byId('export-losses').hidden = true;
  byId('export-file').hidden = true;
}

/**
 * @param {string} file its address
 * @param {string} text
 * @param {string[]} lines
 */
function show(file, text, lines) {
  byId('export-state').textContent = text;
  listLines('export-losses', lines);
  const link = /** @type {HTMLAnchorElement} */ (byId('export-file'));
  link.href = file;
  link.hidden = false;
}

/** @param {string} address */
function download(address) {
  const link = document.createElement('a');
  link.href = address;
  link.download = ''; // the server names it
  link.click();
}

/**
 * The options as the server expects them; it ignores those that the format does
 * not use.
 *
 * @param {HTMLFormElement} form
 * @param {string[]} images
 * @param {boolean} whole whether everything is exported in any case
 */
function options(form, images, whole) {
  return {
    images,
    drafts: whole || images.length > 0 || field(form, 'drafts').checked,
    split: images.length === 1 ? undefined : splitOf((name) => field(form, name).value),
    approved: !whole && field(form, 'approved').checked,
    guesses: field(form, 'guesses').checked,
    undecided: field(form, 'undecided').value,
    pictures: field(form, 'pictures').checked,
    objects: field(form, 'objects').value,
    shapes: field(form, 'shapes').value,
    background: field(form, 'background').checked,
    hypotheses: Number(field(form, 'hypotheses').value),
  };
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function field(form, name) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
}

/**
 * @param {string} preview
 * @param {number} share undecided
 */
export function note(preview, share) {
  const rest = `${percent(share)} undecided.`;
  if (!preview) return share === 0 ? 'Everything is labelled.' : rest;
  const state = share === 1 ? 'Your saved labelling is still empty.' : share === 0 ? 'Your saved labelling is already complete.' : `Your saved labelling: ${rest}`;
  return `This preview, ${preview}, is not accepted yet. ${state}`;
}
