import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut, differences, fromRecords, NO_REPAIRS, painted, pixelsOf, repairAt, sampled } from './repairs.js';

const SIZE = 60;
/** The class of each pixel, -1 where nothing was repaired. */
const spread = (repairs) => {
  const pixels = new Int16Array(SIZE).fill(-1);
  for (let i = 0; i < repairs.length; i += 3) {
    assert.ok(repairs[i] < repairs[i + 1]);
    assert.ok(i === 0 || repairs[i] > repairs[i - 2] || (repairs[i] === repairs[i - 2] && repairs[i + 2] !== repairs[i - 1]), 'ascending and joined');
    pixels.fill(repairs[i + 2], repairs[i], repairs[i + 1]);
  }
  return pixels;
};
let seed = 1;
const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
const shape = () => {
  const runs = [];
  for (let at = random(9); at < SIZE - 10; at += 1 + random(12)) {
    const length = 1 + random(7);
    runs.push(at, length);
    at += length;
  }
  return runs;
};

test('painting, taking out and comparing, against pixels', () => {
  for (let round = 0; round < 60; round++) {
    let repairs = NO_REPAIRS;
    const pixels = new Int16Array(SIZE).fill(-1);
    for (let step = 0; step < 12; step++) {
      const runs = shape();
      const label = random(4) - 1;
      const before = repairs;
      repairs = painted(repairs, runs, label);
      for (let i = 0; i < runs.length; i += 2) pixels.fill(label, runs[i], runs[i] + runs[i + 1]);
      assert.deepEqual(spread(repairs), pixels);
      const follow = spread(before);
      differences(before, repairs, (start, end, now) => {
        assert.ok(end <= SIZE && follow.subarray(start, end).every((l) => l !== now), 'only what differs');
        follow.fill(now, start, end);
      });
      assert.deepEqual(follow, pixels);
      for (let p = 0; p < SIZE; p++) assert.equal(repairAt(repairs, p), pixels[p]);
    }
  }
});

test('records become one list', () => {
  assert.deepEqual([...fromRecords([{ class: 3, runs: [5, 2, 9, 1] }, { class: 255, runs: [7, 2] }, { class: 0, runs: [0, 4] }])],
    [0, 4, 0, 5, 7, 3, 7, 9, 255, 9, 10, 3]);
  assert.deepEqual([...fromRecords([{ class: 1, runs: [4, 4] }, { class: 1, runs: [8, 2] }])], [4, 10, 1]);
});

test('a smaller map shows the pixels that it samples', () => {
  const map = { width: 4, height: 3, fullWidth: 10, fullHeight: 6 };
  const repairs = fromRecords([{ class: 7, runs: [3, 19, 30, 6, 55, 5] }]);
  const full = spread(repairs);
  const small = new Int16Array(12).fill(-1);
  const got = sampled(repairs, map);
  for (let i = 0; i < got.length; i += 3) small.fill(got[i + 2], got[i], got[i + 1]);
  for (let y = 0; y < 3; y++) {
    for (let x = 0; x < 4; x++) {
      assert.equal(small[y * 4 + x], full[Math.floor(((y + 0.5) * 6) / 3) * 10 + Math.floor(((x + 0.5) * 10) / 4)], `${x}, ${y}`);
    }
  }
  const same = { width: 10, height: 6, fullWidth: 10, fullHeight: 6 };
  assert.equal(sampled(repairs, same), repairs);
});

test('the pixels of superpixels', () => {
  const map = {
    n: 2, width: 2, height: 2, fullWidth: 5, fullHeight: 4,
    first: Uint32Array.of(0, 1, 3), start: Uint32Array.of(0, 1, 2), length: Uint32Array.of(1, 1, 2),
  };
  assert.deepEqual(pixelsOf(map, [0]), [0, 3, 5, 3]);
  assert.deepEqual(pixelsOf(map, [1]), [3, 2, 8, 2, 10, 5, 15, 5]);
});

test('a part of the image has its own repairs', () => {
  const repairs = fromRecords([{ class: 7, runs: [3, 19, 30, 6, 55, 5] }, { class: 2, runs: [36, 3] }]);
  const full = spread(repairs);
  for (const part of [{ left: 0, top: 0, right: 10, bottom: 6 }, { left: 2, top: 1, right: 9, bottom: 5 }, { left: 4, top: 3, right: 5, bottom: 4 }]) {
    const width = part.right - part.left;
    const got = new Int16Array(width * (part.bottom - part.top)).fill(-1);
    const list = cut(repairs, 10, part);
    for (let i = 0; i < list.length; i += 3) got.fill(list[i + 2], list[i], list[i + 1]);
    got.forEach((label, i) => assert.equal(label, full[(part.top + Math.floor(i / width)) * 10 + part.left + (i % width)]));
  }
});
