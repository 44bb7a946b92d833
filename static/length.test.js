import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Lines that a function may have. */
const LONGEST = 80;

/** Lines that a module may have. */
const MOST = 400;

/** @returns {string[]} paths of the modules */
function modules() {
  return readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
    .filter((folder) => folder.isDirectory() && folder.name !== 'node_modules')
    .flatMap(({ name }) => readdirSync(new URL(`${name}/`, import.meta.url)).map((file) => `${name}/${file}`))
    .filter((path) => path.endsWith('.js'));
}

const parser = await Promise.all([import('acorn'), import('acorn-walk')]).catch(() => null);

/** @param {string} source @returns {string[]} its functions with more lines than that */
function longFunctions(source, most = LONGEST) {
  const [acorn, walk] = /** @type {NonNullable<typeof parser>} */ (parser);
  /** @type {string[]} */
  const found = [];
  walk.full(acorn.parse(source, { ecmaVersion: 'latest', sourceType: 'module', locations: true }), (node) => {
    if (!/Function/.test(node.type) || !node.loc) return;
    const lines = node.loc.end.line - node.loc.start.line + 1;
    if (lines > most) found.push(`line ${node.loc.start.line}: ${lines} lines`);
  });
  return found;
}

test('long functions are found', { skip: !parser && 'needs npm ci in static/' }, () => {
  const body = 'f();\n'.repeat(3);
  for (const source of [`function a() {\n${body}}`, `const a = () => {\n${body}};`, `class A {\n  a() {\n${body}}\n}`, `async function* a() {\n${body}}`]) {
    assert.equal(longFunctions(source, 4).length, 1, source);
    assert.equal(longFunctions(source, 5).length, 0, source);
  }
});

test('functions fit on a screen, modules in a glance', { skip: !parser && 'needs npm ci in static/' }, () => {
  const paths = modules();
  assert.ok(paths.length > 100, `${paths.length} modules found`);
  const long = paths.flatMap((path) => {
    const source = readFileSync(new URL(path, import.meta.url), 'utf8');
    const lines = source.split('\n').length - 1;
    return [...longFunctions(source).map((f) => `${path}, ${f}`), ...(lines >= MOST ? [`${path}: ${lines} lines`] : [])];
  });
  assert.deepEqual(long, []);
});
