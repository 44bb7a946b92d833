const HEADER = 40;

/**
 * Decodes a binary frame of the socket: one hypothesis. The labels alias the
 * buffer.
 *
 * @param {ArrayBuffer} buffer
 * @returns {import('./protocol.js').HypothesisFrame}
 */
export function decodeHypothesis(buffer) {
  if (buffer.byteLength < HEADER) {
    throw new Error(`A hypothesis frame of ${buffer.byteLength} bytes is shorter than its header of ${HEADER}.`);
  }
  const view = new DataView(buffer);
  const version = view.getUint8(0);
  if (version !== 1) throw new Error(`A hypothesis frame has version ${version}; this page knows version 1.`);
  const n = view.getUint32(16, true);
  if (n !== buffer.byteLength - HEADER) {
    throw new Error(`A hypothesis frame says ${n} superpixels and holds ${buffer.byteLength - HEADER}.`);
  }
  return {
    run: view.getUint32(4, true),
    seq: view.getUint32(8, true),
    rank: view.getUint32(12, true),
    energy: view.getFloat64(24, true),
    digest: hex(new Uint8Array(buffer, 32, 8)),
    labels: new Uint8Array(buffer, HEADER, n),
  };
}

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
function hex(bytes) {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}

/**
 * Decodes standard base64.
 *
 * @param {string} text
 * @returns {Uint8Array}
 */
export function decodeBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
