import { VOID } from './protocol.js';

/**
 * Which superpixels of the map clicks have divided. Those keep their numbers, for
 * their first part; the other parts, each a superpixel of the finest map, are
 * numbered after the last superpixel of the map. Labels and clicks are per number;
 * what the person does is about superpixels of the map. Immutable.
 */
export class Division {
  /**
   * @param {number} n superpixels of the map
   * @param {readonly number[]} [cells] superpixel of the finest map per part
   * @param {readonly number[]} [bases] superpixel of the map that each part is of
   */
  constructor(n, cells = [], bases = []) {
    this.n = n;
    this.cells = cells;
    this.bases = bases;
    this.size = n + cells.length;
    /** @type {Map<number, number[]>} the parts of each divided superpixel, without its first */
    this.parts = new Map();
    bases.forEach((s, i) => this.parts.set(s, [...(this.parts.get(s) ?? []), n + i]));
  }

  /** @param {readonly number[]} cells */
  has(cells) {
    return cells.length === this.cells.length && cells.every((cell, i) => cell === this.cells[i]);
  }

  /** The superpixel of the map that a number belongs to. @param {number} s */
  baseOf(s) {
    return s < this.n ? s : this.bases[s - this.n];
  }

  /** The numbers of superpixels of the map. @param {readonly number[]} superpixels @returns {number[]} */
  numbers(superpixels) {
    if (this.parts.size === 0) return [...superpixels];
    return superpixels.flatMap((s) => [s, ...(this.parts.get(s) ?? [])]);
  }

  /** Values per number that were made for another division; a part that they lack has its superpixel's. @param {Uint8Array} values @returns {Uint8Array} */
  fitted(values) {
    if (values.length === this.size) return values;
    const fitted = new Uint8Array(this.size);
    fitted.set(values.subarray(0, this.size));
    for (let s = values.length; s < this.size; s++) fitted[s] = values[this.baseOf(s)];
    return fitted;
  }

  /** The superpixels of the map with a click. @param {Uint8Array} clicks per number @returns {Set<number>} */
  clicked(clicks) {
    /** @type {Set<number>} */
    const found = new Set();
    clicks.forEach((label, s) => {
      if (label !== VOID) found.add(this.baseOf(s));
    });
    return found;
  }

  /** Whether nothing has a label but what was clicked. @param {{labels: Uint8Array, clicks: Uint8Array}} board */
  blank({ labels, clicks }) {
    const clicked = this.clicked(clicks);
    return labels.every((l, s) => l === VOID || clicked.has(this.baseOf(s)));
  }
}

/**
 * The graph of all numbers of a division: a part touches the others of its
 * superpixel and, near enough, whatever that touches.
 *
 * @param {import('../superpixels/graph.js').Graph} graph of the superpixels of the map
 * @param {Division} division
 * @returns {import('../superpixels/graph.js').Graph}
 */
export function divided(graph, division) {
  if (division.size === division.n) return graph;
  /** @type {number[]} */
  const to = [];
  const first = new Uint32Array(division.size + 1);
  for (let s = 0; s < division.size; s++) {
    const base = division.baseOf(s);
    const around = division.numbers([base, ...graph.to.subarray(graph.first[base], graph.first[base + 1])]);
    for (const neighbour of around) if (neighbour !== s) to.push(neighbour);
    first[s + 1] = to.length;
  }
  return { first, to: Uint32Array.from(to) };
}
