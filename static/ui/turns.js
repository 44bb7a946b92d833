/** Milliseconds of work in one frame, so that the canvas does not wait. */
const SPELL = 4;

/** Frames to wait for what comes first, at most. */
const PATIENCE = 2;

/**
 * Shares work among frames: after what is painted in a frame, parts run in the order
 * in which they were last asked for until their time is used up, the rest after the
 * next one. A part that is asked for several times before its turn runs once.
 */
export class Turns {
  /** @param {() => boolean} busy whether something should come first that will be there in a frame or two */
  constructor(busy) {
    this.busy = busy;
    /** @type {Set<() => void>} */
    this.due = new Set();
    this.frame = 0;
  }

  /** @param {readonly (() => void)[]} parts of the work */
  ask(parts) {
    for (const part of parts) {
      this.due.delete(part); // it comes after those that are asked for before it now
      this.due.add(part);
    }
    this.frame ||= requestAnimationFrame(() => this.soon(PATIENCE));
  }

  /** @param {number} patience frames to wait at most */
  soon(patience) {
    setTimeout(() => {
      if (patience > 0 && this.busy()) {
        requestAnimationFrame(() => this.soon(patience - 1));
        return;
      }
      this.frame = 0;
      this.run();
    });
  }

  run() {
    const began = performance.now();
    try {
      for (const part of this.due) {
        this.due.delete(part);
        part();
        if (performance.now() - began > SPELL) break;
      }
    } finally {
      if (this.due.size > 0) this.ask([]); // also when a part has failed
    }
  }
}
