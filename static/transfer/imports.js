import { textOf } from '../ui/api.js';
import { insist } from '../ui/patience.js';

/**
 * An import of many files. The network and the clock are given to it.
 *
 * @typedef {import('./importreport.js').ImportReport} ImportReport
 * @typedef {import('../ui/api.js').Problem} Problem
 *
 * @typedef {object} Way
 * @property {(file: File, progress: (share: number) => void) => Promise<ImportReport>} send
 * @property {(done: number, share: number) => void} progress files that are done, and how much of the next has been sent
 * @property {(problem: Problem, seconds: number) => void} wait called before each pause
 * @property {(milliseconds: number) => Promise<void>} pause
 */

/**
 * Sends the files one after the other. A problem with one goes into the report and
 * does not stop the others; while the server is busy it waits as uploads do. A
 * file that arrives twice, because only the answer was lost, adds a step to its
 * image's history and changes nothing.
 *
 * @param {readonly File[]} files
 * @param {Way} way
 * @returns {Promise<ImportReport>}
 */
export async function importAll(files, way) {
  /** @type {ImportReport} */
  const report = { classes_added: [], values: [], images: [] };
  for (const [i, file] of files.entries()) {
    if (/(^|\/)SegmentationObject\//.test(file.name)) {
      report.images.push({ mask: file.name, problem: 'Its values are objects, not classes. Put the folder that has SegmentationObject and SegmentationClass in a zip archive and choose that.' });
      continue;
    }
    const send = () => {
      way.progress(i, 0);
      return way.send(file, (share) => way.progress(i, share));
    };
    try {
      const answer = await insist(send, way);
      report.classes_added.push(...answer.classes_added);
      report.values.push(...answer.values);
      report.images.push(...answer.images.map((im) => ({ ...im, mask: im.mask || file.name })));
    } catch (error) {
      report.images.push({ mask: file.name, problem: textOf(error) });
    }
  }
  return report;
}

/**
 * Adds dropped files to others, each once.
 *
 * @param {readonly File[]} files
 * @param {readonly File[]} others
 */
export function together(files, others) {
  return [...new Map([...files, ...others].map((file) => [identity(file), file])).values()];
}

/**
 * Files without those that have been imported.
 *
 * @param {readonly File[]} files
 * @param {readonly File[]} done
 */
export function remaining(files, done) {
  const gone = new Set(done.map(identity));
  return files.filter((file) => !gone.has(identity(file)));
}

/** What tells files apart; a field gives other objects than it was given. @param {File} file */
function identity({ name, size, lastModified }) {
  return `${name}\n${size}\n${lastModified}`;
}
