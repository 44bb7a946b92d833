/**
 * @typedef {object} Handlers
 * @property {() => object} greeting the first message of a connection
 * @property {(message: import('./protocol.js').ServerMessage) => void} message
 * @property {(buffer: ArrayBuffer) => void} binary
 * @property {(open: boolean) => void} change
 */

const SHORTEST = 400;
const LONGEST = 15_000;

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

/** A websocket that comes back. */
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
    socket.onopen = () => {
      this.attempt = 0;
      this.open = true;
      socket.send(JSON.stringify(this.handlers.greeting()));
      this.handlers.change(true);
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.handlers.message(JSON.parse(data));
      else this.handlers.binary(data);
    };
    socket.onclose = () => {
      this.open = false;
      this.handlers.change(false);
      this.timer = window.setTimeout(() => this.connect(), backoff(this.attempt++, Math.random()));
    };
  }

  /** Tries at once when waiting for the next attempt. */
  retry() {
    if (this.socket?.readyState === WebSocket.CLOSED) {
      this.attempt = 0;
      this.connect();
    }
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
