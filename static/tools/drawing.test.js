import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drawing } from './drawing.js';

/** Draws polygons at one pixel of the image per CSS pixel. @param {string} [hand] */
function polygons(hand = 'mouse') {
  /** @type {[number, number][][]} */
  const closed = [];
  const painter = { view: { scale: 1 }, marks: {}, touchMarks: () => {} };
  const map = { width: 100, height: 100, fullWidth: 100, fullHeight: 100 };
  const stage = { painter, map, hands: { hand }, listener: { stroke: () => {}, cancelled: () => {}, interrupted: () => {}, say: () => {} } };
  const tools = /** @type {any} */ ({ kind: 'polygon', mode: 'paint', exact: false, drawn: () => {} });
  const drawing = new Drawing(/** @type {any} */ (stage), tools);
  drawing.make = (_mode, _exact, points) => {
    closed.push(points);
    return /** @type {any} */ ({ drawn: () => ({ superpixels: [0] }) });
  };
  const click = (/** @type {[number, number][]} */ ...points) => points.forEach((p) => drawing.begin('paint', p, false));
  return { drawing, tools, closed, click, corners: () => drawing.polygon?.corners.length ?? 0 };
}

test('a double click closes a polygon and sets no corner twice', () => {
  const { closed, click, corners } = polygons();
  click([10, 10], [50, 10], [51, 10]);
  assert.equal(corners(), 2, 'two corners enclose nothing yet');
  click([50, 50], [50, 51]);
  assert.deepEqual(closed, [[[10, 10], [50, 10], [50, 50]]]);
});

test('corners of something small close nothing', () => {
  const mouse = polygons();
  mouse.click([10, 10], [50, 10], [50, 50], [44, 56]);
  assert.equal(mouse.corners(), 4);
  mouse.click([14, 14]);
  assert.equal(mouse.closed.length, 1, 'but the first one does');
  const finger = polygons('touch');
  finger.click([10, 10], [50, 10], [50, 50], [44, 56]);
  assert.equal(finger.closed.length, 1, 'a finger does not hit the same place twice');
});

test('redo brings back the corners that undo has removed', () => {
  const { drawing, click, corners } = polygons();
  assert.equal(drawing.forth(), false, 'there is no polygon');
  click([10, 10], [50, 10], [50, 50]);
  drawing.back();
  drawing.back();
  assert.equal(drawing.forth(), true);
  assert.deepEqual(drawing.polygon?.corners, [[10, 10], [50, 10]]);
  click([30, 60]);
  assert.equal(drawing.forth(), true, 'and redoes nothing before the polygon');
  assert.equal(corners(), 3);
});

test('another tool interrupts a polygon, which its own takes up again', () => {
  const { drawing, tools, click, corners, closed } = polygons();
  click([10, 10], [50, 10]);
  drawing.hover(null);
  tools.kind = 'superpixel';
  drawing.refresh();
  assert.equal(drawing.busy, false, 'the other tool draws');
  drawing.cancel();
  tools.kind = 'polygon';
  drawing.refresh();
  assert.equal(corners(), 2);
  click([50, 50]);
  drawing.close();
  assert.deepEqual(closed, [[[10, 10], [50, 10], [50, 50]]]);
  drawing.hover(null);
  drawing.refresh();
  assert.equal(corners(), 0, 'only once');
});

test('a drag draws the outline of a polygon, and its end closes it', () => {
  const { drawing, click, corners, closed } = polygons();
  const drag = (/** @type {[number, number][]} */ ...points) => points.forEach((point) => drawing.polygon || drawing.loosen({ mode: 'paint', exact: false, point: points[0] }, point));
  drag([10, 10], [15, 10], [21, 12]);
  assert.equal(corners(), 0, 'a press that slips is a corner');
  drag([10, 10], [50, 10]);
  for (const point of /** @type {[number, number][]} */ ([[52, 11], [50, 50], [10, 12]])) drawing.extend(point);
  drawing.end();
  assert.deepEqual(closed, [[[10, 10], [50, 10], [50, 50], [10, 12]]]);
  drag([10, 10], [50, 10]);
  drawing.end();
  assert.equal(corners(), 2, 'a straight line is no area');
  drag([50, 50], [80, 80]);
  click([50, 50]);
  drawing.end();
  assert.equal(corners(), 3, 'clicks go on with it');
});
