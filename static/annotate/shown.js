import { VOID } from '../evidence/protocol.js';
import { HATCHED, painted, pixelsOf, repairAt } from '../evidence/repairs.js';

/**
 * @typedef {object} Scene what there is to show
 * @property {{labels: Uint8Array, clicks: Uint8Array, repairs: import('../evidence/repairs.js').Repairs}} present the labelling
 * @property {Uint8Array | undefined} whole labels of a hypothesis shown in its place
 * @property {import('../tools/strokes.js').Drawn | null} draft the stroke in progress
 * @property {number} label class of that stroke
 * @property {{superpixels: readonly number[], label: number}} proposal what a region would become
 * @property {import('../superpixels/idmap.js').IdMap} map
 * @property {import('../evidence/division.js').Division} division
 */

/**
 * Whether two scenes without a stroke are made of the same parts, so that they look
 * the same.
 *
 * @param {Scene} a
 * @param {Scene | null} b
 */
export function alike(a, b) {
  const keys = /** @type {(keyof Scene)[]} */ (Object.keys(a));
  return b !== null && keys.every((key) => a[key] === b[key]);
}

/**
 * What the canvas shows: the labelling or a hypothesis, with the stroke in
 * progress or the proposed region on it. O(superpixels).
 *
 * @param {Scene} scene
 * @returns {{labels: Uint8Array, clicks: Uint8Array, repairs: import('../evidence/repairs.js').Repairs, picked: Uint8Array}}
 */
export function composed({ present, whole, draft, label, proposal, map, division }) {
  let { labels, clicks, repairs } = present;
  if (whole) labels = division.fitted(whole).map((l, s) => (clicks[s] === VOID ? l : clicks[s]));
  if (draft && draft.mode !== 'exclude' && !draft.box) {
    const { mode, superpixels, runs } = draft;
    const value = mode === 'clear' ? VOID : label;
    labels = labels.slice();
    clicks = clicks.slice();
    for (const s of division.numbers(superpixels)) [labels[s], clicks[s]] = [value, VOID];
    for (const s of superpixels) clicks[s] = value;
    if (runs) repairs = painted(repairs, runs, value);
    else if (repairs.length > 0) repairs = painted(repairs, pixelsOf(map, superpixels), -1);
  } else if (proposal.superpixels.length > 0) {
    labels = labels.slice();
    for (const s of proposal.superpixels) labels[s] = proposal.label;
  }
  return { labels, clicks, repairs, picked: pickedOf(present, labels, clicks, division) };
}

/**
 * What was accepted and not clicked, as far as it is shown: 1 for each of these
 * superpixels and parts.
 *
 * @param {{labels: Uint8Array, clicks: Uint8Array}} present
 * @param {Uint8Array} labels that are shown
 * @param {Uint8Array} clicks
 * @param {import('../evidence/division.js').Division} division
 */
export function pickedOf(present, labels, clicks, division) {
  const picked = new Uint8Array(labels.length);
  for (let s = 0; s < picked.length; s++) {
    const label = present.labels[s];
    if (label !== VOID && labels[s] === label && present.clicks[s] === VOID && clicks[s] === VOID) picked[s] = 1;
  }
  for (const base of division.clicked(clicks)) {
    const all = division.numbers([base]);
    if (all.every((s) => labels[s] === labels[base])) for (const s of all) picked[s] = 0; // its click labels all of it
  }
  return picked;
}

/**
 * The class that a pixel is shown in; VOID for none.
 *
 * @param {import('../canvas/overlay.js').Overlay} overlay
 * @param {import('../superpixels/idmap.js').IdMap} map
 * @param {number} s the superpixel there
 * @param {[number, number]} point of the image
 */
export function labelAt(overlay, map, s, [x, y]) {
  const repair = repairAt(overlay.source, Math.floor(y) * map.fullWidth + Math.floor(x));
  return repair < 0 ? overlay.labels[s] : repair % HATCHED;
}
