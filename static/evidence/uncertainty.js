/**
 * What a set of hypotheses says when each counts the same, as the samples of
 * Herding do. The same sums as herding/uncertainty.go; a fixture that both
 * sides read keeps them so.
 *
 * @typedef {{labels: Uint8Array, count: number}} Sample a hypothesis and how often it came out
 */

/** How much a range of areas is widened at either end, in widths. The same as choose.Wider. */
const WIDER = 0.2;

export class Uncertainty {
  /**
   * O(superpixels × samples).
   *
   * @param {readonly Sample[]} samples at least one
   * @param {ArrayLike<number>} area per superpixel, in any unit
   */
  constructor(samples, area) {
    this.samples = samples;
    this.area = area;
    this.n = area.length;
    /** How many hypotheses there are. */
    this.total = samples.reduce((sum, { count }) => sum + count, 0);
    const present = new Uint8Array(256); // by class
    for (const { labels } of samples) for (let i = 0; i < labels.length; i++) present[labels[i]] = 1;
    /** The classes in play, ascending. */
    this.classes = [...present.keys()].filter((c) => present[c] === 1);
    const k = this.classes.length;
    this.place = new Uint8Array(256);
    this.classes.forEach((c, i) => (this.place[c] = i));
    /** The share of the hypotheses per superpixel and class in play, row by row. */
    this.marginals = new Float64Array(this.n * k);
    for (const { labels, count } of samples) {
      for (let i = 0; i < this.n; i++) this.marginals[i * k + this.place[labels[i]]] += count;
    }
    for (let i = 0; i < this.marginals.length; i++) this.marginals[i] /= this.total;
    this.image = 0;
    for (let i = 0; i < this.n; i++) this.image += area[i];
  }

  /** The share of the image, 0..1, that the most likely classes are expected to get wrong. */
  get wrongArea() {
    const k = this.classes.length;
    let wrong = 0;
    for (let i = 0; i < this.n; i++) {
      let top = 0;
      for (let l = 0; l < k; l++) top = Math.max(top, this.marginals[i * k + l]);
      wrong += this.area[i] * (1 - top);
    }
    return wrong / this.image;
  }

  /**
   * The share of the image, 0..1, that each class in play probably has: what the
   * middle 80 % of the hypotheses give it, widened.
   *
   * @returns {{label: number, low: number, high: number}[]} in the order of classes
   */
  areas() {
    return this.classes.map((label) => {
      const covered = this.samples.flatMap(({ labels, count }) => {
        let area = 0;
        for (let i = 0; i < this.n; i++) if (labels[i] === label) area += this.area[i];
        return Array(count).fill(area / this.image);
      });
      covered.sort((a, b) => a - b);
      const cut = Math.floor(covered.length / 10);
      const [low, high] = [covered[cut], covered[covered.length - 1 - cut]];
      const more = WIDER * (high - low);
      return { label, low: Math.max(low - more, 0), high: Math.min(high + more, 1) };
    });
  }

  /** The entropy of every superpixel's class, in nats. */
  entropy() {
    const k = this.classes.length;
    const h = new Float64Array(this.n);
    for (let i = 0; i < this.n; i++) {
      for (let l = 0; l < k; l++) {
        const p = this.marginals[i * k + l];
        if (p > 0) h[i] -= p * Math.log(p);
      }
    }
    return h;
  }

  /**
   * The classes that the hypotheses give a superpixel, the most frequent first.
   *
   * @param {number} superpixel
   * @returns {{label: number, share: number, count: number}[]}
   */
  shares(superpixel) {
    const k = this.classes.length;
    return this.classes
      .map((label, l) => ({ label, share: this.marginals[superpixel * k + l], count: Math.round(this.marginals[superpixel * k + l] * this.total) }))
      .filter(({ share }) => share > 0)
      .sort((a, b) => b.share - a.share || a.label - b.label);
  }
}
