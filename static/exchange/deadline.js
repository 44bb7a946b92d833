/** Milliseconds that an answer may take; twice as long each time, so that what a slow network takes long for arrives. */
const LONGEST = 15_000;

/**
 * Tells when no answer comes to what was sent. A network that vanishes closes no
 * connection for many minutes.
 */
export class Deadline {
  /** @param {() => void} missed */
  constructor(missed) {
    this.missed = missed;
    /** What waits for an answer, or "". */
    this.awaited = '';
    /** How often none came since the last that did. */
    this.times = 0;
    this.timer = 0;
  }

  /** @param {string} id of what waits for an answer now, or "" */
  expect(id) {
    if (id === this.awaited) return;
    clearTimeout(this.timer);
    this.awaited = id;
    if (id === '') return;
    this.timer = window.setTimeout(() => {
      this.times++;
      this.missed();
    }, LONGEST * 2 ** this.times);
  }

  /** An answer has come. */
  met() {
    this.times = 0;
    this.expect('');
  }
}
