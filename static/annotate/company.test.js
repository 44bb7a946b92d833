import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Company, inWords } from './company.js';

test('puts people into words', () => {
  const words = (people, more = 0) => inWords({ type: 'here', people, more });
  assert.deepEqual(
    [words([]), words(['bob']), words(['bob', 'eve']), words(['bob', 'eve'], 1), words(['bob', 'eve'], 12)],
    ['', 'bob', 'bob and eve', 'bob, eve and 1 other', 'bob, eve and 12 others'],
  );
});

test('shows who else is here, and says so when somebody comes for the first time', (t) => {
  const elements = {};
  globalThis.document = /** @type {any} */ ({ getElementById: (id) => (elements[id] ??= { hidden: true }) });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const said = [];
  const company = new Company((text) => said.push(text));
  const shown = (people, more = 0) => {
    company.hear({ type: 'here', people, more });
    return !elements.company.hidden && elements['company-names'].textContent;
  };
  assert.deepEqual([shown(['bob']), shown([]), shown(['bob']), shown(['bob', 'eve'])], ['bob', false, 'bob', 'bob and eve']);
  assert.deepEqual(said, ['bob has this image open, too', 'bob and eve have this image open, too']);
});
