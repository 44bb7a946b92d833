import { call, Problem } from '../ui/api.js';
import { counted } from '../ui/numbers.js';
import { insist } from '../ui/patience.js';

/**
 * An export that the server makes in the background; package segment/export/jobs and
 * segment/export/report.go have the other side.
 *
 * @typedef {object} ImageReport
 * @property {string} name
 * @property {number} regions_in
 * @property {number} regions_out
 * @property {string} lossy what is not exact and why; empty when everything is
 * @property {string} [note]
 * @property {boolean} [damaged] its picture is missing because the server's file is lost or damaged
 *
 * @typedef {object} Report
 * @property {number} exported images in the archive
 * @property {number} omitted images that were left out
 * @property {number} regions_in
 * @property {number} regions_out
 * @property {number} lossy images that are not exact
 * @property {number} [damaged] images with lost or damaged files
 * @property {number} [guesses] images whose labels are a guess that nobody has accepted
 * @property {number} [guesses_left_out]
 * @property {ImageReport[]} images the first of them
 * @property {{name: string, why: string, damaged?: boolean}[]} skipped
 *
 * @typedef {object} ExportStatus
 * @property {string} id
 * @property {'waiting' | 'running' | 'done' | 'failed'} status
 * @property {number} images_done
 * @property {number} images_total
 * @property {string} [problem]
 * @property {number} [bytes]
 * @property {Report} [report]
 */

/**
 * How an export is followed; wait and pause as in Patience.
 *
 * @typedef {{progress: (status: ExportStatus) => void} & import('../ui/patience.js').Patience} Way
 */

/** Milliseconds between two requests for the state of an export, at first and at most. */
const SOON = 150;
const LATER = 1500;

/**
 * Starts an export and waits for its end, also while the server can't be reached:
 * after a restart it goes on with the export.
 *
 * @param {string} project
 * @param {string} format
 * @param {object} options
 * @param {Way} way
 * @param {AbortSignal} signal cancels the export
 * @returns {Promise<ExportStatus | null>} done or failed; null when it was cancelled and nothing is left of it
 */
export async function runExport(project, format, options, way, signal) {
  const { id } = await call('POST', `/api/v1/projects/${encodeURIComponent(project)}/exports`, { format, options });
  const address = `/api/v1/exports/${encodeURIComponent(id)}`;
  const stop = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  /** @param {number} milliseconds */
  const pause = async (milliseconds) => void (await Promise.race([way.pause(milliseconds), stop]));
  /** @returns {Promise<ExportStatus | null>} null when it was cancelled */
  const ask = async () => (signal.aborted ? null : call('GET', address));
  for (let wait = SOON; ; wait = Math.min(wait * 1.3, LATER)) {
    const status = await insist(ask, { wait: way.wait, pause });
    if (!status || signal.aborted) return cancelled(address);
    way.progress(status);
    if (status.status === 'done' || status.status === 'failed') return status;
    await pause(wait);
  }
}

/** @param {string} address of an export @returns {Promise<null>} */
async function cancelled(address) {
  try {
    await call('DELETE', address);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error; // else it is gone already
  }
  return null;
}

/**
 * What to ask before an export of a project; empty where there is nothing to ask.
 *
 * @param {readonly {id: string, status: string, guess_only: boolean, seq: number, review?: {status: string, seq: number}}[]} images
 * @param {string[]} chosen ids of the images to export, all when empty
 * @returns {{drafts: string, approved: string, guesses: string}}
 */
