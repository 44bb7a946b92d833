import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toast } from './toast.js';

/** An element as far as messages need one. @returns {any} */
function element() {
  const made = {
    dataset: {}, held: false, textContent: '', children: /** @type {any[]} */ ([]), addEventListener() {}, setAttribute() {},
    contains: () => false,
    matches: () => made.held,
    querySelector: element,
    append(/** @type {any} */ child) {
      child.textContent = String(made.children.length); // the same message would replace the one before
      child.remove = () => (made.children = made.children.filter((c) => c !== child));
      made.children.push(child);
    },
  };
  return made;
}

/** A page with room for messages. @param {import('node:test').TestContext} t */
function page(t) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const list = element();
  globalThis.document = /** @type {any} */ ({
    hidden: false,
    addEventListener: (/** @type {string} */ _, /** @type {() => void} */ act) => void (list.seen = act),
    getElementById: (/** @type {string} */ id) => (id === 'toasts' ? list : {}),
    importNode: () => ({ firstElementChild: element() }),
  });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  return list;
}

test('a message stays while somebody is at its buttons', (t) => {
  const list = page(t);
  toast('Moved to the trash', 'a.png', 'info', { label: 'Undo', run() {} });
  list.children[0].held = true;
  t.mock.timers.tick(60_000);
  assert.equal(list.children.length, 1);
  list.children[0].held = false;
  t.mock.timers.tick(4000);
  assert.equal(list.children.length, 0);
});

test('a long message stays for as long as it takes to read', (t) => {
  const list = page(t);
  toast('Renamed');
  toast('Nobody can work on images yet', 'Images are assigned to members of the project: its annotators, reviewers and owners.');
  t.mock.timers.tick(4000);
  assert.equal(list.children.length, 1);
  t.mock.timers.tick(4000);
  assert.equal(list.children.length, 1);
  t.mock.timers.tick(4000);
  assert.equal(list.children.length, 0);
});

test('a message waits until somebody comes back to the page', (t) => {
  const list = page(t);
  Object.assign(document, { hidden: true });
  toast('That edit was undone', 'The image has changed.', 'problem');
  t.mock.timers.tick(600_000);
  assert.equal(list.children.length, 1);
  Object.assign(document, { hidden: false });
  list.seen();
  t.mock.timers.tick(11_000);
  assert.equal(list.children.length, 1);
  t.mock.timers.tick(1000);
  assert.equal(list.children.length, 0);
});
