import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Area, inside, sweep } from './area.js';

/** Draws what a shape visits. */
function drawn(width, height, shape) {
  const area = new Area(width, height);
  shape((y, from, to) => area.add(y, from, to));
  return area;
}
const picture = (area) => {
  const cells = new Uint8Array(area.width * area.height);
  const runs = area.runs();
  for (let i = 0; i < runs.length; i += 2) cells.fill(1, runs[i], runs[i] + runs[i + 1]);
  return Array.from({ length: area.height }, (_, y) => [...cells.subarray(y * area.width, (y + 1) * area.width)].map((c) => '.#'[c]).join(''));
};

test('parts of rows are joined', () => {
  const area = new Area(10, 2);
  for (const [y, from, to] of [[0, 4, 6], [0, 1, 2], [0, 8, 12], [0, 2, 4], [0, 5, 9], [1, -3, 1], [1, 3, 3], [2, 0, 5], [-1, 0, 5]]) area.add(y, from, to);
  assert.deepEqual(area.rows, [[1, 10], [0, 1]]);
  assert.deepEqual(area.runs(), [1, 10]);
});

test('a brush is round, and a stroke is all that it passes over', () => {
  assert.deepEqual(picture(drawn(7, 5, (v) => sweep([3.5, 2.5], [3.5, 2.5], 2, v))), ['...#...', '..###..', '.#####.', '..###..', '...#...']);
  // Every pixel by its distance from the way.
  for (const [a, b, r] of [[[3, 4], [20, 9], 2.6], [[20.5, 12], [6, 1.25], 4], [[10, 2], [10, 12], 1.5], [[2, 7], [22, 7], 3], [[5, 5], [5, 5], 1]]) {
    const got = picture(drawn(25, 15, (v) => sweep(a, b, r, v)));
    for (let y = 0; y < 15; y++) {
      for (let x = 0; x < 25; x++) {
        const [px, py] = [x + 0.5 - a[0], y + 0.5 - a[1]];
        const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
        const t = Math.max(0, Math.min(1, (px * dx + py * dy) / (dx * dx + dy * dy || 1)));
        const d = Math.hypot(px - t * dx, py - t * dy);
        if (Math.abs(d - r) > 1e-9) assert.equal(got[y][x], d < r ? '#' : '.', `${x},${y} of ${a} ${b} ${r}`);
      }
    }
  }
});

test('the finest brush leaves no gaps', () => {
  const got = picture(drawn(8, 8, (v) => sweep([0.1, 0.1], [7.9, 7.9], 0.5, v)));
  for (let i = 0; i < 8; i++) assert.equal(got[i][i], '#');
});

test('a polygon holds the pixels whose centres it holds', () => {
  assert.deepEqual(picture(drawn(6, 4, (v) => inside([[1, 1], [5, 1], [5, 3], [1, 3]], v))), ['......', '.####.', '.####.', '......']);
  assert.deepEqual(picture(drawn(6, 4, (v) => inside([[0, 0], [6, 0], [0, 4]], v))), ['#####.', '####..', '##....', '#.....']);
  const bow = picture(drawn(8, 4, (v) => inside([[0, 0], [8, 4], [8, 0], [0, 4]], v)));
  assert.deepEqual(bow, ['#......#', '###..###', '###..###', '#......#']);
});

test('neighbouring polygons share no pixel and leave none out', () => {
  const corners = [[0, 0], [9.3, 0], [17, 0], [17, 11], [6.1, 11], [0, 11]];
  const middle = [7.77, 5.21];
  const count = new Uint8Array(17 * 11);
  corners.forEach((corner, i) => {
    inside([corner, corners[(i + 1) % corners.length], middle], (y, from, to) => {
      for (let x = from; x < to; x++) count[y * 17 + x]++;
    });
  });
  assert.ok(count.every((c) => c === 1));
});

test('superpixels are covered by half', () => {
  // Two rows: 0 0 1 1 / 2 2 2 1
  const map = { n: 3, width: 4, first: Uint32Array.of(0, 1, 3, 4), start: Uint32Array.of(0, 2, 7, 4), length: Uint32Array.of(2, 2, 1, 3) };
  const area = new Area(4, 2);
  area.add(0, 1, 3);
  assert.deepEqual(area.covered(map), [0]);
  area.add(1, 1, 4);
  assert.deepEqual(area.covered(map), [0, 1, 2]);
});
