import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CloseUp } from './closeup.js';
import { fromRecords, NO_REPAIRS } from '../evidence/repairs.js';

globalThis.window = globalThis;

test('a part is made once the view rests where none is, and repairs are', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const source = fromRecords([{ class: 1, runs: [8000 * 120 + 130, 3] }]);
  const look = (/** @type {number} */ left) => {
    painter.view = {};
    painter.seen = { left, top: 100, right: left + 400, bottom: 400 };
  };
  const painter = {
    map: { width: 2560 }, size: { width: 8000, height: 6000 }, placing: { sx: 2 },
    overlay: { source: NO_REPAIRS, labels: [0], colors: [], patterned: false },
  };
  const closeUp = new CloseUp(painter);
  const made = [];
  closeUp.make = (part) => {
    made.push(part);
    closeUp.awaited = null;
    closeUp.map = painter.map;
    closeUp.box = part;
    closeUp.overlay = { colors: painter.overlay.colors, patterned: false, show: (_, repairs) => (closeUp.shown = repairs) };
  };
  look(100);
  assert.equal(closeUp.update(), null);
  t.mock.timers.tick(1000);
  assert.equal(made.length, 0, 'nothing is repaired');

  painter.overlay.source = source;
  assert.equal(closeUp.update(), null);
  t.mock.timers.tick(100);
  assert.equal(closeUp.update(), null, 'a stroke that goes on');
  t.mock.timers.tick(100);
  assert.equal(made.length, 1);
  assert.ok(closeUp.update());
  const { left, top, right } = made[0];
  assert.deepEqual([...closeUp.shown], [(120 - top) * (right - left) + 130 - left, (120 - top) * (right - left) + 133 - left, 1]);

  look(6000);
  assert.equal(closeUp.update(), null);
  look(120);
  assert.ok(closeUp.update(), 'back again');
  t.mock.timers.tick(1000);
  assert.equal(made.length, 1);

  painter.placing = { sx: 1 };
  assert.equal(closeUp.update(), null);
  assert.equal(closeUp.overlay, null, 'no memory is kept');
});
