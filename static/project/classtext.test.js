import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../ui/api.js';
import { linesOf, refusalText, renamed } from './classtext.js';

const classes = [{ id: 0, name: 'sky', color: '#80b0ff' }, { id: 4, name: 'dry grass', color: '#c0a040' }];

test('a class is a line, with its colour', () => {
  assert.equal(linesOf(classes), 'sky #80b0ff\ndry grass #c0a040\n');
});

test('classes that labels use are named, and others are asked to look again', () => {
  const plain = (/** @type {unknown} */ error) => refusalText(error, classes).replace(/[\u2066-\u2069]/g, '');
  assert.equal(plain(new Problem('', '', { in_use: { 4: 2 } })), 'No line is called “dry grass”, but labels use it. Nothing was changed.');
  assert.equal(plain(new Problem('', '', { in_use: { 0: 1, 4: 2 } })), 'No line is called “sky”, “dry grass”, but labels use them. Nothing was changed.');
  const theirs = (/** @type {string[]} */ ...names) => plain(new Problem('', '', { project: { classes: names.map((name, id) => ({ id, name, color: '' })) } }));
  assert.match(theirs('Sky', 'dry grass'), /^Someone else has just changed the classes\. Save again/, 'colours or the order');
  assert.match(theirs('sky', 'tree', 'sea'), /classes: “tree” is new, “sea” is new, “dry grass” is gone\. Save again/);
  assert.match(theirs('a', 'b', 'c', 'd', 'e'), /“e” is new, …\. Save again/);
  assert.equal(plain(new Problem('', 'Line 2 is wrong.')), 'Line 2 is wrong.');
});

test('a new name with the colour of a class that labels use renames it', () => {
  const inUse = { 4: 2 };
  assert.deepEqual(renamed('sky #80b0ff\n\n hay, dry #C0A040 \n', classes, inUse), { 4: 'hay, dry' });
  assert.deepEqual(renamed('hay #c0a041\nhay\n# #c0a040\n', classes, inUse), { 4: '#' });
  assert.deepEqual(renamed('SKY #c0a040\n', classes, inUse), {}, 'the name of another class');
  assert.deepEqual(renamed('hay #c0a040\n', classes, {}), {}, 'without labels it is a new class');
  const twins = classes.map((c) => ({ ...c, color: '#c0a040' }));
  assert.deepEqual(renamed('a #c0a040\nb #c0a040\n', twins, { 0: 1, 4: 1 }), { 0: 'a', 4: 'b' });
  const error = new Problem('', '', { in_use: { 0: 1, 4: 2 } });
  assert.match(refusalText(error, classes, { 4: 'hay' }), /^No line is called “sky”, but labels use it/);
  assert.match(refusalText(error, classes, { 0: 'air', 4: 'hay' }), /labels of “sky” become “air”, labels of “dry grass” become “hay”\. Save again/);
});
