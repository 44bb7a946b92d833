import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../ui/api.js';
import { importAll, remaining, together } from './imports.js';

const file = (/** @type {string} */ name, lastModified = 1) => new File(['four'], name, { lastModified });

/** A server that answers the first sendings with the given statuses. */
function server(/** @type {number[]} */ ...statuses) {
  /** @type {string[]} */
  const log = [];
  return {
    log,
    send: async (/** @type {File} */ { name }) => {
      const status = statuses.shift() ?? 200;
      log.push(`${name} ${status}`);
      if (status !== 200) throw new Problem('No', `not ${name}`, { status });
      return { classes_added: [`of ${name}`], values: [], images: [{ mask: name, image: 'x' }] };
    },
    progress: (/** @type {number} */ done, /** @type {number} */ share) => void log.push(`${done} done, ${share}`),
    wait: (/** @type {Problem} */ { status }, /** @type {number} */ seconds) => void log.push(`${status}: ${seconds} s`),
    pause: async (/** @type {number} */ ms) => void log.push(`paused ${ms}`),
  };
}

test('files are imported one after the other, and what is wrong with one keeps none back', async () => {
  const s = server(200, 422);
  const report = await importAll([file('a.png'), file('b.png'), file('c.png')], s);
  assert.deepEqual(report.images.map((im) => [im.mask, im.problem]), [['a.png', undefined], ['b.png', 'not b.png'], ['c.png', undefined]]);
  assert.deepEqual(report.classes_added, ['of a.png', 'of c.png']);
});

test('numbers of objects are not sent as classes', async () => {
  const s = server();
  const report = await importAll([file('voc/SegmentationClass/a.png'), file('voc/SegmentationObject/a.png')], s);
  assert.deepEqual(report.images.map((im) => im.problem), [undefined, 'Its values are objects, not classes. Put the folder that has SegmentationObject and SegmentationClass in a zip archive and choose that.']);
  assert.deepEqual(s.log.filter((line) => / \d{3}$/.test(line)), ['voc/SegmentationClass/a.png 200']);
});

test('a server that has too much to do, or is away, is waited for', async () => {
  const s = server(429, 503, 0);
  const report = await importAll([file('a.zip')], s);
  assert.deepEqual(report.images.map((im) => im.problem), [undefined]);
  assert.deepEqual(s.log, [
    '0 done, 0', 'a.zip 429', '429: 1 s', 'paused 1000',
    '0 done, 0', 'a.zip 503', '503: 2 s', 'paused 2000',
    '0 done, 0', 'a.zip 0', '0: 4 s', 'paused 4000',
    '0 done, 0', 'a.zip 200',
  ]);
});

test('a server that stays busy is given up, and the next file is tried', async () => {
  const s = server(...Array(11).fill(429));
  const report = await importAll([file('a.zip'), file('b.zip')], s);
  assert.deepEqual(report.images.map((im) => im.problem), ['not a.zip', undefined]);
  assert.equal(s.log.filter((line) => line.startsWith('a.zip')).length, 11);
});

test('files that are dropped to others are there once, and go when they are imported', () => {
  const all = together([file('a.png'), file('b.png')], [file('b.png'), file('b.png', 2), file('c.png')]);
  assert.deepEqual(all.map((f) => f.name), ['a.png', 'b.png', 'b.png', 'c.png']);
  assert.deepEqual(remaining(all, [file('a.png'), file('b.png')]).map((f) => [f.name, f.lastModified]), [['b.png', 2], ['c.png', 1]]);
});
