// Measures a keystroke in the page: measure.mjs [URLS] [CRAWLERS] [KEYS]. Prints milliseconds.
import { fragment, launch } from './support.mjs';

const [urls = 10_000, crawlers = 3, keys = 60] = process.argv.slice(2).map(Number);
const rules = Array.from(
  { length: 200 },
  (_, index) => `Disallow: /${index % 3 ? '' : '*/'}section-${index}/${index % 5 ? '' : '*?sort='}`,
);
const state = {
  body: `User-agent: *\n${rules.join('\n')}\n\nUser-agent: GPTBot\nDisallow: /\n`,
  urls: Array.from(
    { length: urls },
    (_, index) => `https://www.example.com/section-${index % 300}/articles/${index}?page=${index % 9}`,
  ),
  agents: ['Googlebot', 'GPTBot', 'Bingbot', 'CCBot', 'ClaudeBot', 'Amazonbot', 'Applebot', 'Bytespider'].slice(
    0,
    crawlers,
  ),
};
const browser = await launch();
const tab = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await tab.goto(new URL('../dist/index.html', import.meta.url).href + (await fragment(state)));
await tab.waitForSelector('#row-0');
await tab.click('#editor .cm-line:nth-child(5)');
await tab.keyboard.press('End');
await tab.evaluate(() => performance.clearMeasures());
// Thread time does not grow when other programs take the processor.
const session = await tab.context().newCDPSession(tab);
await session.send('Performance.enable', { timeDomain: 'threadTicks' });
const busy = async () => {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
};
const before = await busy();
for (let key = 0; key < keys; key += 1) {
  await tab.keyboard.press(key % 2 ? 'Backspace' : 'x');
  await tab.waitForFunction((wanted) => performance.getEntriesByName('keystroke').length >= wanted, key + 1, {
    polling: 5,
  });
}
console.log(`${urls} URLs, ${crawlers} crawlers, ${rules.length} rules, ${keys} keys, Chromium ${browser.version()}`);
const cpu = ((await busy()) - before) / keys;
console.log('           min  median  max');
for (const name of ['parse', 'judge', 'keystroke']) {
  const times = await tab.evaluate((of) => performance.getEntriesByName(of).map(({ duration }) => duration), name);
  times.sort((a, b) => a - b);
  console.log(
    [name.padEnd(9), ...[times[0], times[times.length >> 1], times.at(-1)].map((time) => time.toFixed(1))].join('  '),
  );
}
console.log(`CPU time of the main thread for a key, with lint and painting: ${cpu.toFixed(1)}`);
await browser.close();
