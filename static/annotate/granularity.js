import { byId } from '../ui/dom.js';
import { counted } from '../ui/numbers.js';

/** @typedef {import('../evidence/evidence.js').Granularity} Granularity */

/** Milliseconds without a move before new superpixels are requested. */
const CALM = 250;

/** The fewest superpixels that can be requested. */
const COARSEST = 10;

/**
 * The granularities to choose from: each step has √2 times as many superpixels
 * as the one before, up to the finest.
 *
 * @param {number} finest
 * @returns {number[]} ascending
 */
export function steps(finest) {
  const found = [finest];
  for (let i = 1; Math.round(finest / Math.SQRT2 ** i) >= COARSEST; i++) found.unshift(Math.round(finest / Math.SQRT2 ** i));
  return found;
}

/**
 * The place of the step nearest to a number of superpixels, in proportion.
 *
 * @param {readonly number[]} steps
 * @param {number} regions
 */
export function nearest(steps, regions) {
  const off = steps.map((n) => Math.abs(Math.log(n / regions)));
  return off.indexOf(Math.min(...off));
}

/**
 * The granularity in words.
 *
 * @param {Granularity} granularity
 */
export function inWords({ regions, split }) {
  return `${counted(regions, 'superpixel')}${split > 0 ? `, ${split} divided between classes` : ''}`;
}

/** The slider from coarser to finer superpixels. A quick series of moves counts as one. */
export class GranularityControl {
  /** @param {(regions: number) => void} ask for so many superpixels */
  constructor(ask) {
    this.ask = ask;
    this.slider = /** @type {HTMLInputElement} */ (byId('granularity'));
    /** @type {number[]} */
    this.steps = [];
    this.present = 0;
    /** @type {Granularity | null} */
    this.shown = null;
    this.timer = 0;
    this.slider.addEventListener('input', () => this.move(Number(this.slider.value)));
  }

  /**
   * Shows the current granularity, unless the person is moving the slider or
   * another one has been requested.
   *
   * @param {Granularity} granularity
   * @param {number | undefined} asked superpixels that are on their way
   */
  update(granularity, asked) {
    if (granularity.finest !== this.steps.at(-1)) {
      this.steps = steps(granularity.finest);
      this.slider.max = String(this.steps.length - 1);
      this.slider.disabled = this.steps.length < 2;
    }
    this.shown = granularity;
    if (this.timer) return;
    this.present = nearest(this.steps, asked ?? granularity.wanted);
    this.slider.value = String(this.present);
    this.tell(asked ? `${counted(asked, 'superpixel')} wanted` : inWords(granularity), asked ?? granularity.regions);
  }

  /** @param {string} text @param {number} regions */
  tell(text, regions) {
    if (this.slider.getAttribute('aria-valuetext') !== text) this.slider.setAttribute('aria-valuetext', text);
    byId('granularity-value').textContent = String(regions);
  }

  /** @param {number} by steps */
  step(by) {
    if (!this.slider.disabled) this.move(Number(this.slider.value) + by);
  }

  /** @param {number} place */
  move(place) {
    place = Math.min(this.steps.length - 1, Math.max(0, place));
    this.slider.value = String(place);
    this.tell(`${counted(this.steps[place], 'superpixel')} wanted`, this.steps[place]);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      if (place !== this.present) this.ask(this.steps[place]);
      else if (this.shown) this.update(this.shown, undefined);
    }, CALM);
  }
}
