import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hatched, marked, PATTERNS, shaded, striped } from './patterns.js';

/** @param {number} pattern */
const drawing = (pattern) => Array.from({ length: 64 }, (_, i) => (marked(pattern, i % 8, i >> 3) ? '#' : '.')).join('');

test('the patterns differ from each other, and all but the first from plain colour', () => {
  const drawings = Array.from({ length: PATTERNS }, (_, i) => drawing(i));
  assert.equal(new Set(drawings).size, PATTERNS);
  assert.ok(!drawings[0].includes('#'));
  for (const d of drawings.slice(1)) {
    const share = d.replaceAll('.', '').length / 64;
    assert.ok(share >= 0.2 && share <= 0.6, d);
  }
});

test('patterns repeat every 8 steps, also where x - y is negative', () => {
  for (let p = 0; p < PATTERNS; p++) for (let x = 0; x < 8; x++) for (let y = 0; y < 8; y++) assert.equal(marked(p, x, y), marked(p, x + 8, y + 16));
});

test('a shade keeps the opacity and is clearly darker or lighter', () => {
  assert.equal(shaded(0xffffffff), 0xff7f7f7f);
  assert.equal(shaded(0xff000000), 0xff7f7f7f);
});

test('a run of pixels gets the marks of its place, whichever runs it is written in', () => {
  const write = striped(1, 90);
  assert.ok(write);
  const [whole, parts] = [new Uint32Array(90), new Uint32Array(90)];
  write(whole, 0xffffffff, 0, 90, 0, 5);
  write(parts, 0xffffffff, 0, 33, 0, 5);
  write(parts, 0xffffffff, 33, 57, 33, 5);
  assert.deepEqual(parts, whole);
  assert.ok(whole.includes(0) && whole.includes(0xff7f7f7f));
  assert.equal(striped(8, 90), null, 'every eighth class is plain');
});

test('the hatch writes thin lines that go on in the next row and picture', () => {
  const row = (x, y, length = 40) => {
    const pixels = new Uint32Array(length).fill(0xff203040);
    hatched(0xff203040, 600)(pixels, 0, length, x, y);
    return [...pixels].map((p) => Number(p !== 0xff203040)).join('');
  };
  assert.equal(row(0, 0), '100000'.repeat(7).slice(0, 40));
  assert.equal(row(1, 1), row(0, 0));
  assert.equal(row(3, 0), '000100'.repeat(7).slice(0, 40));
  assert.equal(row(0, 7), row(5, 0));
});
