import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOf } from './classmenu.js';

test('label sets are known by their names and their first lines', () => {
  assert.equal(formatOf('a.JSON', ''), 'json');
  assert.equal(formatOf('labels.txt', 'sky\nsea\n'), 'txt');
  assert.equal(formatOf('labelmap.txt', '# label:color_rgb:parts:actions\nbackground:0,0,0::\n'), 'voc');
  assert.equal(formatOf('labelmap.txt', 'background:0,0,0::\n'), 'voc');
});
