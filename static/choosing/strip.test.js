import assert from 'node:assert/strict';
import { test } from 'node:test';
import { short } from './strip.js';

test('gaps are short', () => assert.deepEqual([123.4, 12.34, 1.234, 0.0004].map(short), ['123', '12.3', '1.23', '0.0004']));
