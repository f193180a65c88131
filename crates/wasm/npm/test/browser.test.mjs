// The package in a browser, if there is one.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const PAGE = `<!doctype html>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'">
<body><script type="module" src="/page.js"></script>`;
const SCRIPT = `
import { Robots, lint } from '/dist/esm/index.js';
import robotsParser from '/dist/esm/robots-parser.js';
const text = 'User-agent: *\\nDisalow: /a\\n';
const verdict = Robots.parse(text).check('/a', 'ExampleBot');
const isAllowed = robotsParser('https://example.com/robots.txt', text).isAllowed('https://example.com/a');
document.body.textContent = [verdict.line, lint(text)[0].code, isAllowed].join(' ');
`;

const program = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => process.env.PATH.split(':').map((path) => join(path, name)))
  .find(existsSync);
const isRequired = process.env.ROBOMATA_REQUIRE_CHROMIUM !== undefined;

test('a page without network access checks URLs', { skip: !program && !isRequired && 'no chromium' }, async () => {
  assert.ok(program, 'chromium is required');
  const dist = new URL('../', import.meta.url);
  const server = createServer(({ url }, response) => {
    const isScript = url.endsWith('.js');
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(url === '/page.js' ? SCRIPT : isScript ? readFileSync(new URL(`.${url}`, dist)) : PAGE);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const profile = mkdtempSync(join(tmpdir(), 'robomata-'));
  try {
    const options = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`];
    const wait = ['--virtual-time-budget=10000', '--dump-dom', `http://127.0.0.1:${server.address().port}/`];
    const { stdout } = await promisify(execFile)(program, [...options, ...wait], { timeout: 60_000 });
    assert.match(stdout, /2 misspelt-key false/);
  } finally {
    server.close();
    rmSync(profile, { recursive: true, force: true });
  }
});
