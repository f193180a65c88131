// The package as users install it: the examples of its README, and its types.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'robomata-'));

function run(command, args, cwd = folder) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

let packed;

before(() => {
  [packed] = JSON.parse(run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename)]);
});

after(() => rmSync(folder, { recursive: true }));

test('the package has everything, and nothing else', () => {
  const files = packed.files.map(({ path }) => path);
  const others = files.filter((path) => !/^dist\/(esm|cjs)\/[\w.-]+\.(js|d\.ts)$/.test(path));
  assert.deepEqual(others.sort(), [
    'LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'dist/cjs/package.json', 'package.json',
    'robots-parser.cjs', 'robots-parser.d.cts',
    // A build without cargo-cyclonedx has none.
    ...(existsSync(join(root, 'sbom.cdx.json')) ? ['sbom.cdx.json'] : []),
  ]);
  const { scripts, dependencies } = JSON.parse(readFileSync(join(folder, 'node_modules/robomata/package.json')));
  assert.equal(dependencies, undefined);
  assert.deepEqual(Object.keys(scripts), ['test']);
});

test('the examples of the README print what their comments say', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```(js|cjs)\n(.*?)^```$/gms)];
  assert.ok(examples.length >= 4);
  for (const [index, [, kind, code]] of examples.entries()) {
    const expected = [...code.matchAll(/^ *console\.log\(.*\); \/\/ (.*)$/gm)].map(([, comment]) => comment);
    assert.ok(expected.length > 0, code);
    const name = `example-${index}.${kind === 'js' ? 'mjs' : 'cjs'}`;
    writeFileSync(join(folder, name), code);
    assert.deepEqual(run(process.execPath, [name]).trimEnd().split('\n'), expected, code);
  }
});

test('the types are right, for ES modules, CommonJS, and compilers that read no exports', () => {
  const source = readFileSync(join(root, 'test/support/types.ts'), 'utf8');
  for (const name of ['types.mts', 'types.cts', 'types.ts']) writeFileSync(join(folder, name), source);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const common = { noEmit: true, strict: true, target: 'es2022', types: [] };
  for (const [files, options] of [
    [['types.mts', 'types.cts'], { module: 'node16' }],
    [['types.ts'], { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: false }],
    [['types.ts'], { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true }],
  ]) {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...common, ...options }, files }));
    run(process.execPath, [compiler, '-p', folder]);
  }
});

test('what reads no exports finds the same modules', () => {
  const { main, types, typesVersions, exports } = JSON.parse(readFileSync(join(root, 'package.json')));
  const { './package.json': _, '.': { require: own }, ...others } = exports;
  assert.deepEqual({ types, default: main }, own);
  const expected = Object.entries(others).map(([name, { require }]) => [name.slice(2), [require.types]]);
  assert.deepEqual(typesVersions, { '*': Object.fromEntries(expected) });
});
