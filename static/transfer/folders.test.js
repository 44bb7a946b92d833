import assert from 'node:assert/strict';
import { test } from 'node:test';
import { droppedFiles, meant, photographs, shortened } from './folders.js';

/** @param {string} name */
const file = (name) => ({ isFile: true, isDirectory: false, name, file: (/** @type {(f: File) => void} */ give) => give(new File(['x'], name)) });

/** @param {string} name @param {any[]} inside */
const folder = (name, inside) => ({
  isFile: false, isDirectory: true, name,
  createReader() {
    const parts = [inside.slice(0, 1), inside.slice(1), []];
    return { readEntries: (/** @type {(e: any[]) => void} */ give) => give(parts.shift() ?? []) };
  },
});

/** @param {any[]} entries */
const drop = (entries) => /** @type {any} */ ({
  items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
  files: entries.filter((e) => e.isFile).map((e) => new File(['x'], e.name)),
});

test('the files of folders come with their paths, in order', async () => {
  const files = await droppedFiles(drop([folder('a', [file('2.jpg'), file('1.jpg'), folder('b', [file('3.jpg')])]), file('z.png')]));
  assert.deepEqual(files.map((f) => f.name), ['a/1.jpg', 'a/2.jpg', 'a/b/3.jpg', 'z.png']);
});

test('files alone stay as they are', async () => {
  assert.deepEqual((await droppedFiles(drop([file('z.png'), file('y.png')]))).map((f) => f.name), ['z.png', 'y.png']);
});

test('what systems leave in folders is not meant', () => {
  const names = ['a/1.jpg', '.DS_Store', 'a/.hidden', 'a/Thumbs.db', '__MACOSX/a/1.jpg', 'a.b/c.jpg'];
  assert.deepEqual(meant(names.map((n) => new File(['x'], n))).map((f) => f.name), ['a/1.jpg', 'a.b/c.jpg']);
});

test('of a data set only photographs are uploaded', () => {
  const left = (/** @type {string} */ names) => photographs(names.split(' ').map((name) => ({ name }))).map(({ name }) => name).join(' ');
  assert.equal(left('v/JPEGImages/a.jpg v/SegmentationClass/a.png v/SegmentationClass/b.png v/labelmap.txt'), 'v/JPEGImages/a.jpg v/SegmentationClass/b.png', 'b is perhaps a photograph');
  assert.equal(left('v/JPEGImages/a.jpg v/SegmentationClassPNG/a.png v/SegmentationClassVisualization/a.jpg'), 'v/JPEGImages/a.jpg');
  assert.equal(left('Images/a.png Masks/a.png'), 'Images/a.png');
  assert.equal(left('y/images/A.JPG y/masks/a.png y/data.yaml notes.txt'), 'y/images/A.JPG');
  assert.equal(left('a.jpg a.json b.png b_mask.png classes.txt'), 'a.jpg b.png', 'the files of a folder without it');
  assert.equal(left('r/a.jpg r/a_mask.png r/b_mask.png r/c.tif r/c_cp_masks.tif r/_classes.csv r/a_mask.jpg'), 'r/a.jpg r/b_mask.png r/c.tif r/a_mask.jpg');
  assert.equal(left('leftImg8bit/u_leftImg8bit.png gtFine/u_gtFine_color.png gtFine/u_gtFine_labelTrainIds.png gtFine/v_gtFine_labelIds.png'), 'leftImg8bit/u_leftImg8bit.png gtFine/v_gtFine_labelIds.png', "Cityscapes'");
  const there = [{ name: 'x/a.jpg' }, { name: 'b.jpg' }, { name: 'masks/c.png' }];
  assert.deepEqual(photographs([{ name: 'masks/a.png' }, { name: 'b_mask.png' }, { name: 'm.json' }], there), [], 'masks of images there');
  assert.deepEqual(photographs([{ name: 'masks/a.jpeg' }, { name: 'masks/c.png' }], there).length, 2);
  assert.equal(left('m/masks/a.png m/masks/b.png'), 'm/masks/a.png m/masks/b.png');
  assert.equal(left('j/a.json j/b.json'), 'j/a.json j/b.json', 'nothing would be left');
});

test('names keep the folders that differ', () => {
  const short = (/** @type {string[]} */ ...names) => shortened(names.map((name) => new File(['x'], name, { type: 'image/png' }))).map(({ name }) => name);
  assert.deepEqual(short('trip/day 1/a.jpg', 'trip/day 2/a.jpg'), ['day 1/a.jpg', 'day 2/a.jpg']);
  assert.deepEqual(short('trip/a.jpg', 'trip/day 2/x/b.jpg', 'trip/day 2/x/c.jpg'), ['a.jpg', 'day 2/x/b.jpg', 'day 2/x/c.jpg']);
  assert.deepEqual(short('v/JPEGImages/a.jpg', 'v/JPEGImages/b.jpg'), ['a.jpg', 'b.jpg']);
  assert.deepEqual(short('a.jpg', 'trip/a.jpg'), ['a.jpg', 'trip/a.jpg']);
  assert.deepEqual(short(), []);
});
