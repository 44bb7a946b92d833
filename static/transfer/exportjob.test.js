import assert from 'node:assert/strict';
import { test } from 'node:test';
import { losses, progressText, questions, resultText, runExport, splitOf } from './exportjob.js';

/** @param {object} [changes] */
function report(changes = {}) {
  return {
    exported: 2,
    omitted: 0,
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
  assert.equal(progressText(status({ status: 'waiting' })), 'Waiting for other exports to finish.');
  assert.equal(progressText(status({})), 'Starting.');
  assert.equal(progressText(status({ images_done: 1, images_total: 3 })), '1 of 3 images');
});

test('the report of an export in one line', () => {
  assert.equal(resultText(status({ report: report(), bytes: 1234 })), '2 images, 3 of 3 regions, nothing lost. 1 kB.');
  const empty = report({ regions_in: 0, regions_out: 0 });
  assert.equal(resultText(status({ report: empty, bytes: 1234 })), '2 images, nothing labelled. 1 kB.');
  const lossy = report({ lossy: 1, regions_out: 1, omitted: 1, skipped: [{ name: 'c.jpg', why: 'Not done.' }] });
  assert.equal(resultText(status({ report: lossy, bytes: 2_500_000 })), '2 images, 1 skipped, 1 of 3 regions, 1 image not exact. 2.5 MB.');
});

test('every loss is named, up to a number', () => {
  const images = [{ name: 'a.jpg', regions_in: 2, regions_out: 1, lossy: 'A hole.', note: 'No file.' }];
  const all = report({ images, skipped: [{ name: 'c.jpg', why: 'Not done.' }] });
  assert.deepEqual(losses(all), ['a.jpg: A hole.', 'a.jpg: No file.', 'c.jpg: skipped. Not done.']);
  assert.deepEqual(losses(all, 1), ['a.jpg: A hole.', '2 more are listed in manifest.json in the download.']);
});

test('damage comes first, and nothing hides it', () => {
  const images = [{ name: 'a.jpg', regions_in: 2, regions_out: 1, lossy: 'A hole.' }];
  const damaged = report({ images, lossy: 1, exported: 1, omitted: 1, damaged: 1, skipped: [{ name: 'c.jpg', why: 'Its file is lost.', damaged: true }] });
  assert.equal(resultText(status({ report: damaged, bytes: 1234 })), '1 image, 1 skipped, 3 of 3 regions, 1 image with lost or damaged files. 1 kB.');
  assert.deepEqual(losses(damaged, 1), ['c.jpg: skipped. Its file is lost.', '1 more are listed in manifest.json in the download.']);
});

test('a remark that many images share has one line', () => {
  const images = ['a', 'b', 'c', 'd'].map((name) => ({ name, regions_in: 2, regions_out: 1, lossy: '', note: 'No objects.' }));
  assert.deepEqual(losses(report({ images })), ['4 images: No objects.']);
});

test('unfinished images are asked about, chosen ones are not', () => {
  const image = { status: 'done', guess_only: false, seq: 3 };
  const images = [{ ...image, id: 'a' }, { ...image, id: 'b', status: 'started' }, { ...image, id: 'c', status: 'untouched', guess_only: true }];
  assert.match(questions(images, []).drafts, /^2 of 3 images are unfinished/);
  assert.match(questions(images, []).guesses, /^1 image has only a guess/);
  assert.match(questions([...images, { ...image, id: 'd', status: 'started', guess_only: true }], []).guesses, /^2 images have only a guess/);
  assert.deepEqual(questions(images, ['a', 'b']), { drafts: '', approved: '', guesses: '' });
  assert.deepEqual(questions([], []), { drafts: '', approved: '', guesses: '' });
});

test('approved images can be exported alone, unless all are approved or none', () => {
  const approved = (/** @type {number} */ seq) => ({ id: 'a', status: 'done', guess_only: false, seq: 3, review: { status: 'approved', seq } });
  const rejected = { ...approved(3), review: { status: 'rejected', seq: 3 } };
  assert.equal(questions([approved(3), approved(2), rejected], []).approved, '1 of 3 images is approved and unchanged since.');
  assert.equal(questions([approved(3), approved(3)], []).approved, '');
  assert.equal(questions([approved(2), rejected], []).approved, '');
});

