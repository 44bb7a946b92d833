import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOf } from './api.js';

test('problems are read from any body', () => {
  const p = problemOf('{"title":"Too large","detail":"60 MB; 50 MB is the limit."}', 413);
  assert.deepEqual([p.title, p.detail], ['Too large', '60 MB; 50 MB is the limit.']);
  assert.match(problemOf('<html>502</html>', 502).detail, /status 502/);
});
