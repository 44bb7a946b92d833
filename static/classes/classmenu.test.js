import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOf, lackingText } from './classmenu.js';

test('label sets are known by their names and their first lines', () => {
  assert.equal(formatOf('a.JSON', ''), 'json');
  assert.equal(formatOf('labels.txt', 'sky\nsea\n'), 'txt');
  assert.equal(formatOf('labelmap.txt', '# label:color_rgb:parts:actions\nbackground:0,0,0::\n'), 'voc');
  assert.equal(formatOf('labelmap.txt', 'background:0,0,0::\n'), 'voc');
});

test('a label set that lacks classes in use is refused with what the page can do about it', () => {
  const classes = [{ id: 0, name: 'sky' }, { id: 1, name: 'sea' }, { id: 4, name: 'ship' }];
  assert.match(lackingText(classes, { 4: 2 }), /lacks “ship”, which labels use\. Add it to the file, or delete it here first/);
  assert.match(lackingText(classes, { 0: 1, 4: 2 }), /lacks “sky”, “ship”, which labels use\. Add them/);
});