test('a split is sent as the server reads it', () => {
  /** @type {Record<string, string>} */
  const fields = { split: 'share', train: '70', val: '20', test: '10', seed: '7' };
  assert.deepEqual(splitOf((name) => fields[name]), { by: 'share', train: 70, val: 20, test: 10, seed: 7 });
  assert.deepEqual(splitOf(() => 'name'), { by: 'name' });
  assert.equal(splitOf(() => ''), undefined);
});

/** Calls with a server whose export is running for ever, and which answers DELETE with a status. */
async function calls(/** @type {any} */ t, /** @type {number} */ removal, /** @type {(controller: AbortController) => void} */ at) {
  const log = /** @type {string[]} */ ([]);
  const controller = new AbortController();
  t.mock.method(globalThis, 'fetch', async (/** @type {string} */ path, /** @type {any} */ { method }) => {
    log.push(`${method} ${path}`);
    if (method === 'DELETE') return new Response(removal === 204 ? null : JSON.stringify({ title: 'No', status: removal }), { status: removal });
    return new Response(JSON.stringify(method === 'POST' ? { id: 'x' } : status({ images_total: 2 })));
  });
  const pause = (/** @type {number} */ milliseconds) => new Promise((/** @type {(none: void) => void} */ resolve) => setTimeout(resolve, milliseconds));
  const end = await runExport('p', 'voc', {}, { progress: () => at(controller), wait: assert.fail, pause }, controller.signal);
  return { log, end };
}

/** Follows an export at a server that answers questions about it with each of some statuses, 0 for none, and says then that it is done. */
async function follow(/** @type {any} */ t, /** @type {number[]} */ statuses, /** @type {(wait: string) => void} */ waits, signal = new AbortController().signal) {
  t.mock.method(globalThis, 'fetch', async (/** @type {string} */ path, /** @type {any} */ { method }) => {
    if (method === 'POST') return new Response(JSON.stringify({ id: 'x' }));
    if (method === 'DELETE') return new Response(null, { status: 204 });
    const answer = statuses.shift();
    if (answer === 0) throw new TypeError('offline');
    if (answer) return new Response(JSON.stringify({ title: 'No', status: answer }), { status: answer });
    return new Response(JSON.stringify(status({ status: 'done' })));
  });
  const way = { progress: () => {}, wait: (/** @type {Error & {title?: string}} */ { title }, /** @type {number} */ seconds) => waits(`${title} ${seconds}`), pause: async () => {} };
  return runExport('p', 'voc', {}, way, signal);
}

test('an export outlives a server that is away for a while', async (t) => {
  /** @type {string[]} */
  const waits = [];
  const end = await follow(t, [0, 0, 503], (wait) => waits.push(wait));
  assert.equal(end?.status, 'done');
  assert.deepEqual(waits, ['The server can’t be reached 1', 'The server can’t be reached 2', 'No 4']);
});

test('an export that the server doesn’t know any more fails', async (t) => {
  await assert.rejects(follow(t, [404], assert.fail), { status: 404 });
});

test('an export can be cancelled while the server is away', async (t) => {
  const controller = new AbortController();
  assert.equal(await follow(t, [0, 0, 0, 0], () => controller.abort(), controller.signal), null);
});

test('an export that is cancelled is removed at once and not asked about again', async (t) => {
  const begin = performance.now();
  let looks = 0;
  const { log, end } = await calls(t, 204, (controller) => {
    if (++looks === 3) setTimeout(() => controller.abort(), 5);
  });
  assert.equal(end, null);
  assert.deepEqual(log.slice(3), ['GET /api/v1/exports/x', 'DELETE /api/v1/exports/x']);
  assert.ok(performance.now() - begin < 2000);
});

test('one that is gone already is cancelled too', async (t) => {
  const { log, end } = await calls(t, 404, (controller) => controller.abort());
  assert.equal(end, null);
  assert.deepEqual(log, ['POST /api/v1/projects/p/exports', 'GET /api/v1/exports/x', 'DELETE /api/v1/exports/x']);
});

test('a failure to cancel is told', async (t) => {
  await assert.rejects(calls(t, 500, (controller) => controller.abort()));
});
