/**
 * @typedef {import('../evidence/hypotheses.js').Card} Card
 * @typedef {import('../evidence/hypotheses.js').Hypotheses} Hypotheses
 * @typedef {{card: Card, place: number}} Chosen
 */

/**
 * Which hypothesis the canvas shows as a preview: the one under the pointer in
 * the strip, else the selected one. Independent of the page.
 */
export class Choice {
  constructor() {
    /** @type {Chosen | null} */
    this.selected = null;
    /** @type {Chosen | null} */
    this.hovered = null;
    /**
     * Whether to select the first hypothesis of the next run. Null
     * selects it unless a labelling has been accepted.
     *
     * @type {boolean | null}
     */
    this.follow = null;
  }

  /** The hypothesis that the person has chosen to look at, rather than the page; or null. */
  get chosen() {
    return this.follow === false ? this.selected : null;
  }

  get shown() {
    return this.hovered ?? this.selected;
  }

  /**
   * A hypothesis has arrived.
   *
   * @param {Card} card
   * @param {number} place
   * @param {boolean} follow whether the first is selected by itself
   */
  placed(card, place, follow) {
    if (place === 0 && follow) this.selected = { card, place };
    else if (this.selected?.card.digest === card.digest) this.selected = { card, place };
    if (this.hovered?.place === place) this.hovered = { card, place };
  }

  /**
   * The run has ended: cards that it has not replaced are removed.
   *
   * @param {Hypotheses} hypotheses
   */
  finished(hypotheses) {
    if (this.selected?.card.stale) this.selected = null;
    if (this.hovered && this.hovered.place >= hypotheses.cards.length) this.hovered = null;
  }

  /**
   * Selects a place, or nothing with -1.
   *
   * @param {Hypotheses} hypotheses
   * @param {number} place
   */
  select(hypotheses, place) {
    const card = hypotheses.cards[place];
    this.selected = card ? { card, place } : null;
    this.follow = false;
  }

  /** Selects a labelling that is not among the cards. @param {Card} card */
  offer(card) {
    this.selected = { card, place: -1 };
    this.hovered = null;
    this.follow = false;
  }

  /**
   * @param {Hypotheses} hypotheses
   * @param {number} place or -1
   */
  hover(hypotheses, place) {
    const card = hypotheses.cards[place];
    this.hovered = card ? { card, place } : null;
  }

  /**
   * The place next to the selected one, among the visible cards.
   *
   * @param {Hypotheses} hypotheses
   * @param {1 | -1} step
   * @param {(place: number) => boolean} [seen]
   */
  beside(hypotheses, step, seen = () => true) {
    const places = [...hypotheses.cards.keys()].filter((p) => seen(p) || p === this.selected?.place);
    const at = this.selected ? places.indexOf(this.selected.place) : step > 0 ? -1 : places.length;
    return places[Math.max(0, Math.min(places.length - 1, at + step))] ?? -1;
  }
}
