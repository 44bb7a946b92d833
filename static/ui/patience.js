import { Problem } from './api.js';

/**
 * How long a page retries what the server can't take at the moment.
 *
 * @typedef {object} Patience
 * @property {(problem: Problem, seconds: number) => void} wait called before each pause
 * @property {(milliseconds: number) => Promise<void>} pause
 */

/** Temporary statuses: the server can't be reached, is busy, or has no room. */
const PASSING = [0, 429, 502, 503, 504];

/** Seconds to wait before the next try; the last one repeats. */
const WAITS = [1, 2, 4, 8, 15, 30];

/** How often a busy server is asked the same thing; one that can't be reached is asked for ever. */
const TRIES = 10;

/**
 * Sends something, again and again while the reason why it can't be taken may pass.
 *
 * @template T
 * @param {() => Promise<T>} send
 * @param {Patience} patience
 * @param {() => Promise<T | undefined>} [arrived] checks after each pause whether only the answer was lost
 * @returns {Promise<T>}
 */
export async function insist(send, { wait, pause }, arrived) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof Problem) || !PASSING.includes(error.status)) throw error;
      if (error.status !== 0 && attempt >= TRIES) throw error;
      const seconds = WAITS[Math.min(attempt, WAITS.length - 1)];
      wait(error, seconds);
      await pause(1000 * seconds);
      const there = await arrived?.();
      if (there) return there;
    }
  }
}

/**
 * What a page says while it waits.
 *
 * @param {Problem} problem
 * @param {number} seconds until the next try
 */
export function waitText({ title }, seconds) {
  return `${title}. Trying again in ${seconds}\u00a0s.`;
}

/**
 * Waits, but not longer than until the machine is online again or the page is looked at again.
 *
 * @param {number} milliseconds
 * @returns {Promise<void>}
 */
export function pause(milliseconds) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      document.removeEventListener('visibilitychange', seen);
      resolve();
    };
    const seen = () => {
      if (document.visibilityState === 'visible') done();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener('online', done);
    document.addEventListener('visibilitychange', seen);
  });
}
