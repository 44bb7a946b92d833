import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyOf } from './steps.js';

const log = (...kinds) => kinds.map((kind, i) => ({ seq: i + 1, kind, count: 1, class: 1, created: '2026-01-01T00:00:00Z' }));
const states = (...kinds) => {
  const { steps, present } = historyOf(log(...kinds), String);
  return [steps.map((s) => `${s.seq} ${s.state}`), present];
};

test('steps stand, are undone, or are left behind', () => {
  assert.deepEqual(states(), [[], 0]);
  assert.deepEqual(states('label', 'label', 'undo', 'undo'), [['1 undone', '2 undone'], 0]);
  assert.deepEqual(states('label', 'label', 'undo', 'undo', 'redo'), [['1 stands', '2 undone'], 1]);
  assert.deepEqual(states('label', 'label', 'undo', 'clear', 'accept', 'undo'), [['1 stands', '2 left', '4 stands', '5 undone'], 4]);
});

test('steps in words', () => {
  const text = (entry) => historyOf([{ seq: 1, created: '2026-01-01T00:00:00Z', ...entry }], (id) => (id === 1 ? 'dog' : '')).steps[0].text;
  assert.deepEqual([
    text({ kind: 'label', count: 2 }), text({ kind: 'clear', count: 1 }),
    text({ kind: 'accept', hypothesis: { rank: 2 }, count: 800 }),
    text({ kind: 'accept', hypothesis: { rank: -1 }, count: 800 }),
    text({ kind: 'pixels', repairs: [{ class: 2, pixels: 4 }, { class: 255, pixels: 2 }] }), text({ kind: 'pixels', repairs: [{ class: 255, pixels: 1 }] }),
    text({ kind: 'granularity', regions: 300 }), text({ kind: 'restore', to: 4 }), text({ kind: 'restore', to: 0 }), text({ kind: 'import' }),
    text({ kind: 'box', class: 1, points: [[0, 0], [9, 9]] }), text({ kind: 'box', class: 1 }), text({ kind: 'exclude', class: 1, count: 3 }),
    text({ kind: 'lock', class: 1 }), text({ kind: 'unlock', class: 1 }),
    text({ kind: 'guess', learnt: 7 }), text({ kind: 'guess', learnt: 1, copied: true }), text({ kind: 'guess', learnt: 0 }), text({ kind: 'guess' }),
    text({ kind: 'affinities', learnt: 12 }), text({ kind: 'affinities' }),
  ], [
    'Labelled 2 superpixels', 'Cleared 1 superpixel', 'Accepted 800 superpixels of hypothesis 3', 'Accepted 800 superpixels of another labelling',
    'Painted 6 pixels', 'Erased 1 pixel', 'Changed to 300 superpixels', 'Restored step 4', 'Restored the start', 'Imported a mask',
    'Box around dog', 'Removed the box around dog', 'Not dog: 3 superpixels', 'Locked dog', 'Unlocked dog',
    'Guessed from 7 finished images', 'Copied from another image as a guess', 'Imported a first guess', 'Removed the guess',
    'Learned about borders from 12 finished images', 'Removed what the project had learned about borders',
  ]);
});
