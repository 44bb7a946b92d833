import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merged, suggested } from './importreview.js';

const value = (/** @type {string} */ value, more = {}) => ({ value, color: '#000000', class: null, masks: 1, pixels: 10, ...more });

test('values of several files are counted together, in order', () => {
  const got = merged([value('1'), value('car', { name: 'car' }), value('1', { masks: 2, pixels: 5 })]);
  assert.deepEqual(got, [value('1', { masks: 3, pixels: 15 }), value('car', { name: 'car' })]);
});

test('numbers mean nothing until a list is chosen; names speak for themselves', () => {
  const classes = [{ name: 'ground' }, { name: 'tree' }];
  const plane = value('1', { voc: 'aeroplane' });
  assert.equal(suggested(plane, '', classes), '');
  assert.equal(suggested(plane, 'voc', classes), 'aeroplane');
  assert.equal(suggested(plane, 'project', classes), 'tree');
  assert.equal(suggested(value('7'), 'project', classes), '');
  assert.equal(suggested(value('car', { name: 'car', class: 'car' }), 'project', classes), 'car');
});

test('objects of a label image have the class that the server finds, or none', () => {
  const classes = [{ name: 'background' }, { name: 'cell' }, { name: 'objects' }];
  assert.equal(suggested(value('objects', { name: 'objects', class: 'cell' }), '', classes), 'cell');
  assert.equal(suggested(value('objects', { name: 'objects' }), '', classes), '');
});

test('white is the second of two classes, and no other list has it', () => {
  const two = [{ name: 'background' }, { name: 'horse' }];
  assert.equal(suggested(value('255'), 'project', two), 'horse');
  assert.equal(suggested(value('255'), 'project', [...two, { name: 'cart' }]), '');
  assert.equal(suggested(value('255'), 'voc', two), '');
  assert.equal(suggested(value('255'), '', two), '');
});
