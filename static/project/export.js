import { Problem } from '../ui/api.js';
import { byId, listLines } from '../ui/dom.js';
import { fileOf, losses, progressText, resultText, runExport } from './exportjob.js';
import { VOID } from '../evidence/protocol.js';
import { percent } from '../ui/percent.js';
import { toast, toastProblem } from '../ui/toast.js';

/**
 * The share of the area that has no class, 0..1.
 *
 * @param {Uint8Array} labels
 * @param {ArrayLike<number>} area
 */
export function undecided(labels, area) {
  let none = 0;
  let total = 0;
  for (let s = 0; s < labels.length; s++) {
    total += area[s];
    if (labels[s] === VOID) none += area[s];
  }
  return none / total;
}

/**
 * What the dialog knows of the image that is open.
 *
 * @typedef {object} ExportContext
 * @property {() => number} undecided share of the area
 * @property {() => string} preview name of the alternative that is shown, or ""
 * @property {() => Promise<boolean>} accept takes the preview over; whether it is saved
 * @property {() => Promise<boolean>} saved waits until everything is on disk
 */

/** Formats whose mask of one image is a file of its own, with the name of its style. */
const SINGLE = new Map([
  ['index-png', 'index'],
  ['colour-png', 'colour'],
]);

/**
 * The dialog that exports the image that is open, or the project.
 *
 * @param {ExportContext} [context] of the image, where one is open
 * @returns {(images?: string[]) => void} opens it, for these images of the project instead of all
 */
export function exportDialog(context) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('export-dialog'));
  const form = /** @type {HTMLFormElement} */ (dialog.querySelector('form'));
  const format = /** @type {HTMLSelectElement} */ (byId('export-format'));
  const primary = /** @type {HTMLButtonElement} */ (byId('export-default'));
  const only = document.getElementById('export-labelling');
  const image = dialog.dataset.image ?? '';
  const stop = /** @type {HTMLButtonElement} */ (byId('export-cancel'));
  /** @type {AbortController | null} cancels the export that runs */
  let running = null;
  /** @type {string[]} */
  let chosen = [];

  const scope = () => (image && new FormData(form).get('scope') === 'image' ? 'image' : 'project');

  /** Shows the options that make a difference. */
  const adapt = () => {
    const uses = (format.selectedOptions[0].dataset.uses ?? '').split(' ');
    byId('export-summary').textContent = format.selectedOptions[0].dataset.summary ?? '';
    for (const option of dialog.querySelectorAll('[data-option]')) {
      if (!(option instanceof HTMLElement)) continue;
      const name = option.dataset.option ?? '';
      option.hidden = name === 'drafts' ? scope() === 'image' || chosen.length > 0 : !uses.includes(name);
    }
  };
  /** Sets the options to the defaults of the format. */
  const defaults = () => {
    const { pictures, background, shapes } = format.selectedOptions[0].dataset;
    field(form, 'pictures').checked = pictures !== undefined;
    field(form, 'background').checked = background !== undefined;
    field(form, 'shapes').value = shapes ?? 'polygon';
  };
  /** Says what of the image would be exported. */
  const describe = () => {
    if (!context || !only) return;
    const preview = context.preview();
    const share = context.undecided();
    only.hidden = preview === '' || share === 1;
    primary.textContent = preview ? 'Accept preview and export' : 'Export';
    byId('export-note').textContent = note(preview, share);
  };
  const idle = () => {
    byId('export-progress').hidden = true;
    byId('export-state').textContent = '';
    byId('export-losses').hidden = true;
    byId('export-file').hidden = true;
  };
  format.addEventListener('change', () => {
    defaults();
    if (!running) idle();
  });
  form.addEventListener('change', adapt);
  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    const accepting = e.submitter instanceof HTMLButtonElement && e.submitter.value === 'default' && context?.preview();
    const style = SINGLE.get(format.value);
    const direct = scope() === 'image' && style && field(form, 'undecided').value === 'void' && !field(form, 'pictures').checked;
    if (direct) dialog.close();
    if (context && !(accepting ? await context.accept() : await context.saved())) return;
    describe();
    if (direct) {
      download(`/api/v1/images/${encodeURIComponent(image)}/mask.png?of=labelling&style=${style}`);
      toast('Mask exported', 'It is among your downloads.');
      return;
    }
    if (!running) await start();
  });

  stop.addEventListener('click', () => {
    running?.abort();
    stop.disabled = true;
    byId('export-state').textContent = 'Cancelling';
  });

  const start = async () => {
    running = new AbortController();
    stop.disabled = false;
    primary.disabled = true;
    idle();
    const bar = /** @type {HTMLProgressElement} */ (byId('export-progress').querySelector('progress'));
    bar.removeAttribute('value');
    byId('export-progress').hidden = false;
    try {
      const end = await runExport(dialog.dataset.project ?? '', format.value, options(form, scope() === 'image' ? [image] : chosen), (status) => {
        if (status.images_total > 0) bar.value = status.images_done / status.images_total;
        byId('export-state').textContent = progressText(status);
      }, running.signal);
      if (!end) {
        byId('export-state').textContent = 'Cancelled. There is no file.';
        return;
      }
      if (end.status === 'failed' || !end.report) throw new Problem('The export failed', end.problem ?? '');
      show(fileOf(end.id), resultText(end), losses(end.report));
      download(fileOf(end.id));
      if (!dialog.open) toast('Exported', resultText(end));
    } catch (error) {
      idle();
      if (error instanceof Problem) byId('export-state').textContent = `${error.title}. ${error.detail}`;
      if (!dialog.open || !(error instanceof Problem)) toastProblem(error);
    } finally {
      running = null;
      primary.disabled = false;
      const left = stop.contains(document.activeElement) || document.activeElement === document.body;
      byId('export-progress').hidden = true;
      if (dialog.open && left) primary.focus(); // which the button had that is gone
    }
  };

  return (images = []) => {
    chosen = images;
    byId('export-title').textContent = images.length > 0 ? `Export ${images.length} selected ${images.length === 1 ? 'image' : 'images'}` : 'Export';
    if (!running) idle();
    defaults();
    adapt();
    describe();
    dialog.showModal();
    primary.focus();
  };
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
 * The options as the server takes them; those that the format does not use make
 * no difference to it.
 *
 * @param {HTMLFormElement} form
 * @param {string[]} images
 */
function options(form, images) {
  return {
    images,
    drafts: images.length > 0 || field(form, 'drafts').checked,
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
  if (!preview) return share === 0 ? 'Everything is decided.' : rest;
  const state = share === 1 ? 'Nothing is accepted yet.' : share === 0 ? 'The labelling is complete without it.' : `The labelling without it: ${rest}`;
  return `You are looking at a preview, ${preview}. ${state}`;
}
