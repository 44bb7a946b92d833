import { call, Problem } from '../ui/api.js';
import { byId, stamp } from '../ui/dom.js';
import { droppedFiles, likeMask, meant, photographs, shortened } from './folders.js';
import { carriesFiles, pastesFiles } from '../ui/files.js';
import { counted } from '../ui/numbers.js';
import { pause } from '../ui/patience.js';
import { sendFile } from '../ui/sendfile.js';
import { staying } from '../ui/staying.js';
import { toast } from '../ui/toast.js';
import { leftOut, outcome, stacks, Uploads } from './uploads.js';

/**
 * @typedef {import('./uploads.js').Answer} Answer
 * @typedef {{images: import('./uploads.js').Uploaded[], failed: number, leftOut: number, masks: boolean}} Sent new images in the order of the files, how many files failed, how many were left out beside photographs, and whether all are called like masks
 */

/** What is said of images that are all called like masks. */
const MASKS = 'These became images, but they are called like masks. If they are masks of other images, upload those instead, and then choose Import masks on the page of their project.';

/**
 * A dialog that takes files instead of the drop zone while it is open.
 *
 * @typedef {object} Taker
 * @property {HTMLDialogElement} dialog
 * @property {(files: File[]) => void} take
 */

/**
 * Makes a drop zone take files, folders and zip archives by drop, paste, click and
 * keyboard, anywhere on the page. While a dialog is open, what is dropped or pasted
 * goes to it if it takes files and is ignored otherwise.
 *
 * @param {(files: File[]) => void} take
 * @param {Taker} [instead]
 */
export function dropZone(take, instead) {
  const page = { element: byId('drop'), take };
  const target = () => {
    if (instead?.dialog.open) return { element: instead.dialog, take: (/** @type {File[]} */ files) => instead.take(files) };
    return document.querySelector('dialog[open]') ? null : page;
  };
  /** @type {HTMLElement | null} */
  let shown = null;
  let depth = 0;
  /** @param {number} change */
  const over = (change) => {
    depth = Math.max(0, depth + change);
    shown?.classList.remove('over');
    shown = depth > 0 ? (target()?.element ?? null) : null;
    shown?.classList.add('over');
  };
  /** @param {readonly File[]} files @param {(files: File[]) => void} to */
  const offer = (files, to) => {
    const wanted = meant(files);
    if (wanted.length > 0) to(wanted);
    else toast('Nothing to add', 'The folder holds no files.');
  };
  /** @param {DataTransfer} transfer */
  const receive = async (transfer) => {
    const to = target()?.take;
    if (to) offer(await droppedFiles(transfer), to);
  };
  document.addEventListener('dragenter', (e) => carriesFiles(e.dataTransfer) && over(1));
  document.addEventListener('dragleave', (e) => carriesFiles(e.dataTransfer) && over(-1));
  document.addEventListener('dragover', (e) => {
    if (!carriesFiles(e.dataTransfer)) return;
    e.preventDefault();
    e.dataTransfer.dropEffect = target() ? 'copy' : 'none';
  });
  document.addEventListener('drop', (e) => {
    if (!carriesFiles(e.dataTransfer)) return;
    e.preventDefault();
    over(-depth);
    void receive(e.dataTransfer);
  });
  document.addEventListener('paste', (e) => {
    if (!e.clipboardData || !pastesFiles(e)) return;
    e.preventDefault();
    void receive(e.clipboardData);
  });
  for (const id of ['files', 'folder']) {
    const input = /** @type {HTMLInputElement} */ (byId(id));
    input.addEventListener('change', () => {
      const files = [...(input.files ?? [])];
      input.value = '';
      offer(files, take);
    });
  }
  byId('choose-folder').addEventListener('click', () => byId('folder').click());
}

/** Uploads files to a project, and those that are added meanwhile after them. */
export class UploadQueue {
  constructor() {
    /** @type {File[][] | null} what is being uploaded, in turn */
    this.batches = null;
  }

  /** Adds files to an upload. @param {File[]} files @returns {boolean} whether one is running */
  follow(files) {
    if (!this.batches) return false;
    this.batches.push(files);
    toast('Added to the upload', `${counted(files.length, 'file follows', 'files follow')} the others.`);
    return true;
  }

  /**
   * @param {File[]} files
   * @param {() => string | Promise<string>} project says which
   * @param {(sent: Sent) => void | Promise<void>} [after] called after the files, and after those of each addition
   * @returns {Promise<Sent>} of all
   */
  async run(files, project, after) {
    /** @type {Sent} */
    const all = { images: [], failed: 0, leftOut: 0, masks: false };
    this.batches = [files];
    try {
      await staying(() => this.#all(all, project, after));
    } finally {
      this.batches = null;
    }
    return all;
  }

  /** @param {Sent} all gets what was sent @param {() => string | Promise<string>} project @param {(sent: Sent) => void | Promise<void>} [after] */
  async #all(all, project, after) {
    const id = await project();
    for (const batch of this.batches ?? []) {
      const sent = await upload(id, batch);
      all.images.push(...sent.images);
      all.failed += sent.failed;
      all.leftOut += sent.leftOut;
      all.masks ||= sent.masks;
      await after?.(sent);
    }
  }
}

/** Offers to open the first of the images that were uploaded. @param {Sent} sent */
export function offerFirst({ images }) {
  if (images.length > 0) offer(`/images/${images[0].id}`, 'Open the first image');
}

