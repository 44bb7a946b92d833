import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchors, at, decode, enlarged, passed, shown } from './idmap.js';

/** Encodes rows of ids as superpixels.bin. @param {number[][]} rows @param {number} n */
function encode(rows, n) {
  const bytes = [0x43, 0x53, 0x50, 0x4d, 1, 0, 0, 0];
  const u32 = (v) => bytes.push(v & 255, (v >> 8) & 255, (v >> 16) & 255, v >>> 24);
  const leb = (v) => {
    while (v > 127) {
      bytes.push((v & 127) | 128);
      v >>>= 7;
    }
    bytes.push(v);
  };
  u32(rows[0].length);
  u32(rows.length);
  u32(n);
  for (const row of rows) {
    for (let x = 0; x < row.length; ) {
      const start = x;
      while (x < row.length && row[x] === row[start]) x++;
      leb(row[start]);
      leb(x - start);
    }
  }
  return Uint8Array.from(bytes).buffer;
}

const rows = [
  [0, 0, 1, 1, 1, 1],
  [0, 2, 2, 2, 1, 1],
  [0, 0, 2, 2, 300, 300],
  [0, 0, 0, 2, 300, 300],
];

test('at full size every pixel keeps its superpixel', () => {
  const map = decode(encode(rows, 301), 6, 4);
  assert.deepEqual([...map.ids], rows.flat());
  assert.deepEqual([map.area[0], map.area[1], map.area[2], map.area[300]], [8, 6, 6, 4]);
});

test('a smaller map samples the pixel in the middle and keeps the full areas', () => {
  const map = decode(encode(rows, 301), 3, 2);
  assert.deepEqual([...map.ids], [2, 2, 1, 0, 2, 300]);
  assert.equal(map.area[0], 8);
});

test('the runs of a superpixel are exactly its pixels', () => {
  const map = decode(encode(rows, 301), 6, 4);
  const rebuilt = new Array(24).fill(-1);
  for (let s = 0; s < map.n; s++) {
    for (let r = map.first[s]; r < map.first[s + 1]; r++) rebuilt.fill(s, map.start[r], map.start[r] + map.length[r]);
  }
  assert.deepEqual(rebuilt, rows.flat());
});

test('points are found, and outside there is nothing', () => {
  const map = decode(encode(rows, 301), 6, 4);
  assert.equal(at(map, 1.9, 1.1), 2);
  assert.equal(at(map, 5.99, 3.99), 300);
  for (const [x, y] of [[-0.1, 0], [6, 0], [0, 4], [NaN, 0]]) assert.equal(at(map, x, y), -1);
});

test('the point that is sent lies in the superpixel that is shown', () => {
  const map = decode(encode(rows, 301), 4, 3);
  for (let y = 0.05; y < 4; y += 0.3) {
    for (let x = 0.05; x < 6; x += 0.3) {
      const [px, py] = shown(map, x, y);
      assert.equal(rows[Math.floor(py)][Math.floor(px)], at(map, x, y), `at ${x}, ${y}`);
    }
  }
});

test('anchors lie inside their superpixels', () => {
  const map = decode(encode(rows, 301), 6, 4);
  const points = anchors(map);
  for (const s of [0, 1, 2, 300]) assert.equal(at(map, points[s * 2], points[s * 2 + 1]), s);
});

test('a quick stroke passes every superpixel on its way', () => {
  const map = decode(encode(rows, 301), 6, 4);
  assert.deepEqual(passed(map, [0.5, 2.5], [5.5, 2.5]).map((p) => p.superpixel), [0, 2, 300]);
  assert.deepEqual(passed(map, [-9, 0.5], [20, 0.5]).map((p) => p.superpixel), [0, 1]);
  assert.deepEqual(passed(map, [-9, -9], [-3, 20]), []);
});

test('broken maps are refused', () => {
  const good = new Uint8Array(encode(rows, 301));
  const change = (i, v) => good.map((b, k) => (k === i ? v : b)).buffer;
  assert.throws(() => decode(change(0, 0), 6, 4), /not a superpixel map/);
  assert.throws(() => decode(change(4, 9), 6, 4), /version 9/);
  assert.throws(() => decode(good.slice(0, -1).buffer, 6, 4), /too early/);
  assert.throws(() => decode(change(21, 9), 6, 4), /broken/);
  assert.throws(() => decode(encode(rows, 200), 6, 4), /broken/);
  assert.throws(() => decode(new ArrayBuffer(3), 6, 4), /not a superpixel map/);
});

test('a part is enlarged to what the map shows there', () => {
  const map = decode(encode(rows, 301), 4, 3);
  const part = enlarged(map, { left: 1, top: 1, right: 6, bottom: 4 });
  assert.deepEqual([part.n, part.width, part.height, part.fullWidth, part.fullHeight], [301, 5, 3, 5, 3]);
  part.ids.forEach((id, i) => assert.equal(id, at(map, 1.5 + (i % 5), 1.5 + Math.floor(i / 5))));
  for (let s = 0; s < part.n; s++) {
    for (let r = part.first[s]; r < part.first[s + 1]; r++) {
      for (let i = 0; i < part.length[r]; i++) assert.equal(part.ids[part.start[r] + i], s);
    }
  }
});
