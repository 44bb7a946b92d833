import { ask, problemOf } from '../ui/api.js';

/** Milliseconds that an answer about the image may take. Browsers have few connections, and those that wait would keep others from them. */
const PATIENCE = 10_000;

/** Milliseconds that storing an event may take, longer than the server receives one. A network that vanishes ends no request for many minutes. */
const LONGEST = 60_000;

/**
 * @typedef {import('../evidence/protocol.js').EvidenceEvent} EvidenceEvent
 * @typedef {import('../evidence/protocol.js').AckMessage} AckMessage
 * @typedef {import('../evidence/protocol.js').RejectMessage} RejectMessage
 */

/**
 * Sends an event by HTTP and answers as the socket would.
 *
 * @param {string} address
 * @param {EvidenceEvent} event
 * @returns {Promise<AckMessage | RejectMessage | null>} null when there was no answer
 */
export async function postEvent(address, event) {
  try {
    const response = await ask(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(event),
      signal: AbortSignal.timeout(LONGEST),
    });
    return answerOf(event, response.status, await response.text());
  } catch {
    return null;
  }
}

/**
 * What has become of an image that can't be reached; '' when nobody answers.
 *
 * @typedef {'' | 'there' | 'signed-out' | 'trashed' | 'removed'} Fate
 *
 * @param {string} image address
 * @param {string} project address
 * @param {boolean} member whether the person needs a role in the project; without one the server knows neither
 * @returns {Promise<Fate>}
 */
export async function fateOf(image, project, member) {
  const status = await statusOf(image);
  if (status === 200) return 'there';
  if (status === 401) return 'signed-out';
  if (status !== 404) return '';
  return member && (await statusOf(project)) === 404 ? 'removed' : 'trashed';
}

/** @param {string} address @returns {Promise<number>} the HTTP status, 0 without an answer */
async function statusOf(address) {
  try {
    return (await fetch(address, { mode: 'same-origin', credentials: 'same-origin', cache: 'no-store', signal: AbortSignal.timeout(PATIENCE) })).status;
  } catch {
    return 0;
  }
}

/**
 * @param {EvidenceEvent} event
 * @param {number} status
 * @param {string} body
 * @returns {AckMessage | RejectMessage}
 */
export function answerOf(event, status, body) {
  const { id } = event;
  if (status === 200) return { type: 'ack', id, seq: JSON.parse(body).seq };
  const { detail } = problemOf(body, status);
  if ([401, 408, 429].includes(status) || status >= 500) return { type: 'reject', id, reason: 'unavailable', detail, seq: 0 };
  if (status !== 409) return { type: 'reject', id, reason: 'invalid', detail, seq: 0 };
  const { seq } = JSON.parse(body);
  const reason = seq === event.expected_seq && event.map ? 'map' : 'stale';
  return { type: 'reject', id, reason, detail, seq };
}
