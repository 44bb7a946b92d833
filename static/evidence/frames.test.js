import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBase64, decodeHypothesis } from './frames.js';

// Written by hand from the table in docs/socket.md.
const frame = [
  1, 0, 0, 0, // version
  7, 0, 0, 0, // run
  2, 1, 0, 0, // seq 258
  3, 0, 0, 0, // rank
  4, 0, 0, 0, // N
  0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0xf8, 0xbf, // energy -1.5
  0x00, 0x01, 0x0a, 0xff, 0x7f, 0x80, 0xc0, 0xde, // digest
  0, 1, 254, 2, // labels
];

test('a hypothesis frame is read byte by byte', () => {
  const h = decodeHypothesis(Uint8Array.from(frame).buffer);
  assert.deepEqual({ ...h, labels: [...h.labels] }, { run: 7, seq: 258, rank: 3, energy: -1.5, digest: '00010aff7f80c0de', labels: [0, 1, 254, 2] });
});

test('broken frames are refused', () => {
  const broken = {
    short: frame.slice(0, 39),
    version: [2, ...frame.slice(1)],
    'too few labels': frame.slice(0, -1),
    'too many labels': [...frame, 0],
  };
  for (const [name, bytes] of Object.entries(broken)) {
    assert.throws(() => decodeHypothesis(Uint8Array.from(bytes).buffer), /hypothesis frame/, name);
  }
});

test('base64 gives bytes', () => assert.deepEqual([...decodeBase64('AAH+/w==')], [0, 1, 254, 255]));
