// The drop-in for robots-parser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import original from 'robots-parser';
import robotsParser from 'robomata/robots-parser';
import { cases } from './support/cases.mjs';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));

test("robots-parser's own tests pass", () => {
  const folder = mkdtempSync(join(root, 'node_modules/.robots-parser-'));
  try {
    mkdirSync(join(folder, 'test'));
    const tests = join(dirname(require.resolve('robots-parser')), 'test/Robots.js');
    cpSync(tests, join(folder, 'test/Robots.cjs'));
    writeFileSync(join(folder, 'index.js'), `module.exports = require(${JSON.stringify(require.resolve('robomata/robots-parser'))});`);
    writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
    const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
    const output = execFileSync(process.execPath, [mocha, 'test/Robots.cjs'], { cwd: folder, encoding: 'utf8' });
    assert.match(output, /\b41 passing\b/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Whether the URL standard, and robots-parser after it, leave a URL as it is. */
function isKept(url) {
  const { pathname, search } = new URL(`https://example.com${url}`);
  return pathname + search === url && !url.startsWith('//') && !/%[0-9A-F]*[a-f]/.test(url);
}

test('the conformance cases pass', () => {
  let checked = 0;
  for (const { label, body, status, agent, dialect, url, verdict, line } of cases()) {
    const [text, path] = [body, url].map((bytes) => bytes.toString('utf8'));
    const isText = Buffer.from(text).equals(body) && Buffer.from(path).equals(url);
    const reads = /^([a-z_-]+|\*)$/i.test(agent) ? 'google' : 'rfc9309';
    if (status !== 200 || dialect !== reads || !/^[\w.-]+$/.test(agent)) continue;
    if (!isText || !path.startsWith('/') || !isKept(path)) continue;
    const robots = robotsParser('https://example.com/robots.txt', text);
    assert.equal(robots.isAllowed(`https://example.com${path}`, agent), verdict === 'allow', `${label} ${path}`);
    const found = robots.getMatchingLineNumber(`https://example.com${path}`, agent);
    // Here, a rule without a path does not count.
    if (found > 0 && line !== undefined) assert.equal(found, line, `${label} ${path}`);
    checked += 1;
  }
  assert.ok(checked > 600, `${checked}`);
});

const TEXT = `
User-agent: *
Disallow: /private
Allow: /private/press # comment
Disallow: //double

User-agent: ExampleBot
User-agent: MJ12bot
Crawl-delay: 2.5
Disallow: /*.pdf$
Sitemap: /sitemap.xml
Host: Example.com
`;

const ADDRESSES = [
  'https://example.com/robots.txt', 'http://example.com:80/', 'https://example.com:8443/robots.txt', '/robots.txt',
  '//example.com/robots.txt', 'robots.txt', '', undefined, null, 'https://', 'ftp://example.com/robots.txt',
];
const URLS = [
  'https://example.com/private', 'https://EXAMPLE.com/private/press', 'https://example.com:443/private?a#b',
  'http://example.com/private', 'https://example.com:8443/x/../private', 'https://example.com', 'https://example.com?a',
  'https://example.com@example.org/private', 'https://example.com.example.org/private', '/private', '/x.pdf', 'private',
  'https://example.com/private\u0000', 'https://example.com/a b.pdf', '//example.com/x',
  'https://example.com\\private', ' https://example.com/x.pdf ', 'https://example.com/%2e%2E/private', '?x', '', 'https://',
  'ftp://example.com/private', 'https://example.com/.private', 'https://example.com/x\t.pdf', "https://example.com/?'.pdf",
  'https://example.com/ü.pdf', 'https://example.com/x.pdf?', 'https://example.com/x.pdf#', 'https://example.com/private/press',
];
const AGENTS = [
  undefined, null, '', '*', 'ExampleBot', 'examplebot/2.1 (+https://example.com)', ' MJ12BOT ', 'mj12bot/1', 'mj12', 'Other bot',
  'constructor', '__proto__', '/', '🤖',
];

test('every call answers as that of robots-parser', () => {
  for (const address of ADDRESSES) {
    const [theirs, ours] = [original(address, TEXT), robotsParser(address, TEXT)];
    for (const ua of AGENTS) {
      assert.equal(ours.getCrawlDelay(ua), theirs.getCrawlDelay(ua), ua);
      for (const url of URLS) {
        const label = `${address} ${ua} ${url}`;
        // Two invalid URLs have the same origin there, and are an error.
        if (address === 'https://' && url === 'https://') continue;
        for (const call of ['isAllowed', 'isDisallowed', 'getMatchingLineNumber']) {
          assert.equal(ours[call](url, ua), theirs[call](url, ua), `${call} ${label}`);
        }
        const isOfOrigin = theirs.isAllowed(url, ua) !== undefined;
        assert.equal(ours.isExplicitlyDisallowed(url, ua) !== undefined, isOfOrigin, label);
      }
    }
    assert.deepEqual(ours.getSitemaps(), theirs.getSitemaps());
    assert.equal(ours.getPreferredHost(), theirs.getPreferredHost());
  }
  for (const empty of ['', null, undefined]) assert.equal(robotsParser('/robots.txt', empty).isAllowed('/'), true);
  assert.throws(() => robotsParser('/robots.txt', 7), TypeError);
});

test('delays, sitemaps and hosts are read as robots-parser reads them', () => {
  const lines = [
    'User-agent: a', 'user-agent:b/1', 'USER-AGENT :c', 'Crawl-delay: 3', 'Crawl-delay:', 'crawl-delay: x', 'crawl-delay: 1e3',
    'Disallow: /', 'Allow:', 'Unknown: x', '# comment', '', 'Sitemap: a:b', 'sitemap:', 'Host: X', 'host', ':', 'User-agent:',
  ];
  for (let seed = 1, round = 0; round < 2000; round += 1) {
    const random = (count) => (seed = (seed * 48_271) % 0x7fff_ffff) % count;
    const end = ['\n', '\r', '\r\n'][random(3)];
    const text = Array.from({ length: random(12) }, () => lines[random(lines.length)]).join(end);
    const [theirs, ours] = ['/robots.txt', '/robots.txt'].map((url, index) => [original, robotsParser][index](url, text));
    for (const ua of ['a', 'b', 'c/1', 'd']) assert.equal(ours.getCrawlDelay(ua), theirs.getCrawlDelay(ua), text);
    assert.deepEqual(ours.getSitemaps(), theirs.getSitemaps(), text);
    assert.equal(ours.getPreferredHost(), theirs.getPreferredHost(), text);
  }
});

test('the whole text is read for every crawler', () => {
  const robots = robotsParser('/robots.txt', `User-agent: *\n${'# a comment of some bytes\n'.repeat(200_000)}Disallow: /late\n`);
  for (const ua of ['ExampleBot', 'MJ12bot', 'bot.example', undefined]) {
    assert.deepEqual([robots.isAllowed('/late', ua), robots.getMatchingLineNumber('/late', ua)], [false, 200_002], ua);
  }
});

test('hosts may have every character that the URL standard admits', () => {
  for (const host of ['a;b', 'a*b', "!$&'()+,=~_.a", '[::1]', '192.0.2.1', 'xn--bcher-kva.example', 'ü.example']) {
    const parse = [original, robotsParser].map((of) => of(`https://${host}/robots.txt`, 'User-agent: *\nDisallow: /p\nDisallow: //q'));
    for (const path of ['/p', '/x', '//q', '//p', '/x?;/p', '/;p', '/x//p', '/x/../p', '/%70']) {
      for (const ua of ['ExampleBot', 'MJ12bot']) {
        const [theirs, ours] = parse.map((robots) => robots.isAllowed(`https://${host}${path}`, ua));
        // RFC 9309 decodes it, as the README says.
        assert.equal(ours, path === '/%70' && ua === 'MJ12bot' ? false : theirs, `${host} ${path} ${ua}`);
      }
    }
  }
});

test('a text that is no robots.txt disallows', () => {
  for (const text of ['PK\x03\x04', 'WARC/1.0\r\nWARC-Type: response\r\n', 'PAR1']) {
    const robots = robotsParser('https://example.com/robots.txt', text);
    for (const ua of ['ExampleBot', 'MJ12bot', undefined]) {
      const url = 'https://example.com/';
      const found = [robots.isAllowed(url, ua), robots.isDisallowed(url, ua), robots.isExplicitlyDisallowed(url, ua)];
      assert.deepEqual([...found, robots.getMatchingLineNumber(url, ua)], [false, true, true, -1]);
      assert.equal(robots.isAllowed('https://example.org/', ua), undefined);
    }
    assert.deepEqual([robots.getSitemaps(), robots.getPreferredHost(), robots.getCrawlDelay()], [[], null, undefined]);
  }
});

test('a rule without a colon has a line', () => {
  const robots = robotsParser('/robots.txt', 'User-agent *\nDisallow /p\nDisallow:\nAllow: # all\n');
  assert.deepEqual(['/p', '/x'].map((url) => robots.getMatchingLineNumber(url)), [2, -1]);
});

test('only rules that name the crawler disallow explicitly', () => {
  const robots = robotsParser('https://example.com/robots.txt', TEXT);
  const is = (path, ua) => robots.isExplicitlyDisallowed(`https://example.com${path}`, ua);
  assert.deepEqual([is('/x.pdf', 'ExampleBot'), is('/private', 'ExampleBot')], [true, false]);
  assert.deepEqual([is('/private', 'OtherBot'), is('/private'), is('/x.pdf', 'MJ12bot')], [false, true, true]);
  assert.equal(robots.isExplicitlyDisallowed('https://example.org/', 'ExampleBot'), undefined);
  // Groups are those of the verdict, however their names are written.
  for (const line of ['User agent: Bot', 'useragent: Bot', 'User-agent Bot', 'USER-AGENT : bot/1.0', 'User-agent: Bot and others']) {
    for (const text of [line, `${line}\nUser-agent: *`, `User-agent: *\n${line}`, `User-agent: *\nDisallow: /\n${line}`]) {
      const named = robotsParser('/robots.txt', `${text}\nDisallow: /`);
      assert.equal(named.isExplicitlyDisallowed('/', 'Bot/2.0'), true, text);
      assert.equal(named.isExplicitlyDisallowed('/', 'OtherBot'), false, text);
    }
  }
  // A list of names at the end has no rules, and the last rule may be one for all.
  const unruled = robotsParser('/robots.txt', 'User-agent: *\nDisallow: /\nUser-agent: Bot');
  assert.deepEqual(['Bot', 'OtherBot', '*'].map((ua) => unruled.isExplicitlyDisallowed('/', ua)), [false, false, true]);
});

test('what the README lists as different', () => {
  const both = (text, url, ua, address = '/robots.txt') =>
    [original, robotsParser].map((parse) => parse(address, text).isAllowed(url, ua));
  // Google's parser finds more keys and separators.
  assert.deepEqual(both('User-agent: *\nDisalow: /a', '/a'), [true, false]);
  assert.deepEqual(both('User-agent *\nDisallow /a', '/a'), [true, false]);
  // Groups of one crawler are merged there, too, but other lines do not end a list of names here.
  assert.deepEqual(both('User-agent: a\nSitemap: x\nUser-agent: b\nDisallow: /', '/', 'a'), [true, false]);
  // A path without a leading slash matches nothing in both, and `index.html` also stands for its folder here.
  assert.deepEqual(both('User-agent: *\nDisallow: /a/\nAllow: /a/index.html', '/a/'), [false, true]);
  // Only bytes outside ASCII are encoded in a path of a rule.
  assert.deepEqual(both('User-agent: *\nDisallow: /a|b', '/a%7Cb'), [false, true]);
  // Names.
  assert.deepEqual(both('User-agent: foo bar\nDisallow: /', '/', 'foo'), [true, false]);
  assert.deepEqual(both('User-agent: foo bar\nDisallow: /', '/', 'foo bar'), [false, false]);
  assert.deepEqual(both('User-agent: *\nDisallow: /p', '/%70', 'bot1'), [true, false]);
  assert.deepEqual(both('User-agent: *\nDisallow: /', '/robots.txt', 'bot1'), [false, true]);
  // Other files.
  assert.deepEqual(both('WARC/1.0\r\n', '/'), [true, false]);
  // Two invalid URLs.
  assert.throws(() => original('https://', '').isAllowed('https://'), TypeError);
  assert.equal(robotsParser('https://', '').isAllowed('https://'), undefined);
  // Neither a path nor a URL with a host.
  assert.deepEqual(both('', 'data:x', undefined, 'data:y'), [true, undefined]);
  assert.equal(robotsParser('/robots.txt', '').addRule, undefined);
});

test('hostile texts take little time', () => {
  const start = performance.now();
  const text = `User-agent: *\nDisallow: /${'*a'.repeat(5000)}b\n`.repeat(5);
  assert.equal(robotsParser('/robots.txt', text).isAllowed(`/${'a'.repeat(100_000)}`), true);
  for (const url of [`${'/a'.repeat(500_000)} `, `${'/a'.repeat(1000)} `, `/${'.'.repeat(2000)}?`, '/'.repeat(5_000_000)]) {
    assert.equal(typeof robotsParser('https://example.com/', text).isAllowed(`https://example.com${url}`), 'boolean');
  }
  assert.ok(performance.now() - start < 10_000);
});