export function questions(images, chosen) {
  const exported = images.filter(({ id }) => chosen.length === 0 || chosen.includes(id));
  const drafts = chosen.length > 0 ? 0 : exported.filter(({ status }) => status !== 'done').length;
  const approved = exported.filter(({ seq, review }) => review?.status === 'approved' && seq <= review.seq).length;
  const guesses = exported.filter((image) => image.guess_only).length;
  return {
    approved: approved === 0 || approved === exported.length ? '' : `${approved} of ${counted(exported.length, 'image')} ${approved === 1 ? 'is' : 'are'} approved and unchanged since.`,
    drafts: drafts === 0 ? '' : `${drafts} of ${counted(exported.length, 'image')} ${drafts === 1 ? 'is' : 'are'} unfinished. Undecided parts have no label in the export.`,
    guesses: guesses === 0 ? '' : `${counted(guesses, 'image has only a guess', 'images have only a guess')} that nobody has accepted: the project’s, imported scores or a copy of another image. ${guesses > 1 ? 'They are' : 'It is'} exported without labels unless you tick the box.`,
  };
}

/**
 * The split that the fields of the dialog describe.
 *
 * @param {(name: string) => string} valueOf the value of a field
 */
export function splitOf(valueOf) {
  const by = valueOf('split');
  if (by !== 'share') return by ? { by } : undefined;
  const [train, val, test, seed] = ['train', 'val', 'test', 'seed'].map((name) => Number(valueOf(name)));
  return { by, train, val, test, seed };
}

/** @param {string} id */
export function fileOf(id) {
  return `/api/v1/exports/${encodeURIComponent(id)}/file`;
}

/**
 * What an export is doing.
 *
 * @param {ExportStatus} status
 */
export function progressText(status) {
  if (status.status === 'waiting') return 'Waiting for other exports to finish.';
  if (status.images_total === 0) return 'Starting.';
  return `${status.images_done} of ${counted(status.images_total, 'image')}`;
}

/**
 * The report in one line.
 *
 * @param {ExportStatus} status of an export that is done
 */
export function resultText({ report, bytes = 0 }) {
  if (!report) return '';
  const { damaged = 0 } = report;
  const exact = report.lossy === 0 ? 'nothing lost' : `${counted(report.lossy, 'image')} not exact`;
  const kept = damaged > 0 ? `${counted(damaged, 'image')} with lost or damaged files` : exact;
  const empty = report.regions_in === 0 && report.lossy === 0 && damaged === 0;
  const labels = empty ? 'nothing labelled' : `${report.regions_out} of ${counted(report.regions_in, 'region')}, ${kept}`;
  const skipped = report.omitted > 0 ? `, ${report.omitted} skipped` : '';
  const { guesses = 0, guesses_left_out: left = 0 } = report;
  const guessed = guesses > 0 ? `, ${counted(guesses, 'guess', 'guesses')} nobody has accepted` : left > 0 ? `, ${counted(left, 'guess', 'guesses')} left out` : '';
  return `${counted(report.exported, 'image')}${skipped}${guessed}, ${labels}. ${size(bytes)}.`;
}

/**
 * Remarks about single images: what is not exact and what was skipped, damage first.
 *
 * @param {Report} report
 * @param {number} [most] lines
 */
export function losses(report, most = 100) {
  const remarks = [
    ...report.images.flatMap((im) => [im.lossy, im.note ?? ''].filter(Boolean).map((text) => ({ name: im.name, text, damaged: im.damaged ?? false }))),
    ...report.skipped.map((im) => ({ name: im.name, text: `skipped. ${im.why}`, damaged: im.damaged ?? false })),
  ];
  const lines = grouped(remarks.toSorted((a, b) => Number(b.damaged) - Number(a.damaged)));
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), `${lines.length - most} more are listed in manifest.json in the download.`];
}

/** How many images can share a remark before it has one line for all of them. */
const ALIKE = 3;

/**
 * Remarks as lines, those that many images share as one.
 *
 * @param {readonly {name: string, text: string}[]} remarks
 */
function grouped(remarks) {
  /** @type {Map<string, number>} */
  const shared = new Map();
  for (const { text } of remarks) shared.set(text, (shared.get(text) ?? 0) + 1);
  const lines = remarks.map(({ name, text }) => {
    const many = shared.get(text) ?? 0;
    return many > ALIKE ? `${many} images: ${text}` : `${name}: ${text}`;
  });
  return [...new Set(lines)];
}

/** @param {number} bytes */
function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
