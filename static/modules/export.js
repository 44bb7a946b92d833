import { byId } from './dom.js';
import { VOID } from './protocol.js';
import { percent } from './status.js';

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
 * @typedef {object} ExportContext
 * @property {() => number} undecided share of the area
 * @property {() => string} preview name of the alternative that is shown, or ""
 * @property {() => Promise<boolean>} accept takes the preview over; whether it is saved
 * @property {() => Promise<boolean>} saved waits until everything is on disk
 * @property {() => void} done the download has begun
 */

/**
 * The dialog that downloads a mask.
 *
 * @param {string} image
 * @param {ExportContext} context
 * @returns {() => void} opens it
 */
export function exportDialog(image, context) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('export-dialog'));
  const form = /** @type {HTMLFormElement} */ (dialog.querySelector('form'));
  const primary = byId('export-default');
  const only = byId('export-labelling');

  dialog.addEventListener('close', async () => {
    const choice = dialog.returnValue;
    dialog.returnValue = '';
    if (choice !== 'default' && choice !== 'labelling') return;
    const style = new FormData(form).get('style') === 'colour' ? 'colour' : 'index';
    const ok = choice === 'default' && context.preview() ? await context.accept() : await context.saved();
    if (!ok) return;
    const link = document.createElement('a');
    link.href = `/api/v1/images/${encodeURIComponent(image)}/mask.png?of=labelling&style=${style}`;
    link.download = ''; // the server names it
    link.click();
    context.done();
  });

  return () => {
    const preview = context.preview();
    const share = context.undecided();
    only.hidden = preview === '' || share === 1;
    primary.textContent = preview ? 'Accept preview and export' : 'Export';
    byId('export-note').textContent = note(preview, share);
    dialog.showModal();
    primary.focus();
  };
}

/**
 * @param {string} preview
 * @param {number} share undecided
 */
export function note(preview, share) {
  const rest = `${percent(share)} undecided, exported as void (255).`;
  if (!preview) return share === 0 ? 'Everything is decided.' : rest;
  const state = share === 1 ? 'Nothing is accepted yet.' : share === 0 ? 'The labelling is complete without it.' : `The labelling without it: ${rest}`;
  return `You are looking at a preview, ${preview}. ${state}`;
}
