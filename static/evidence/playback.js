import { restore, snapshot } from './board.js';
import { constrained } from './constraints.js';
import { VOID } from './protocol.js';
import { painted } from './repairs.js';

/**
 * @typedef {import('./board.js').Board} Board
 * @typedef {import('./division.js').Division} Division
 * @typedef {import('./protocol.js').EvidenceEvent} EvidenceEvent
 *
 * @typedef {object} Image what events are about
 * @property {Division} division
 * @property {import('./evidence.js').PixelsOf} pixelsOf
 */

/**
 * Plays an event. An undo or redo of a step that this page has not seen being
 * made shows once the server answers; so does another granularity or an older
 * state, and the undo of what was done before these.
 *
 * @param {Board} board
 * @param {Pick<import('./evidence.js').Pending, 'event' | 'taken'>} pending
 * @param {Image} image
 */
export function play(board, { event, taken }, { division, pixelsOf }) {
  const { kind } = event;
  if (kind === 'undo' || kind === 'redo') {
    const step = (kind === 'undo' ? board.done : board.undone).pop();
    if (!step) return;
    restore(board, step.superpixels, kind === 'undo' ? step.before : step.after);
    complete(board, step.superpixels, division);
    (kind === 'undo' ? board.undone : board.done).push(step);
    return;
  }
  if (kind === 'granularity' || kind === 'restore') {
    board.done = [];
    board.undone = [];
    return;
  }
  const superpixels = written(board, event, division);
  const before = snapshot(board, superpixels);
  const whole = taken && division.fitted(taken);
  if (event.fine) point(board, event, division);
  else for (const s of superpixels) {
    if (kind === 'label') board.clicks[s] = board.labels[s] = event.class ?? VOID;
    else if (kind === 'clear') board.clicks[s] = board.labels[s] = VOID;
    else if (board.clicks[s] === VOID && whole) board.labels[s] = whole[s];
  }
  for (const { class: label, runs } of event.repairs ?? []) board.repairs = painted(board.repairs, runs, label);
  if (board.repairs.length > 0 && (kind === 'label' || kind === 'clear')) board.repairs = painted(board.repairs, pixelsOf(superpixels.filter((s) => s < division.n)), -1);
  board.said = constrained(board.said, event, kind === 'exclude' ? event.superpixels ?? [] : superpixels);
  board.done.push({ superpixels, before, after: snapshot(board, superpixels) });
  board.undone = [];
}

/**
 * The superpixels that an event gives another label, or takes one from: not
 * those of a locked class.
 *
 * @param {Board} board
 * @param {Pick<EvidenceEvent, 'kind' | 'class' | 'superpixels'>} event
 * @param {Division} division
 * @returns {number[]}
 */
export function written({ labels, said }, { kind, class: label, superpixels }, division) {
  if (kind !== 'label' && kind !== 'clear' && kind !== 'accept') return [];
  let named = superpixels?.length ? superpixels : [...labels.keys()];
  if (kind !== 'accept') named = division.numbers(named);
  const { locked } = said;
  return locked.length === 0 ? named : named.filter((s) => !locked.includes(labels[s]) || (kind === 'label' && labels[s] === label));
}

/**
 * Gives parts that superpixels have been divided into since a step their labels.
 *
 * @param {Board} board
 * @param {readonly number[]} superpixels of the step
 * @param {Division} division
 */
function complete({ labels, clicks }, superpixels, division) {
  const known = new Set(superpixels);
  for (const s of division.numbers(superpixels.filter((p) => p < division.n))) {
    if (known.has(s)) continue;
    labels[s] = labels[division.baseOf(s)];
    clicks[s] = VOID;
  }
}

/**
 * Plays a click as far as the page knows: all of the superpixel has the class
 * unless it holds several labels already, or a click of another class. The state
 * from the server says what exactly was clicked.
 *
 * @param {Board} board
 * @param {Pick<EvidenceEvent, 'class' | 'superpixels'>} event
 * @param {Division} division
 */
function point({ labels, clicks }, { class: label = VOID, superpixels = [] }, division) {
  for (const base of superpixels) {
    const all = division.numbers([base]);
    const whole = all.every((s) => clicks[s] !== VOID);
    if (all.every((s) => labels[s] === labels[base] && (whole || clicks[s] === VOID || clicks[s] === label))) {
      for (const s of all) [labels[s], clicks[s]] = [label, VOID];
    }
    clicks[base] = label;
  }
}
