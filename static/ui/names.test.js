import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folded, isolated, sought } from './names.js';

test('names written from right to left turn nothing beside them', () => {
  assert.deepEqual(['cup', 'Tasse 2', 'été', '杯', 'כוס', 'كوب 2'].map(isolated), ['cup', 'Tasse 2', 'été', '杯', '\u2068כוס\u2069', '\u2068كوب 2\u2069']);
});

test('names are the same in upper and lower case, however accents are written', () => {
  const [one, apart] = ['\u00c9t\u00e9', 'e\u0301te\u0301'];
  assert.equal(folded(one), folded(apart));
  assert.notEqual(folded(one), folded('ete'));
  assert.equal(folded('\u200f\u200fصورة\u200e\u061c.png'), 'صورة.png'); // as Windows writes it
});

test('a search passes over how letters are written', () => {
  const pairs = [['İstanbul ', 'istanbul '], ['ISPARTA', 'ısparta'], ['Straße', 'STRASSE'], ['全角１２', '全角12'], ['ﾈｺ', 'ネコ'], ['か\u3099', 'が'], ['ФАЙЛ', 'файл']];
  pairs.push(['كوب 2', '\u200fكوب\u200e 2'], ['كوب 2', isolated('كوب 2')]); // pasted, from a message of the page too
  for (const [name, text] of pairs) assert.equal(sought(name), sought(text), name);
  assert.notEqual(sought('が'), sought('か'));
});
