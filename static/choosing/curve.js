import { recalled, remember, TAB } from '../ui/memory.js';

/**
 * The share of the image on which the hypotheses disagree after each step, as a
 * small curve: the area that the most frequent classes leave to others.
 *
 * @typedef {{seq: number, wrong: number}} Step
 */

/** How many steps are kept. */
const MOST = 200;

/** The smallest share of the image that the top of the curve can mean, so that little doubt looks small. */
const LEAST_TOP = 0.02;

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

/** Where the tab has the curve of the image that was open last; all of them would fill its storage in a few weeks. */
const KEPT = 'collie-curve';

/** @param {string} image @param {readonly Step[]} steps */
export function keepSteps(image, steps) {
  remember(KEPT, JSON.stringify({ image, steps }), TAB);
}

/** The steps of an image that has been opened again. @param {string} image @returns {Step[]} */
export function stepsOf(image) {
  try {
    const kept = JSON.parse(recalled(KEPT, '{}', TAB));
    return kept.image === image ? kept.steps : [];
  } catch {
    return []; // the curve starts again
  }
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
  const top = Math.max(...steps.map(({ wrong }) => wrong), LEAST_TOP);
  return steps
    .map(({ wrong }, i) => `${round((steps.length === 1 ? 1 : i / (steps.length - 1)) * width)},${round(height - (wrong / top) * height)}`)
    .join(' ');
}

/**
 * Whether the curve says something of what is shown: there are cards, even if
 * those for the last click are still to come, and several classes in play.
 *
 * @param {readonly Step[]} steps
 * @param {Pick<import('../evidence/hypotheses.js').Hypotheses, 'cards' | 'classes'>} hypotheses
 */
export function telling(steps, { cards, classes }) {
  return steps.length > 0 && cards.length > 0 && classes > 1;
}

/**
 * The last value of the curve, in words. It doesn't say when to stop: the strip
 * looks for hypotheses that differ, and how much they do says little about how
 * good the first is (docs/page.md).
 *
 * @param {number} wrong share of the image
 */
export function verdict(wrong) {
  if (wrong === 0) return 'all agree';
  return `disagree on ${wrong < 0.001 ? '< 0.1' : (wrong * 100).toFixed(wrong < 0.01 ? 1 : 0)} %`;
}

/** @param {number} x */
function round(x) {
  return Math.round(x * 10) / 10;
}
