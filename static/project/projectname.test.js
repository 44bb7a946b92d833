import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectName } from './projectname.js';

const day = new Date(2026, 10, 22);

test('a new project is called after its first file, how many there are and the day', () => {
  assert.equal(projectName(['street 1.jpg'], day), 'street 1, 22 Nov 2026');
  assert.equal(projectName(['street 1.jpg', 'b.png', 'c.png'], day), 'street 1 and 2 more, 22 Nov 2026');
  assert.equal(projectName(['.png'], day), 'Untitled, 22 Nov 2026');
});

test('a new project is called after the folder that all files come from', () => {
  assert.equal(projectName(['trip/day 1/a.jpg', 'trip/day 2/a.jpg'], day), 'trip, 22 Nov 2026');
  assert.equal(projectName(['trip/a.jpg', 'tripod/b.jpg', 'c.jpg'], day), 'a and 2 more, 22 Nov 2026');
});

test('the name is no longer than names can be, in characters', () => {
  const name = projectName(['😀'.repeat(200), 'b'], day);
  assert.equal([...name].length, 100);
  assert.ok(name.endsWith('😀 and 1 more, 22 Nov 2026'));
});
