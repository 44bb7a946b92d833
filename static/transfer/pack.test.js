import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packed } from './pack.js';

const files = (/** @type {string[]} */ ...names) => names.map((n) => new File([`in ${n}`], n));
const names = (/** @type {File[]} */ list) => list.map((f) => f.name);

/** The names in an archive's directory. @param {File} file */
async function inside(file) {
  const text = Buffer.from(await file.arrayBuffer()).toString('latin1');
  return text.split('PK\x01\x02').slice(1).map((entry) => {
    const end = 42 + entry.charCodeAt(24) + 256 * entry.charCodeAt(25);
    return Buffer.from(entry.slice(42, end), 'latin1').toString();
  });
}

test('a folder becomes an archive of what lies beside its photographs', async () => {
  const out = await packed(files('y/data.yaml', 'y/images/ä.jpg', 'y/labels/ä.txt', 'alone.png', 'm/a.png', 'm/b.png'));
  assert.deepEqual(names(out), ['alone.png', 'y.zip', 'm.zip']);
  assert.deepEqual(await inside(out[1]), ['y/data.yaml', 'y/labels/ä.txt']);
  assert.deepEqual(await inside(out[2]), ['m/a.png', 'm/b.png']);
});

test('an archive is that of the format, byte by byte', async () => {
  const [out] = await packed([new File(['123456789'], 'a/b')]);
  const bytes = Buffer.from(await out.arrayBuffer());
  assert.equal(bytes.readUInt32LE(14), 0xcbf43926, 'the check value of CRC-32');
  const directory = bytes.readUInt32LE(bytes.length - 6);
  assert.equal(bytes.readUInt32LE(directory), 0x02014b50);
  assert.equal(bytes.readUInt32LE(bytes.length - 10), bytes.length - 22 - directory);
});

test('files alone, and folders of very many or with one that is gone, stay as they are', async () => {
  const many = files(...Array.from({ length: 5001 }, (_, i) => `m/${i}.png`), 'x.json');
  assert.equal((await packed(many)).length, 5002);
  const gone = { name: 'a/b.png', arrayBuffer: () => Promise.reject(new DOMException('gone', 'NotFoundError')) };
  assert.deepEqual(await packed([/** @type {any} */ (gone)]), [gone]);
});
