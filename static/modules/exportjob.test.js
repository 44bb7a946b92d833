import assert from 'node:assert/strict';
import { test } from 'node:test';
import { losses, progressText, resultText } from './exportjob.js';

/** @param {object} [changes] */
function report(changes = {}) {
  return {
    regions_in: 3,
    regions_out: 3,
    lossy: 0,
    images: [
      { name: 'a.jpg', regions_in: 2, regions_out: 2, lossy: '' },
      { name: 'b.jpg', regions_in: 1, regions_out: 1, lossy: '' },
    ],
    skipped: [],
    ...changes,
  };
}

/** @param {object} changes @returns {import('./exportjob.js').ExportStatus} */
const status = (changes) => ({ id: 'x', status: 'running', images_done: 0, images_total: 0, ...changes });

test('the progress of an export in words', () => {
  assert.equal(progressText(status({ status: 'waiting' })), 'Waiting for other exports.');
  assert.equal(progressText(status({})), 'Starting.');
  assert.equal(progressText(status({ images_done: 1, images_total: 3 })), '1 of 3 images');
});

test('the report of an export in one line', () => {
  assert.equal(resultText(status({ report: report(), bytes: 1234 })), '2 images, 3 of 3 regions, nothing was lost. 1 kB.');
  const lossy = report({ lossy: 1, regions_out: 1, skipped: [{ name: 'c.jpg', why: 'Not done.' }] });
  assert.equal(resultText(status({ report: lossy, bytes: 2_500_000 })), '2 images, 1 left out, 1 of 3 regions, 1 image not exact. 2.5 MB.');
});

test('every loss is named, up to a number', () => {
  const images = [{ name: 'a.jpg', regions_in: 2, regions_out: 1, lossy: 'A hole.', note: 'No file.' }];
  const all = report({ images, skipped: [{ name: 'c.jpg', why: 'Not done.' }] });
  assert.deepEqual(losses(all), ['a.jpg: A hole.', 'a.jpg: No file.', 'c.jpg: left out. Not done.']);
  assert.deepEqual(losses(all, 1), ['a.jpg: A hole.', '2 more are listed in manifest.json in the file.']);
});
