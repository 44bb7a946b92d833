import { Problem, problemOf, unreachable } from './api.js';
import { byId, stamp } from './dom.js';

/**
 * Lets a drop zone take files by drop, click and keyboard, anywhere on the page.
 *
 * @param {(files: File[]) => void} take
 */
export function dropZone(take) {
  const zone = byId('drop');
  const input = /** @type {HTMLInputElement} */ (byId('files'));
  let depth = 0;
  /** @param {number} change */
  const over = (change) => {
    depth = Math.max(0, depth + change);
    zone.classList.toggle('over', depth > 0);
  };
  /** @param {DragEvent} e */
  const carriesFiles = (e) => e.dataTransfer?.types.includes('Files') ?? false;
  document.addEventListener('dragenter', (e) => carriesFiles(e) && over(1));
  document.addEventListener('dragleave', (e) => carriesFiles(e) && over(-1));
  document.addEventListener('dragover', (e) => {
    if (!carriesFiles(e)) return;
    e.preventDefault();
    if (e.dataTransfer) e.dataTransfer.dropEffect = 'copy';
  });
  document.addEventListener('drop', (e) => {
    if (!carriesFiles(e)) return;
    e.preventDefault();
    over(-depth);
    const files = [...(e.dataTransfer?.files ?? [])];
    if (files.length > 0) take(files);
  });
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    input.value = '';
    if (files.length > 0) take(files);
  });
}

/**
 * Uploads files to a project, one request each so that each has its progress
 * and its own problem, and shows them in the list of uploads. One after the
 * other, so that the images are in the order of the files.
 *
 * @param {string} project
 * @param {File[]} files
 * @returns {Promise<{images: {id: string}[], failed: number}>} the images in the order of the files
 */
export async function upload(project, files) {
  byId('uploads').hidden = false;
  byId('uploads').scrollIntoView({ block: 'nearest' });
  const rows = files.map((file) => row(file));
  /** @type {{id: string}[]} */
  const images = [];
  let failed = 0;
  const summary = byId('uploads-summary');
  for (const [i, file] of files.entries()) {
    summary.textContent = `${i + 1} of ${files.length}`;
    try {
      images.push(...(await send(project, file, rows[i].progress)));
      rows[i].succeed();
    } catch (error) {
      failed++;
      rows[i].fail(error instanceof Problem ? error : new Problem('That did not work', String(error)));
    }
  }
  byId('uploads-title').textContent = failed === 0 ? 'Uploaded' : 'Some files could not be read';
  summary.textContent = failed === 0 ? `${files.length} of ${files.length}` : `${files.length - failed} uploaded, ${failed} not`;
  return { images, failed };
}

/** @param {File} file */
function row(file) {
  const { element, slot } = stamp('upload-template');
  const bar = /** @type {HTMLProgressElement} */ (slot('progress'));
  slot('name').textContent = file.name;
  byId('uploads-list').append(element);
  /** @param {string} state @param {string} text */
  const show = (state, text) => {
    element.dataset.state = state;
    slot('state').textContent = text;
  };
  return {
    /** @param {number} share */
    progress(share) {
      bar.value = share;
      if (share < 1) show('sending', `${Math.round(share * 100)} %`);
      else {
        show('working', 'Finding superpixels');
        bar.removeAttribute('value');
      }
    },
    succeed() {
      bar.value = 1;
      show('done', 'Ready');
    },
    /** @param {Problem} problem */
    fail(problem) {
      bar.hidden = true;
      show('failed', problem.title);
      slot('problem').textContent = problem.detail;
      slot('problem').hidden = problem.detail === '';
    },
  };
}

/**
 * @param {string} project
 * @param {File} file
 * @param {(share: number) => void} progress
 * @returns {Promise<{id: string}[]>}
 */
function send(project, file, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch can't tell how much has been sent
    request.open('POST', `/api/v1/projects/${encodeURIComponent(project)}/images`);
    request.upload.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
    request.upload.onload = () => progress(1);
    request.onerror = () => reject(unreachable());
    request.onload = () => {
      if (request.status < 200 || request.status > 299) {
        reject(problemOf(request.responseText, request.status));
        return;
      }
      try {
        resolve(accepted(JSON.parse(request.responseText)));
      } catch (error) {
        reject(error instanceof Problem ? error : problemOf('', request.status));
      }
    };
    const form = new FormData();
    form.append('file', file, file.name);
    request.send(form);
  });
}

/**
 * The images of an answer. A file that was refused has its problem in place of
 * its record.
 *
 * @param {{id?: string, problem?: {title: string, detail: string}}[]} answer
 * @returns {{id: string}[]}
 */
function accepted(answer) {
  const images = answer.flatMap(({ id }) => (id ? [{ id }] : []));
  const problem = answer.find((entry) => entry.problem)?.problem;
  if (images.length === 0) throw new Problem(problem?.title ?? 'That file could not be read', problem?.detail ?? '');
  return images;
}
