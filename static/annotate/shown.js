import { VOID } from '../evidence/protocol.js';
import { painted, pixelsOf, repairAt } from '../evidence/repairs.js';

/**
 * What is to be seen on the canvas now: the labelling, the preview, or what the
 * click that is being made will lead to, with the stroke that is going on or the
 * region that is proposed.
 *
 * @param {import('./app.js').App} app
 * @returns {{labels: Uint8Array, clicks: Uint8Array, repairs: import('../evidence/repairs.js').Repairs}}
 */
export function composed(app) {
  const { draft, proposal } = app;
  const preview = app.choice.shown;
  let { labels, clicks } = app;
  const whole = app.session.supposed ?? preview?.card.labels;
  if (whole) labels = whole.map((l, s) => (clicks[s] === VOID ? l : clicks[s]));
  let { repairs } = app.session.evidence.present;
  if (draft) {
    const { mode, superpixels, runs } = draft;
    const value = mode === 'clear' ? VOID : app.classes.current.id;
    labels = labels.slice();
    clicks = clicks.slice();
    for (const s of superpixels) labels[s] = clicks[s] = value;
    if (runs) repairs = painted(repairs, runs, value);
    else if (repairs.length > 0) repairs = painted(repairs, pixelsOf(app.painter.map, superpixels), -1);
  } else if (proposal.superpixels.length > 0) {
    labels = labels.slice();
    for (const s of proposal.superpixels) labels[s] = proposal.label;
  }
  return { labels, clicks, repairs };
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
  return repair < 0 ? overlay.labels[s] : repair;
}
