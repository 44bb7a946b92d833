/**
 * The share of the image on which the hypotheses disagree after each step, as a
 * small curve: the area that the most frequent classes leave to others.
 *
 * @typedef {{seq: number, clicks: number, wrong: number}} Step
 */

/** Steps that are kept. */
const MOST = 200;

/** Share of the image below which it is time to stop. */
const DONE = 0.01;

/**
 * Adds a step, or replaces the one for the same state.
 *
 * @param {readonly Step[]} steps
 * @param {Step} step
 * @returns {Step[]} in the order they were made
 */
export function recorded(steps, step) {
  const others = steps.filter(({ seq }) => seq !== step.seq);
  return [...others, step].slice(-MOST);
}

/**
 * The curve as the points of an SVG polyline in a box.
 *
 * @param {readonly Step[]} steps
 * @param {number} width
 * @param {number} height
 * @returns {string}
 */
export function polyline(steps, width, height) {
  if (steps.length === 0) return '';
  const top = Math.max(...steps.map(({ wrong }) => wrong), 2 * DONE);
  return steps
    .map(({ wrong }, i) => `${round((steps.length === 1 ? 1 : i / (steps.length - 1)) * width)},${round(height - (wrong / top) * height)}`)
    .join(' ');
}

/**
 * The last value of the curve, in words.
 *
 * @param {number} wrong share of the image
 */
export function verdict(wrong) {
  if (wrong === 0) return 'all agree';
  const text = `disagree on ${wrong < 0.001 ? '< 0.1' : (wrong * 100).toFixed(wrong < DONE ? 1 : 0)} %`;
  return wrong < DONE ? `${text}: probably done` : text;
}

/** @param {number} x */
function round(x) {
  return Math.round(x * 10) / 10;
}
