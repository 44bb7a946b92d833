import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../ui/api.js';
import { linesOf, refusalText } from './classtext.js';

const classes = [{ id: 0, name: 'sky', color: '#80b0ff' }, { id: 4, name: 'dry grass', color: '#c0a040' }];

test('a class is a line, with its colour', () => {
  assert.equal(linesOf(classes), 'sky #80b0ff\ndry grass #c0a040\n');
});

test('classes that labels use are named, and others are asked to look again', () => {
  const plain = (/** @type {unknown} */ error) => refusalText(error, classes).replace(/[\u2066-\u2069]/g, '');
  assert.equal(plain(new Problem('', '', { in_use: { 4: 2 } })), 'No line is called “dry grass”, but labels use it. Nothing was changed.');
  assert.equal(plain(new Problem('', '', { in_use: { 0: 1, 4: 2 } })), 'No line is called “sky”, “dry grass”, but labels use them. Nothing was changed.');
  assert.match(plain(new Problem('', '', { project: {} })), /^Someone else/);
  assert.equal(plain(new Problem('', 'Line 2 is wrong.')), 'Line 2 is wrong.');
});
