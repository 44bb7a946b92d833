import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trace } from './borders.js';
import { adjacency, region, towards } from './graph.js';
import { simplify } from './simplify.js';

/** A map from text, a letter per superpixel. @param {string} text */
function mapOf(text) {
  const rows = text.trim().split(/\s+/);
  return { width: rows[0].length, height: rows.length, ids: rows.flatMap((r) => [...r].map((c) => c.charCodeAt(0) - 97)) };
}

/** All unit edges of the arcs, sorted. @param {ReturnType<typeof trace>} arcs */
function edges(arcs) {
  const found = [];
  for (const { a, b, exact } of arcs) {
    for (let i = 2; i < exact.length; i += 2) {
      const [x0, y0, x1, y1] = exact.slice(i - 2, i + 2);
      assert.ok((x0 === x1) !== (y0 === y1), 'a piece of an arc is axis-parallel and not empty');
      const steps = Math.abs(x1 - x0) + Math.abs(y1 - y0);
      for (let k = 0; k < steps; k++) {
        const from = [x0 + ((x1 - x0) * k) / steps, y0 + ((y1 - y0) * k) / steps];
        const to = [x0 + ((x1 - x0) * (k + 1)) / steps, y0 + ((y1 - y0) * (k + 1)) / steps];
        found.push(`${Math.min(a, b)}|${Math.max(a, b)} ${[from, to].sort((p, q) => p[0] - q[0] || p[1] - q[1])}`);
      }
    }
  }
  return found.sort();
}

/** The same by looking at every pair of pixels. @param {ReturnType<typeof mapOf>} map */
function expected({ width, height, ids }) {
  const id = (x, y) => (x < 0 || y < 0 || x >= width || y >= height ? -1 : ids[y * width + x]);
  const found = [];
  for (let y = 0; y <= height; y++) {
    for (let x = 0; x <= width; x++) {
      for (const [p, q, from, to] of [[id(x, y), id(x, y - 1), [x, y], [x + 1, y]], [id(x, y), id(x - 1, y), [x, y], [x, y + 1]]]) {
        if (p !== q) found.push(`${Math.min(p, q)}|${Math.max(p, q)} ${[from, to]}`);
      }
    }
  }
  return found.sort();
}

const maps = {
  'one pixel': 'a',
  halves: 'aabb aabb',
  island: 'aaaa abba aaaa',
  diagonal: 'ab ba',
  'three and a hole': 'aaab acab aaab bbbb',
  comb: 'abab abab bbbb ccbc',
};
for (const [name, text] of Object.entries(maps)) {
  test(`arcs cover every border once: ${name}`, () => assert.deepEqual(edges(trace(mapOf(text))), expected(mapOf(text))));
}

test('arcs cover every border once: random maps', () => {
  let state = 12345;
  const random = (n) => (state = (state * 1103515245 + 12345) & 0x7fffffff) % n;
  for (let round = 0; round < 60; round++) {
    const width = 1 + random(9);
    const height = 1 + random(9);
    const map = { width, height, ids: Array.from({ length: width * height }, () => random(1 + random(5))) };
    assert.deepEqual(edges(trace(map)), expected(map));
  }
});

test('neighbours touch along an edge', () => {
  const { first, to } = adjacency(trace(mapOf('aab acb ccb')), 3);
  assert.deepEqual([0, 1, 2].map((s) => [...to.slice(first[s], first[s + 1])]), [[1, 2], [0, 2], [0, 1]]);
});

test('a region ends where the superpixels no longer belong', () => {
  const graph = adjacency(trace(mapOf('abcde')), 5);
  const belongs = (s) => s !== 2;
  assert.deepEqual(region(graph, 0, belongs), [0, 1]);
  assert.deepEqual(region(graph, 4, belongs), [3, 4]);
  assert.deepEqual(region(graph, 2, belongs), []);
  assert.deepEqual(region(graph, -1, belongs), []);
});

test('arrow keys go to the neighbour on that side', () => {
  const graph = adjacency(trace(mapOf('abc dec fgc')), 7);
  const anchors = Float32Array.of(0.5, 0.5, 1.5, 0.5, 2.5, 1.5, 0.5, 1.5, 1.5, 1.5, 0.5, 2.5, 1.5, 2.5);
  const walk = (from, x, y) => towards(graph, anchors, from, [x, y]);
  assert.deepEqual([walk(4, 1, 0), walk(4, -1, 0), walk(4, 0, -1), walk(4, 0, 1)], [2, 3, 1, 6]);
  assert.equal(walk(2, 1, 0), 2, 'nothing further right');
});

test('a staircase becomes a line and corners stay', () => {
  const stairs = Float32Array.of(0, 0, 1, 0, 1, 1, 2, 1, 2, 2, 3, 2, 3, 3);
  assert.deepEqual([...simplify(stairs, 0.75)], [0, 0, 3, 3]);
  const corner = Float32Array.of(0, 0, 5, 0, 5, 5);
  assert.deepEqual([...simplify(corner, 0.75)], [...corner]);
  const ring = Float32Array.of(0, 0, 4, 0, 4, 4, 0, 4, 0, 0);
  assert.deepEqual([...simplify(ring, 0.75)], [...ring]);
});
