/**
 * @typedef {object} Handlers
 * @property {() => object} greeting the first message of a connection
 * @property {(message: import('../evidence/protocol.js').ServerMessage) => void} message
 * @property {(buffer: ArrayBuffer) => void} binary
 * @property {(open: boolean) => void} change
 * @property {() => Promise<import('./post.js').Fate>} ask what has become of the image; browsers don't say why a socket was refused
 */

const SHORTEST = 400;
const LONGEST = 15_000;

/** Milliseconds after which an attempt that gets no answer is given up; browsers wait for minutes. */
const PATIENCE = 20_000;

/** Attempts in a row that fail while the server answers before something must be in the way; it may have restarted meanwhile. */
const CERTAIN = 3;

/**
 * Milliseconds to wait before the next attempt: doubling, with full jitter
 * above a floor, so that many pages do not come back in step.
 *
 * @param {number} attempt from 0
 * @param {number} random 0..1
 */
export function backoff(attempt, random) {
  const ceiling = Math.min(LONGEST, SHORTEST * 2 ** attempt);
  return SHORTEST / 2 + random * (ceiling - SHORTEST / 2);
}

/** Close codes with a meaning for us: the connection is lost; the server restarts; the session has ended; we can do more or less than before; the image is not for us any more; it is in the trash. */
const LOST = 1006;
const RESTART = 1012;
const SIGNED_OUT = 4401;
const ROLE_CHANGED = 4403;
const REMOVED = 4404;
const TRASHED = 4410;

/**
 * The attempt to go on from when a connection has ended. When all pages lose
 * theirs at once, they come back over a few seconds rather than at once.
 *
 * @param {number} attempt
 * @param {number} code of the close frame
 */
export function after(attempt, code) {
  return code === RESTART ? Math.max(attempt, 3) : attempt;
}

/** A websocket that reconnects. */
export class Link {
  /**
   * @param {string} path
   * @param {Handlers} handlers
   */
  constructor(path, handlers) {
    this.url = new URL(path, location.href);
    this.url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    this.handlers = handlers;
    this.attempt = 0;
    this.open = false;
    /** The server wants a login before it lets us back. */
    this.signedOut = false;
    /** The image is in the trash; attempts go on, because it can come back. */
    this.trashed = false;
    /** The server answers, but connections don't get through, as with a proxy that is not set up for websockets. */
    this.blocked = false;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.timer = 0;
    addEventListener('online', () => this.retry());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.retry();
    });
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    this.timer = window.setTimeout(() => this.abandon(), PATIENCE);
    socket.onopen = () => {
      clearTimeout(this.timer);
      this.attempt = 0;
      this.open = true;
      this.signedOut = false;
      this.trashed = false;
      this.blocked = false;
      socket.send(JSON.stringify(this.handlers.greeting()));
      this.handlers.change(true);
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.handlers.message(JSON.parse(data));
      else this.handlers.binary(data);
    };
    socket.onclose = ({ code }) => void this.closed(code);
  }

  /** @param {number} code */
  async closed(code) {
    clearTimeout(this.timer);
    const refused = !this.open;
    this.open = false;
    if (code === REMOVED || code === ROLE_CHANGED) location.reload(); // which says that the page is not for us any more, or offers what we can do now
    this.trashed ||= code === TRASHED;
    this.attempt = after(this.attempt, code);
    this.handlers.change(false);
    this.timer = window.setTimeout(() => this.connect(), backoff(this.attempt++, Math.random()));
    if (refused || code === SIGNED_OUT) {
      const fate = code === SIGNED_OUT ? 'signed-out' : await this.handlers.ask();
      if (!this.open) this.meet(fate);
    }
  }

  /** Gives up a connection that brings no answers any more, without waiting for the other side to close it. */
  lose() {
    if (this.open) this.abandon();
  }

  abandon() {
    if (!this.socket) return;
    this.socket.onmessage = this.socket.onclose = () => {};
    this.socket.close();
    void this.closed(LOST);
  }

  /** Tries at once when waiting for the next attempt. */
  retry() {
    if (this.socket?.readyState === WebSocket.CLOSED) {
      this.attempt = 0;
      this.connect();
    }
  }

  /** The image can't be reached, or can again. @param {import('./post.js').Fate} fate */
  meet(fate) {
    if (fate === 'removed' && !this.trashed) location.reload(); // as when the page is told while connected
    this.signedOut = fate === 'signed-out';
    this.trashed ||= fate === 'trashed';
    this.blocked = fate === 'there' && this.attempt >= CERTAIN;
    this.handlers.change(false);
  }

  /** Ends the connection to an image that can't be reached any more. @param {import('./post.js').Fate} fate */
  leave(fate) {
    this.trashed ||= fate === 'trashed';
    this.socket?.close(); // the next attempt finds out about the rest
  }

  /**
   * @param {object} message
   * @returns {boolean} whether there was a connection to send it on
   */
  send(message) {
    if (!this.open) return false;
    this.socket?.send(JSON.stringify(message));
    return true;
  }
}
