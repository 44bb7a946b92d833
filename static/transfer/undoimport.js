import { newID } from '../evidence/protocol.js';
import { Problem, textOf } from '../ui/api.js';
import { grouped } from '../ui/grouped.js';
import { counted } from '../ui/numbers.js';
import { insist } from '../ui/patience.js';

/**
 * Takes an import back. The network and the clock are given to it.
 *
 * @typedef {import('./importreport.js').Imported} Imported
 *
 * @typedef {object} Way
 * @property {(image: string, event: {id: string, kind: 'undo', expected_seq: number}) => Promise<{seq: number}>} send stores an event of an image, and returns the number of events after it
 * @property {(done: number) => void} progress images that are done
 * @property {(problem: Problem, seconds: number) => void} wait called before each pause
 * @property {(milliseconds: number) => Promise<void>} pause
 *
 * @typedef {object} Outcome
 * @property {number} undone number of images
 * @property {Imported[]} kept a step for each image that isn't as before, with the problem
 */

/** What an import stored, by image. @param {readonly Imported[]} images of its report */
export function stepsOf(images) {
  return grouped(images.filter((im) => im.seq), (im) => im.image ?? '');
}

/**
 * Undoes the import's steps on each image, the last one first, unless the image has been
 * changed since.
 *
 * @param {ReadonlyMap<string, readonly Imported[]>} stored
 * @param {Way} way
 * @returns {Promise<Outcome>}
 */
export async function undoImport(stored, way) {
  /** @type {Outcome} */
  const outcome = { undone: 0, kept: [] };
  for (const [image, steps] of stored) {
    way.progress(outcome.undone + outcome.kept.length);
    const kept = await undoSteps(image, steps, way);
    if (kept) outcome.kept.push(kept);
    else outcome.undone++;
  }
  return outcome;
}

/**
 * Undoes all steps of an import on one image, or returns the one that stays.
 *
 * @param {string} image
 * @param {readonly Imported[]} steps
 * @param {Way} way
 */
async function undoSteps(image, steps, way) {
  const last = steps[steps.length - 1];
  let seq = last.seq ?? 0;
  if (steps.some((step, i) => i > 0 && step.seq !== (steps[i - 1].seq ?? 0) + 1)) return { ...last, problem: 'It was changed during the import.' };
  for (const step of steps.toReversed()) {
    const event = /** @type {const} */ ({ id: newID(), kind: 'undo', expected_seq: seq });
    try {
      ({ seq } = await insist(() => way.send(image, event), way)); // which stores it once
    } catch (error) {
      const changed = error instanceof Problem && error.status === 409;
      return { ...step, problem: changed ? 'It has been changed since.' : textOf(error) };
    }
  }
  return null;
}

/** Why images stay as they are, a line for each. @param {Outcome} outcome */
export function keptLines({ kept }) {
  return kept.map(({ mask, problem }) => `${mask}: not undone. ${problem}`);
}

/** What became of it, in one line. @param {Outcome} outcome @param {ReadonlyMap<string, readonly Imported[]>} stored */
export function undoneText({ undone, kept }, stored) {
  const added = [...stored.values()].filter((steps) => steps.some((im) => im.added)).length;
  return [
    undone > 0 ? `Undone on ${counted(undone, 'image')}.` : '',
    kept.length > 0 ? `Not undone on ${counted(kept.length, 'image')}.` : '',
    added > 0 ? `${added === 1 ? 'The image that came with it stays' : `The ${added} images that came with it stay`} in the project.` : '',
  ].filter(Boolean).join(' ');
}
