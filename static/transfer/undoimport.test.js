import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../ui/api.js';
import { keptLines, stepsOf, undoImport, undoneText } from './undoimport.js';

/** A server with the numbers of events of images; images without one are gone. */
function server(/** @type {Record<string, number>} */ events, /** @type {number[]} */ ...statuses) {
  /** @type {string[]} */
  const log = [];
  const ids = new Set();
  return {
    log,
    ids,
    send: async (/** @type {string} */ image, /** @type {{id: string, expected_seq: number}} */ { id, expected_seq }) => {
      ids.add(id);
      const status = statuses.shift() ?? (events[image] === undefined ? 404 : events[image] === expected_seq ? 200 : 409);
      log.push(`${image} at ${expected_seq}: ${status}`);
      if (status !== 200) throw new Problem('No', 'There is no such image.', { status });
      return { seq: ++events[image] };
    },
    progress: (/** @type {number} */ done) => void log.push(`${done} done`),
    wait: () => {},
    pause: async () => {},
  };
}

const step = (/** @type {string} */ image, /** @type {number} */ seq) => ({ mask: `${image}.png`, image, seq });

test('each image’s import is undone, and what was skipped is left alone', async () => {
  const s = server({ a: 3, b: 1 });
  const images = [step('a', 3), { mask: 'bad.png', problem: 'Unreadable.' }, { ...step('b', 1), added: true }];
  const stored = stepsOf(images);
  const outcome = await undoImport(stored, s);
  assert.deepEqual(outcome, { undone: 2, kept: [] });
  assert.deepEqual(s.log, ['0 done', 'a at 3: 200', '1 done', 'b at 1: 200']);
  assert.equal(undoneText(outcome, stored), 'Undone on 2 images. The image that came with it stays in the project.');
});

test('two steps of one image are undone from the last one on', async () => {
  const s = server({ a: 5 });
  assert.deepEqual(await undoImport(stepsOf([step('a', 4), step('a', 5)]), s), { undone: 1, kept: [] });
  assert.deepEqual(s.log, ['0 done', 'a at 5: 200', 'a at 6: 200']);
});

test('what was done after an import, or between two, is kept', async () => {
  const s = server({ a: 4, b: 5 });
  const outcome = await undoImport(stepsOf([step('a', 3), step('b', 3), step('b', 5), step('c', 1)]), s);
  assert.equal(outcome.undone, 0);
  assert.deepEqual(s.log.filter((line) => line.startsWith('b')), []);
  assert.deepEqual(keptLines(outcome), ['a.png: not undone. It has been changed since.', 'b.png: not undone. It was changed during the import.', 'c.png: not undone. There is no such image.']);
  assert.equal(undoneText(outcome, new Map()), 'Not undone on 3 images.');
});

test('a lost answer is asked for again with the same id', async () => {
  const s = server({ a: 1 }, 0);
  assert.deepEqual(await undoImport(stepsOf([step('a', 1)]), s), { undone: 1, kept: [] });
  assert.deepEqual([s.log.length, s.ids.size], [3, 1]);
});
