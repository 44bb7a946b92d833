import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../ui/api.js';
import { leftOut, outcome, stacks, Uploads } from './uploads.js';

/** A server that refuses the first sendings with the given statuses; -1 keeps the file and loses the answer. */
function world(/** @type {number[]} */ statuses, /** @type {any[]} */ present = []) {
  /** @type {string[]} */
  const log = [];
  let waited = 0;
  return {
    log,
    waited: () => waited,
    present: async () => present,
    same: async (/** @type {string} */ id) => !id.startsWith('other'),
    send: async (/** @type {File} */ file) => {
      const status = statuses.shift() ?? 200;
      log.push(`${file.name} ${status}`);
      const im = { id: file.name, name: file.name, bytes: file.size };
      if (status === 200 || status === -1) present.push(im);
      if (status !== 200) throw new Problem('No', 'not now', { status: Math.max(0, status) });
      return { images: [im], problems: [] };
    },
    pause: async (/** @type {number} */ ms) => void (waited += ms),
    show: (/** @type {File} */ file) => ({
      progress() {}, wait() {},
      succeed: () => log.push(`${file.name} ready`), skip: () => log.push(`${file.name} there`), fail: () => log.push(`${file.name} failed`),
    }),
    tell() {},
  };
}

const files = (/** @type {string[]} */ ...names) => names.map((n) => new File(['four'], n));

test('what the project has is not sent again', async () => {
  const w = world([], [{ id: '1', name: 'a.jpg', bytes: 4 }, { id: '2', name: 'b.jpg', bytes: 5 }]);
  const result = await new Uploads(files('a.jpg', 'b.jpg'), /** @type {any} */ (w)).run();
  assert.deepEqual(w.log, ['a.jpg there', 'b.jpg 200', 'b.jpg ready']);
  assert.deepEqual([result.images.length, result.failed, result.skipped], [1, 0, 1]);
});

test('an image without the beginning of a long name is the file', async () => {
  const tail = `${'a'.repeat(95)}.jpg`; // was cut at a space
  const w = world([], [{ id: '1', name: tail, bytes: 4 }]);
  await new Uploads(files(`photo of ${tail}`), /** @type {any} */ (w)).run();
  assert.deepEqual(w.log, [`photo of ${tail} there`]);
});

test('an image keeps no folder of its file', async () => {
  const w = world([], [{ id: '1', name: 'a.jpg', bytes: 4 }]);
  await new Uploads(files('trip/day 1/a.jpg'), /** @type {any} */ (w)).run();
  assert.deepEqual(w.log, ['trip/day 1/a.jpg there']);
});

test('a server that is away or busy is waited for', async () => {
  const w = world([0, 0, 429, 503]);
  const result = await new Uploads(files('a.jpg'), /** @type {any} */ (w)).run();
  assert.equal(result.images.length, 1);
  assert.equal(w.waited(), 1000 * (1 + 2 + 4 + 8));
});

test('when only the answer was lost the file is not sent again', async () => {
  const w = world([-1]);
  const result = await new Uploads(files('a.jpg', 'b.jpg'), /** @type {any} */ (w)).run();
  assert.deepEqual(w.log, ['a.jpg -1', 'a.jpg ready', 'b.jpg 200', 'b.jpg ready']);
  assert.equal(result.images.length, 2);
});

test('what can not be read fails at once, and a server that stays busy in the end', async () => {
  const w = world([422, ...Array(30).fill(429)]);
  const result = await new Uploads(files('a.jpg', 'b.jpg'), /** @type {any} */ (w)).run();
  assert.equal(result.failed, 2);
  assert.equal(w.log.filter((line) => line === 'b.jpg 429').length, 11);
});

test('files of one name and size from different folders are different files', async () => {
  const w = world([], [{ id: '1', name: 'a.jpg', bytes: 4 }]);
  const result = await new Uploads(files('a.jpg', 'a.jpg', 'a.jpg'), /** @type {any} */ (w)).run();
  assert.deepEqual(w.log, ['a.jpg there', 'a.jpg 200', 'a.jpg ready', 'a.jpg 200', 'a.jpg ready']);
  assert.deepEqual([result.images.length, result.skipped], [2, 1]);
});

test('an image of the same name and size with another content is not the file', async () => {
  const w = world([], [{ id: 'other', name: 'a.jpg', bytes: 4 }, { id: '2', name: 'a.jpg', bytes: 4 }]);
  await new Uploads(files('a.jpg', 'a.jpg'), /** @type {any} */ (w)).run();
  assert.deepEqual(w.log, ['a.jpg there', 'a.jpg 200', 'a.jpg ready']);
});

test('a file says how many images it became', () => {
  const problem = { name: 'notes.txt', problem: { title: 'Unsupported format', detail: 'Use PNG.' } };
  assert.equal(outcome({ images: [{ id: 'a' }], problems: [] }), 'Ready');
  assert.equal(outcome({ images: [{ id: 'a' }, { id: 'b' }], problems: [] }), '2 images');
  assert.equal(outcome({ images: [{ id: 'a' }], problems: [problem] }), '1 image, 1 file failed');
  assert.equal(outcome({ images: [{ id: 'a' }, { id: 'b' }], problems: [problem, problem] }), '2 images, 2 files failed');
  assert.equal(outcome({ images: [{ id: 'a', present: true }], problems: [] }), 'Already uploaded');
  assert.equal(outcome({ images: [{ id: 'a', present: true }, { id: 'b' }], problems: [problem] }), '1 image, 1 already uploaded, 1 file failed');
});

test('a stack says that its first picture is used', () => {
  const images = [{ id: 'a', pictures: 12 }];
  assert.equal(outcome({ images, problems: [] }), 'The first of 12 pictures');
  assert.match(stacks(images), /^Only the first picture of a file with several/);
  assert.match(stacks([...images, { id: 'b' }, { id: 'c', pictures: 2 }]), /^Only the first picture of 2 files/);
  assert.equal(stacks([{ id: 'b' }]), '');
});

test('files of an archive that were there count as skipped', async () => {
  const w = { ...world([]), send: async () => ({ images: [{ id: '1', present: true }, { id: '2' }], problems: [] }) };
  const result = await new Uploads(files('a.zip'), /** @type {any} */ (w)).run();
  assert.deepEqual([result.images.map((im) => im.id), result.skipped], [['2'], 1]);
});

test('files of an archive that were refused count as failed', async () => {
  const refused = { name: 'notes.txt', problem: { title: 'Unsupported format', detail: 'Use PNG.' } };
  const w = { ...world([]), send: async () => ({ images: [{ id: '1' }, { id: '2' }], problems: [refused] }) };
  const result = await new Uploads(files('a.zip'), /** @type {any} */ (w)).run();
  assert.deepEqual([result.images.length, result.failed], [2, 1]);
});

test('says what lies beside photographs', () => {
  assert.equal(leftOut(0), '');
  assert.match(leftOut(1), /^1 file that is no photograph was left out\. If it has masks/);
  assert.match(leftOut(7), /^7 files that are no photographs were left out\. If they have masks/);
});
