/** What an application/problem+json body says, as an error for a person. */
export class Problem extends Error {
  /**
   * @param {string} title
   * @param {string} detail
   * @param {Record<string, any>} [fields] all that the answer says
   */
  constructor(title, detail, fields = {}) {
    super(detail || title);
    this.title = title;
    this.detail = detail;
    this.fields = fields;
    /** HTTP status; 0 when no answer came, NaN when the problem is not about an answer */
    this.status = Number(fields.status ?? Number.NaN);
  }
}

/**
 * Reads a problem from the body of any answer.
 *
 * @param {string} body
 * @param {number} status
 * @returns {Problem}
 */
export function problemOf(body, status) {
  try {
    const fields = JSON.parse(body);
    const { title, detail } = fields;
    if (typeof title === 'string') return new Problem(title, typeof detail === 'string' ? detail : '', fields);
  } catch {
    // Not from Collie; perhaps from a proxy on the way.
  }
  return new Problem('The server could not do that', `It answered with status ${status}. Try again in a moment.`, { status });
}

/** What to tell a person about an error. @param {unknown} error */
export function textOf(error) {
  if (!(error instanceof Problem)) return String(error);
  return error.status === 0 ? `${error.title}. ${error.detail}` : error.detail || error.title; // the detail of an answer says what happened
}

/** The problem of an answer that never came. */
export function unreachable() {
  return new Problem('The server can’t be reached', 'Check that Collie is running, then try again.', { status: 0 });
}

/** How often a server that has too much to do is asked again before the person is told. */
const TRIES = 3;

/** Seconds to wait for such a server: at least, and at most, whatever it says. */
const WAITS = [1, 10];

/**
 * Asks the server, again after the time in Retry-After when it has too much to do.
 * Of what it refused so nothing was done. Throws a Problem when no answer comes.
 *
 * @param {string} address
 * @param {RequestInit} [wish]
 * @returns {Promise<Response>}
 */
export async function ask(address, wish) {
  for (let tries = 0; ; tries++) {
    /** @type {Response} */
    let response;
    try {
      response = await fetch(address, wish);
    } catch {
      throw unreachable();
    }
    if (response.status !== 429 || tries === TRIES) return response;
    await response.body?.cancel();
    const seconds = Math.min(WAITS[1], Math.max(WAITS[0], Number(response.headers.get('Retry-After')) || 0));
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds * (1 + Math.random() / 2))); // so that many pages don't come back in step
  }
}

/**
 * What the body of an answer holds; throws a Problem when the connection breaks before its end.
 *
 * @template T
 * @param {Promise<T>} body being read
 * @returns {Promise<T>}
 */
export function received(body) {
  return body.catch(() => {
    throw unreachable();
  });
}

/**
 * Calls the server and returns the decoded answer; throws a Problem otherwise.
 *
 * @param {'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} method
 * @param {string} path
 * @param {object} [body] a form, or what is sent as JSON
 * @returns {Promise<any>}
 */
export async function call(method, path, body) {
  const response = await ask(path, {
    method,
    ...(body instanceof FormData ? { body } : body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await received(response.text());
  if (!response.ok) throw problemOf(text, response.status);
  return text ? JSON.parse(text) : null;
}

/**
 * Fetches what is not JSON; throws a Problem on failure.
 *
 * @param {string} address
 */
export async function get(address) {
  const response = await ask(address);
  if (!response.ok) throw problemOf(await received(response.text()), response.status);
  return response;
}
