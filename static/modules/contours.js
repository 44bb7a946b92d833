import { VOID } from './protocol.js';

/**
 * The lines between different classes, kept per tile of the image: only tiles
 * in which a class has changed are made again.
 */
export class Contours {
  /** @param {import('./lines.js').Lines} lines */
  constructor(lines) {
    this.lines = lines;
    this.labels = new Uint8Array(0);
    /** @type {import('./lines.js').Detail | -1} */
    this.detail = -1;
    /** @type {(import('./lines.js').Drawing | null)[]} */
    this.drawings = lines.tiles.map(() => null);
  }

  /**
   * @param {Uint8Array} labels
   * @param {import('./lines.js').Detail} detail
   * @returns {import('./lines.js').Drawing[]} one per tile
   */
  update(labels, detail) {
    if (detail !== this.detail || labels.length !== this.labels.length) {
      this.detail = detail;
      this.labels = new Uint8Array(labels.length).fill(VOID);
      this.drawings.fill(null);
    }
    for (let s = 0; s < labels.length; s++) {
      if (labels[s] === this.labels[s]) continue;
      this.labels[s] = labels[s];
      for (const tile of this.lines.tilesOf.get(s) ?? []) this.drawings[tile] = null;
    }
    return this.drawings.map((known, tile) => (this.drawings[tile] = known ?? this.lines.between(tile, labels, detail)));
  }
}
