// Opens the page in headless Chromium.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const program = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => process.env.PATH.split(':').map((path) => join(path, name)))
  .find(existsSync);
const isRequired = process.env.ROBOMATA_REQUIRE_CHROMIUM !== undefined;
export const skip = !program && !isRequired && 'no chromium';

const page = new URL('../dist/index.html', import.meta.url);
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function launch() {
  assert.ok(program, 'chromium is required');
  assert.ok(existsSync(page), 'build the page first (tools/playground/build.sh)');
  return chromium.launch({ executablePath: program, headless: true, args: flags });
}

/** Opens the page in a tab of its own. Errors and requests of the page fail the test, in `close`. */
export async function open(browser, { state, ...options } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    acceptDownloads: true,
    ...options,
  });
  const tab = await context.newPage();
  const problems = [];
  tab.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  tab.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  tab.on(
    'request',
    (request) => /^(file|data|blob):/.test(request.url()) || problems.push(`request: ${request.url()}`),
  );
  await tab.goto(page.href + (state ? await fragment(state) : ''));
  await tab.waitForSelector('#urls [role=columnheader]');
  await settled(tab);
  return {
    tab,
    problems,
    async close() {
      await context.close();
      assert.deepEqual(problems, []);
    },
  };
}

/** The link of a state, as the page makes it. */
export async function fragment(state) {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return `#1.${Buffer.from(await new Response(stream).arrayBuffer()).toString('base64url')}`;
}

/** Waits until the findings are those of the file. */
export async function settled(tab) {
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
  await tab.waitForFunction(() => !document.body.hasAttribute('data-busy'));
}

/** Replaces the text of an editor by a paste. */
export async function type(tab, text, id = 'editor') {
  await tab.click(`#${id} .cm-content`);
  await tab.keyboard.press('Control+a');
  await tab.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    document.activeElement.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  }, text);
  await settled(tab);
}

/** The rows of the table of URLs that are in view, as text. */
export const rows = (tab) =>
  tab.$$eval('#urls .rows [role=row]', (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));

/** The rows of a table, as text. */
export const cells = (tab, selector) =>
  tab.$$eval(`${selector} tbody tr`, (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
