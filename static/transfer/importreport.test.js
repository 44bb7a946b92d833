import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remarks, resultText, reviewText } from './importreport.js';

const report = {
  classes_added: ['road', 'sky'],
  values: [],
  images: [
    { mask: 'a.png', image: 'x', lossy: ['a shape has no area'] },
    { mask: 'b.png', problem: 'No image in the project has this name.' },
    { mask: 'c.png', image: 'y', added: true },
    { mask: 'd.NPZ', image: 'z' },
  ],
};

test('the report of an import in one line', () => {
  assert.equal(resultText(report), '2 masks and 1 first guess imported, 1 skipped. 1 image added. Classes added: road, sky.');
  assert.equal(resultText({ ...report, classes_added: ['sky'], images: report.images.slice(3) }), '1 first guess imported. Class added: sky.');
  assert.equal(resultText({ ...report, classes_added: [], images: report.images.slice(1, 2) }), '0 masks imported, 1 skipped.');
});

test('what was not imported is named, then what is not exact, up to a number', () => {
  assert.deepEqual(remarks(report), ['b.png: skipped. No image in the project has this name.', 'a.png: a shape has no area']);
  assert.deepEqual(remarks(report, 1), ['b.png: skipped. No image in the project has this name.', '1 more like these.']);
});

test('labels that are replaced and images without a shape are told before and after', () => {
  const images = [{ mask: 'a.jpg', replaces: true }, { mask: 'b.jpg', replaces: true, empty: true }, { mask: 'c.jpg', empty: true, problem: 'No.' }, { mask: 'd.jpg' }];
  const text = 'The labels of 2 images are replaced; undo brings them back. 1 image without a shape: all pixels are outside every shape.';
  assert.equal(reviewText({ ...report, images }), `3 masks can be imported, 1 can’t. ${text} Nothing has been stored yet.`);
  assert.equal(resultText({ classes_added: [], values: [], images }), `3 masks imported, 1 skipped. ${text}`);
  assert.deepEqual(remarks({ ...report, images }), ['c.jpg: skipped. No.', 'b.jpg: no shape', 'a.jpg: replaces labels', 'b.jpg: replaces labels']);
  assert.deepEqual(remarks({ ...report, images: images.slice(0, 1) }), []); // the line above says it of all
});

test('what an import would do, in one line', () => {
  assert.equal(reviewText(report), '2 masks and 1 first guess can be imported, 1 can’t. 1 image will be added. Nothing has been stored yet.');
  assert.deepEqual(remarks({ ...report, images: [{ mask: 'd.npz', columns: ['road', 'sky'] }] }), ['d.npz: columns are road, sky']);
  const embedded = { mask: 'e.npz', image: 'z', embedded: '37×28 embeddings of 384 numbers' };
  assert.deepEqual(remarks({ ...report, images: [embedded] }), ['e.npz: 37×28 embeddings of 384 numbers']);
  assert.equal(reviewText({ ...report, images: [embedded] }), '1 grid of embeddings can be imported. Nothing has been stored yet.');
  assert.equal(reviewText({ ...report, images: [...report.images.slice(3), embedded, embedded] }), '1 first guess and 2 grids of embeddings can be imported. Nothing has been stored yet.');
});