/** Offers to import what was left out. @param {string} project */
export function offerImport(project) {
  offer(`/projects/${project}#import`, 'Open the project and import masks');
}

/** @param {string} address @param {string} text */
function offer(address, text) {
  const open = /** @type {HTMLAnchorElement} */ (byId('uploads-open'));
  open.href = address;
  byId('uploads-opens').textContent = text;
  open.hidden = false;
}

/**
 * Uploads files to a project and shows them in the list of uploads, one request
 * each, so that each has its own progress and problem. Files that the project has
 * already, byte by byte, are not sent again, or not added where they are in archives:
 * after an interruption, dropping the same files continues the upload. While the server
 * can't be reached, the upload waits and then continues.
 *
 * @param {string} project
 * @param {File[]} files
 * @returns {Promise<Sent>}
 */
async function upload(project, files) {
  const address = `/api/v1/projects/${encodeURIComponent(project)}/images`;
  byId('uploads').hidden = false;
  byId('uploads').scrollIntoView({ block: 'nearest' });
  const summary = byId('uploads-summary');
  const title = byId('uploads-title');
  title.textContent = 'Uploading';
  const wanted = photographs(files, files.some(likeMask) ? await call('GET', address).catch(() => []) : []);
  const photos = shortened(wanted);
  const uploads = new Uploads(photos, {
    present: () => call('GET', address),
    same,
    send: async (file, progress) => accepted(await sendFile(/\.zip$/i.test(file.name) ? `${address}?present=skip` : address, file, progress)),
    pause,
    show: (file) => row(file, photos.length > 50),
    tell: (done, of) => {
      summary.textContent = `${done} of ${of}`;
    },
  });
  const result = await uploads.run();
  const masks = result.images.length > 0 && wanted.every(likeMask);
  const others = result.images.reduce((sum, im) => sum + (im.left_out ?? 0), files.length - photos.length);
  byId('uploads-others').textContent = masks ? MASKS : photos.length === 0 || result.images.length + result.skipped > 0 ? leftOut(others) : '';
  const there = result.skipped > 0 ? `, ${result.skipped} already uploaded` : '';
  if (photos.length === 0) {
    title.textContent = 'No photographs to upload';
    summary.textContent = '';
  } else if (result.failed === 0) {
    title.textContent = 'Uploaded';
    summary.textContent = `${photos.length} of ${photos.length}${there}`;
  } else {
    title.textContent = 'Some files could not be read';
    summary.textContent = `${result.images.length} uploaded, ${result.failed} failed${there}`;
  }
  return { ...result, leftOut: others, masks };
}

/**
 * @param {string} image
 * @param {File} file
 */
async function same(image, file) {
  const answer = await fetch(`/api/v1/images/${encodeURIComponent(image)}/original`);
  if (!answer.ok) return false;
  const [there, here] = (await Promise.all([answer.arrayBuffer(), file.arrayBuffer()])).map((b) => new Uint8Array(b));
  return there.length === here.length && there.every((byte, i) => byte === here[i]);
}

/**
 * @param {File} file
 * @param {boolean} many whether rows of what is done leave the page
 * @returns {import('./uploads.js').Row}
 */
function row(file, many) {
  const { element, slot } = stamp('upload-template');
  const bar = /** @type {HTMLProgressElement} */ (slot('progress'));
  slot('name').textContent = file.name;
  byId('uploads-list').append(element);
  /** @param {string} state @param {string} text */
  const show = (state, text) => {
    element.dataset.state = state;
    slot('state').textContent = text;
  };
  /** @param {string} detail */
  const explain = (detail) => {
    slot('problem').textContent = detail;
    slot('problem').hidden = detail === '';
  };
  /** @param {string} text */
  const finish = (text) => {
    bar.value = 1;
    explain('');
    show('done', text);
    if (many) element.remove();
  };
  return {
    progress(share) {
      explain('');
      if (share < 1) {
        bar.value = share;
        show('sending', `${Math.round(share * 100)} %`);
      } else {
        show('working', 'Computing superpixels');
        bar.removeAttribute('value');
      }
    },
    wait(problem, seconds) {
      show('waiting', `Trying again in ${seconds}\u00a0s`);
      explain(problem.detail);
    },
    succeed: (answer) => {
      finish(outcome(answer));
      const refused = answer.problems.slice(0, 20).map((p) => `${p.name}: ${p.problem.detail}`).join(' ');
      const remark = refused || stacks(answer.images);
      if (!remark) return;
      byId('uploads-list').append(element);
      if (refused) show('failed', outcome(answer));
      explain(remark);
    },
    skip: () => finish('Already uploaded'),
    fail(problem) {
      bar.hidden = true;
      show('failed', problem.title);
      explain(problem.detail);
    },
  };
}

/**
 * The images and the refused files of an answer. A file that was refused has its
 * problem in place of its record.
 *
 * @param {{id?: string, name: string, present?: boolean, pictures?: number, left_out?: number, problem?: {title: string, detail: string}}[]} answer
 * @returns {Answer}
 */
function accepted(answer) {
  const images = answer.flatMap(({ id, present = false, pictures, left_out }) => (id ? [{ id, present, pictures, left_out }] : []));
  const problems = answer.flatMap(({ name, problem }) => (problem ? [{ name, problem }] : []));
  if (images.length === 0) throw new Problem(problems[0]?.problem.title ?? 'The file could not be read', problems[0]?.problem.detail ?? '');
  return { images, problems };
}
