import { byId } from '../ui/dom.js';
import { counted } from '../ui/numbers.js';

/**
 * How much work the finished images took, in the order in which they were
 * finished: a chart with a table that says the same.
 *
 * @typedef {{name: string, actions: number, guessed: boolean}} Finished
 * @typedef {{label: string, actions: number, guessed: number, images: number}} Group actions are the mean
 */

/** Bars, and rows of the table, that there are at most. */
const MOST = 40;

/** Images at the beginning and the end that are compared. */
const ENDS = 5;

/** @param {readonly Finished[]} images */
const mean = (images) => images.reduce((sum, im) => sum + im.actions, 0) / Math.max(images.length, 1);

/** @param {number} actions */
const rounded = (actions) => Math.round(actions * 10) / 10;

/**
 * Puts images together until there are few enough groups.
 *
 * @param {readonly Finished[]} done
 * @param {number} [most] groups
 * @returns {Group[]}
 */
export function groups(done, most = MOST) {
  const size = Math.max(1, Math.ceil(done.length / most));
  /** @type {Group[]} */
  const out = [];
  for (let from = 0; from < done.length; from += size) {
    const images = done.slice(from, from + size);
    const label = size === 1 ? `${from + 1}. ${images[0].name}` : images.length === 1 ? String(from + 1) : `${from + 1} to ${from + images.length}`;
    out.push({ label, actions: mean(images), guessed: images.filter((im) => im.guessed).length, images: images.length });
  }
  return out;
}

/**
 * What the chart shows, in a sentence.
 *
 * @param {readonly Finished[]} done
 */
export function effortText(done) {
  if (done.length === 1) return `1 finished image, ${counted(done[0].actions, 'action')}.`;
  const all = `${counted(done.length, 'finished image')}, ${counted(rounded(mean(done)), 'action')} each.`;
  if (done.length < 2 * ENDS) return all;
  return `${all} The first ${ENDS} took ${counted(rounded(mean(done.slice(0, ENDS))), 'action')} each, the last ${ENDS} took ${rounded(mean(done.slice(-ENDS)))}.`;
}

/**
 * Those of finished images that people have worked on; the others were imported.
 *
 * @param {readonly Finished[]} done
 */
export const worked = (done) => done.filter((im) => im.actions > 0);

/** @param {readonly Finished[]} finished */
export function paintEffort(finished) {
  const done = worked(finished);
  const list = groups(done);
  const top = Math.max(1, ...list.map((g) => g.actions));
  byId('effort').hidden = list.length === 0;
  byId('effort-text').textContent = effortText(done);
  byId('effort-top').textContent = String(rounded(top));
  const chart = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (byId('effort-chart')));
  chart.setAttribute('viewBox', `0 0 ${Math.max(list.length, 10) * 10} 100`);
  chart.setAttribute('aria-label', `Actions per image. ${effortText(done)}`);
  chart.replaceChildren(...list.map((g, i) => bar(g, i, top)));
  byId('effort-rows').replaceChildren(...list.map(row));
}

/** @param {Group} group @param {number} place @param {number} top actions of the highest bar */
function bar({ actions, guessed, images }, place, top) {
  const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const height = Math.max(1, (actions / top) * 98);
  const guess = 2 * guessed >= images;
  for (const [name, value] of Object.entries({ x: place * 10 + 1.5, y: 99 - height, width: 7, height, class: guess ? 'guessed' : '' })) rect.setAttribute(name, String(value));
  return rect;
}

/** @param {Group} group */
function row({ label, actions, guessed, images }) {
  const tr = document.createElement('tr');
  const head = document.createElement('th');
  head.scope = 'row';
  head.textContent = label;
  const guess = images === 1 ? (guessed === 1 ? 'yes' : 'no') : `${guessed} of ${images}`;
  tr.append(head, ...[String(rounded(actions)), guess].map((text) => {
    const td = document.createElement('td');
    td.textContent = text;
    return td;
  }));
  return tr;
}
