// Speed beside robots-parser, with real files and URLs, on one thread: bench.mjs CORPUS [ROUNDS]. All answers are verified
// first, and compared with those of google/robotstxt. A round measures every engine once, so that what else the machine
// does affects all of them.
import { readCorpus } from './corpus.mjs';
import original from '../npm/node_modules/robots-parser/index.js';
import { Robots } from '../npm/dist/esm/index.js';
import robotsParser from '../npm/dist/esm/robots-parser.js';

const [folder, rounds = '7'] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node bench.mjs CORPUS [ROUNDS]');
const sites = readCorpus(folder);
const urls = sites.reduce((count, site) => count + site.urls.length, 0);
const AGENT = 'ExampleBot';

const encoder = new TextEncoder();
for (const site of sites) {
  site.address = `${site.origin}/robots.txt`;
  const bytes = site.urls.map((url) => encoder.encode(url));
  const offsets = new Uint32Array(bytes.length + 1);
  bytes.forEach((url, index) => (offsets[index + 1] = offsets[index] + url.length));
  site.column = { bytes: new Uint8Array(Buffer.concat(bytes)), offsets };
}

/** Counts the URLs for which an engine and google/robotstxt differ, for three crawlers. */
function verify(name, engine) {
  let wrong = 0;
  for (const site of sites) {
    for (const [index, agent] of ['Googlebot', 'GPTBot', 'ExampleBot'].entries()) {
      engine(site, agent).forEach((isAllowed, url) => {
        if (isAllowed !== (site.verdicts[url][index] === 'A')) wrong += 1;
      });
    }
  }
  console.log(`${name}: ${wrong} of ${urls * 3} answers differ from those of google/robotstxt`);
}

const google = (site) => Robots.parse(site.body, { dialect: 'google' });
verify('one by one', (site, agent) => {
  const rules = google(site).forAgent(agent);
  return site.urls.map((url) => rules.isAllowed(url));
});
verify('batch of strings', (site, agent) => [...google(site).checkBatch(site.urls, agent)].map(({ isAllowed }) => isAllowed));
verify('batch of bytes', (site, agent) => [...google(site).checkBatch(site.column, agent)].map(({ isAllowed }) => isAllowed));
verify('drop-in', (site, agent) => {
  const robots = robotsParser(site.address, site.text);
  return site.urls.map((url) => robots.isAllowed(url, agent));
});
verify('robots-parser', (site, agent) => {
  const robots = original(site.address, site.text);
  return site.urls.map((url) => robots.isAllowed(url, agent));
});

/** What is measured: made ready for each site, then called. Returns how many URLs are allowed. */
const ENGINES = {
  'robots-parser': [
    (site) => original(site.address, site.text),
    (robots, site) => count(site.urls, (url) => robots.isAllowed(url, AGENT)),
  ],
  'drop-in': [
    (site) => {
      const robots = robotsParser(site.address, site.text);
      // The first call compiles the rules.
      robots.isAllowed(site.address, AGENT);
      return robots;
    },
    (robots, site) => count(site.urls, (url) => robots.isAllowed(url, AGENT)),
  ],
  'one by one': [
    (site) => Robots.parse(site.text, { dialect: 'google' }).forAgent(AGENT),
    (rules, site) => count(site.urls, (url) => rules.isAllowed(url)),
  ],
  'one by one, with lines': [
    (site) => Robots.parse(site.text, { dialect: 'google' }).forAgent(AGENT),
    (rules, site) => count(site.urls, (url) => rules.check(url).isAllowed),
  ],
  'batch of strings': [
    (site) => Robots.parse(site.text, { dialect: 'google' }).forAgent(AGENT),
    (rules, site) => countBatch(rules.checkBatch(site.urls)),
  ],
  'batch of bytes': [
    (site) => Robots.parse(site.text, { dialect: 'google' }).forAgent(AGENT),
    (rules, site) => countBatch(rules.checkBatch(site.column)),
  ],
};

function count(items, isAllowed) {
  let allowed = 0;
  for (const item of items) if (isAllowed(item)) allowed += 1;
  return allowed;
}

function countBatch(verdicts) {
  let allowed = 0;
  for (let index = 0; index < verdicts.length; index += 1) if (verdicts.isAllowed(index)) allowed += 1;
  return allowed;
}

/** Nanoseconds of CPU time, of this thread's process. */
const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
};

const times = Object.fromEntries(Object.keys(ENGINES).map((name) => [name, { parse: [], check: [] }]));
for (let round = 0; round < Number(rounds); round += 1) {
  for (const [name, [parse, check]] of Object.entries(ENGINES)) {
    global.gc?.();
    const start = now();
    const ready = sites.map(parse);
    const parsed = now();
    let allowed = 0;
    sites.forEach((site, index) => (allowed += check(ready[index], site)));
    const checked = now();
    times[name].parse.push((parsed - start) / sites.length);
    times[name].check.push((checked - parsed) / urls);
    times[name].allowed = allowed;
  }
}
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const base = median(times['robots-parser'].check);
console.log(`${urls} URLs on ${sites.length} sites, CPU time, ${rounds} rounds: minimum and median`);
for (const [name, { parse, check, allowed }] of Object.entries(times)) {
  const [least, middle] = [Math.min(...check), median(check)];
  const micro = `${(Math.min(...parse) / 1000).toFixed(1)} and ${(median(parse) / 1000).toFixed(1)} µs a file`;
  const figures = `${least.toFixed(0)} and ${middle.toFixed(0)} ns a URL, ${(base / middle).toFixed(1)} times as fast`;
  console.log(`${name}: ${figures}; parse ${micro}; ${allowed} allowed`);
}
