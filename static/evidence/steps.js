import { VOID } from './protocol.js';
import { counted } from '../ui/numbers.js';

/**
 * The steps of an image's history.
 *
 * @typedef {object} LogEntry a stored event, see GET evidence with detail=summary
 * @property {number} seq
 * @property {string} kind
 * @property {number} [class] id
 * @property {number} [count] superpixels
 * @property {number} [number] of an object
 * @property {{class: number, pixels: number}[]} [repairs]
 * @property {{rank: number}} [hypothesis]
 * @property {number} [regions]
 * @property {number} [to]
 * @property {number} [learnt] of a guess, embedding or affinities: finished images that it, or its weight, was learned from; absent when it was removed
 * @property {boolean} [copied] of a guess: it is the labelling of another image
 * @property {boolean} [weighed] of an embedding: only its weight changed
 * @property {[number, number][]} [points] of a box
 * @property {string} [by]
 * @property {string} created
 *
 * @typedef {object} Step an event that changed something by itself
 * @property {number} seq
 * @property {string} kind
 * @property {number} label id of the class that it gave; -1 for none or several
 * @property {string} text what was done, for people
 * @property {boolean} named whether the text names the class
 * @property {string} by
 * @property {Date} created
 * @property {'stands' | 'undone' | 'left'} state left: undone, and then something else was done
 *
 * @typedef {object} History
 * @property {Step[]} steps in order
 * @property {number} present number of the last step that stands; 0 when none does
 */

/**
 * Reads a log as steps that stand, steps that can be redone and steps that were
 * left behind.
 *
 * @param {readonly LogEntry[]} log from the first event
 * @param {(id: number) => string} nameOf a class
 * @returns {History}
 */
export function historyOf(log, nameOf) {
  /** @type {Step[]} */
  const steps = [];
  /** @type {Step[]} */
  const done = [];
  /** @type {Step[]} */
  let undone = [];
  for (const entry of log) {
    if (entry.kind === 'undo') {
      const step = done.pop();
      if (!step) continue;
      step.state = 'undone';
      undone.push(step);
    } else if (entry.kind === 'redo') {
      const step = undone.pop();
      if (!step) continue;
      step.state = 'stands';
      done.push(step);
    } else {
      for (const step of undone) step.state = 'left';
      undone = [];
      const step = stepOf(entry, nameOf);
      steps.push(step);
      done.push(step);
    }
  }
  return { steps, present: done.at(-1)?.seq ?? 0 };
}

/** Kinds of steps whose text names the class. */
const NAMED = ['box', 'exclude', 'lock', 'unlock', 'instance'];

/** @param {LogEntry} entry @param {(id: number) => string} nameOf a class @returns {Step} */
function stepOf(entry, nameOf) {
  const { seq, kind, repairs = [], by = '', created } = entry;
  const label = entry.class ?? (repairs.length === 1 ? repairs[0].class : -1);
  return { seq, kind, label, text: textOf(entry, nameOf(label)), named: NAMED.includes(kind), by, created: new Date(created), state: 'stands' };
}

/** @param {LogEntry} entry @param {string} name of its class */
function textOf({ kind, count = 0, points = [], repairs = [], hypothesis, regions = 0, to = 0, learnt, copied = false, weighed = false, number = 0 }, name) {
  const pixels = repairs.reduce((sum, r) => sum + r.pixels, 0);
  const some = counted(count, 'superpixel');
  switch (kind) {
    case 'label': return `Labelled ${some}`;
    case 'clear': return `Cleared ${some}`;
    case 'accept': return `Accepted ${some} of ${(hypothesis?.rank ?? 0) < 0 ? 'another labelling' : `hypothesis ${(hypothesis?.rank ?? 0) + 1}`}`;
    case 'pixels': return `${repairs.every((r) => r.class === VOID) ? 'Erased' : 'Painted'} ${counted(pixels, 'pixel')}`;
    case 'box': return points.length > 0 ? `Box around ${name}` : `Removed the box around ${name}`;
    case 'exclude': return `Not ${name}: ${some}`;
    case 'lock': return `Locked ${name}`;
    case 'unlock': return `Unlocked ${name}`;
    case 'instance': return number > 0 ? `Separated ${name} ${number}` : `Joined ${name} again`;
    case 'granularity': return `Changed to ${counted(regions, 'superpixel')}`;
    case 'restore': return to === 0 ? 'Restored the start' : `Restored step ${to}`;
    case 'import': return 'Imported a mask';
    case 'guess':
      if (learnt === undefined) return 'Removed the guess';
      if (copied) return 'Copied from another image as a guess';
      return learnt > 0 ? `Guessed from ${counted(learnt, 'finished image')}` : 'Imported a first guess';
    case 'affinities':
      return learnt === undefined ? 'Removed what the project had learned about borders' : `Learned about borders from ${counted(learnt, 'finished image')}`;
    case 'embedding':
      if (learnt === undefined) return 'Removed the embeddings';
      return weighed ? `Weighted the embeddings from ${counted(learnt, 'finished image')}` : 'Imported embeddings';
  }
  return kind;
}
