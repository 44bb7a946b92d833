import { Problem, problemOf, unreachable } from './api.js';

/**
 * What went wrong when no answer came: browsers say no more when they can't read the
 * file, and then trying again is in vain.
 *
 * @param {Blob} file
 */
async function unanswered(file) {
  try {
    await (file.size > 0 ? file.slice(0, 1) : file).arrayBuffer(); // a file that is gone can have the size 0, and then its slices can be read
    return unreachable();
  } catch {
    return new Problem('The file can’t be read', 'It was changed, moved or deleted after you chose it. Choose it again.');
  }
}

/**
 * Sends a file in a form and returns the decoded answer; throws a Problem
 * otherwise.
 *
 * @param {string} address
 * @param {File} file
 * @param {(share: number) => void} [progress] of the sending; after 1 the server works
 * @param {Record<string, string>} [fields] other parts of the form
 * @returns {Promise<any>}
 */
export function sendFile(address, file, progress = () => {}, fields = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch can't tell how much has been sent
    request.open('POST', address);
    request.upload.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
    request.upload.onload = () => progress(1);
    request.onerror = async () => reject(await unanswered(file));
    request.onload = () => {
      if (request.status < 200 || request.status > 299) {
        reject(problemOf(request.responseText, request.status));
        return;
      }
      try {
        resolve(JSON.parse(request.responseText));
      } catch {
        reject(problemOf('', request.status));
      }
    };
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    if (/["/]/.test(file.name)) form.append('filename', file.name); // browsers write %22 for a quotation mark, and the server reads no folders there
    form.append('file', file, file.name);
    request.send(form);
  });
}
