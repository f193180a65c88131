import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { RobomataError, Robots, diff, lint } from 'robomata';
import * as everything from 'robomata/playground';
import * as permissions from 'robomata/permissions';

const BODY = 'User-agent: *\nDisallow: /private\nAllow: /private/press$\n';
const bytes = (text) => new TextEncoder().encode(text);

test('a check names the line that decides', () => {
  const robots = Robots.parse(BODY);
  assert.deepEqual(robots.check('https://example.com/private/a', 'ExampleBot'), {
    verdict: 'disallow', isAllowed: false, line: 2, reason: 'rule',
  });
  assert.deepEqual(robots.check(bytes('/private/press'), 'ExampleBot'), {
    verdict: 'allow', isAllowed: true, line: 3, reason: 'rule',
  });
  assert.equal(robots.check('/', 'ExampleBot').line, null);
  assert.equal(Robots.parse(bytes(BODY)).isAllowed('/private', 'ExampleBot'), false);
});

test('CommonJS and ES modules have the same interface', async () => {
  const require = createRequire(import.meta.url);
  for (const name of ['robomata', 'robomata/permissions', 'robomata/playground', 'robomata/load']) {
    const [commonJs, esm] = [require(name), await import(name)];
    assert.deepEqual(Object.keys(commonJs).sort(), Object.keys(esm).sort(), name);
  }
  assert.equal(require('robomata').Robots.parse(BODY).isAllowed('/private', 'a'), false);
});

test('only what a policy allows is allowed', () => {
  const robots = Robots.parse('');
  const invalid = ['//example.com/a', 'https://256.0.0.1/', 'https://example.com/a\tb', '/a\n', 'https://b\u{FC}cher.example/x'];
  for (const url of ['', 'a', 'mailto:a@example.com', 'https://', '\0', ...invalid]) {
    assert.equal(robots.check(url, 'ExampleBot').verdict, 'invalid', url);
    assert.equal(robots.isAllowed(url, 'ExampleBot'), false, url);
  }
  for (const url of ['https://xn--bcher-kva.example/x', new URL('https://b\u{FC}cher.example/x').href, ' /a ']) {
    assert.equal(robots.isAllowed(url, 'ExampleBot'), true, url);
  }
  for (const agent of ['', ' ', 'Mozilla/5.0 (X11; Linux x86_64) Firefox/60.0']) {
    assert.throws(() => robots.isAllowed('/', agent), { name: 'RobomataError', code: 'agent' });
  }
  for (const agent of [undefined, null, 7]) assert.throws(() => robots.isAllowed('/', agent), TypeError);
  for (const url of [undefined, null, 7, {}]) {
    assert.throws(() => robots.isAllowed(url, 'ExampleBot'), TypeError);
    assert.throws(() => robots.checkBatch(['/', url], 'ExampleBot'), TypeError);
  }
  assert.throws(() => Robots.parse(undefined), TypeError);
});

test('the result of the fetch counts', () => {
  const allows = (status) => Robots.parse('', { status }).check('/', 'ExampleBot').verdict;
  assert.deepEqual([200, 404, 503, 'no-response', 'too-many-redirects'].map(allows), [
    'allow', 'allow', 'disallow', 'disallow', 'allow',
  ]);
  for (const status of [0, 1, 99, 1000, 404.5, '404', NaN, null, undefined]) assert.throws(() => allows(status), RangeError);
  assert.throws(() => Robots.parse('', { dialect: 'bing' }), RangeError);
});

test('a name that is no option is refused', () => {
  for (const options of [{ statusCode: 503 }, { Status: 503 }, { max_robots_bytes: 512_000 }, { __proto__: null, code: 1 }]) {
    assert.throws(() => Robots.parse(BODY, options), { name: 'TypeError', message: /^options: expected dialect, status, maxRobotsBytes, found "/ });
  }
  assert.equal(lint(BODY, { dialect: 'google', maxRobotsBytes: 512_000 }).length, lint(BODY).length);
  const known = { dialect: 'google', status: 503, maxRobotsBytes: 512_000 };
  assert.equal(Robots.parse('', known).isAllowed('/', 'ExampleBot'), false);
  // A response has a status, and more.
  assert.equal(Robots.parse('', new Response('', { status: 503 })).isAllowed('/', 'ExampleBot'), false);
  class Fetched { status = 503; statusText = 'x'; }
  assert.equal(Robots.parse('', new Fetched()).isAllowed('/', 'ExampleBot'), false);
  // Other objects have no status, or call it otherwise.
  class Named { statusCode = 503; }
  const response = Object.assign(new IncomingMessage(null), { statusCode: 503 });
  for (const options of [response, 503, 'google', null, [503], new Map([['status', 503]]), new Named(), Object.create({ statusCode: 503 })]) {
    assert.throws(() => Robots.parse('', options), { name: 'TypeError', message: /^options: .* found \w+ without one/ });
  }
});

test('lint and diff take no status', () => {
  for (const call of [(options) => lint(BODY, options), (options) => diff(BODY, '', 'A', options)]) {
    for (const options of [{ status: 404 }, { max_robots_bytes: 512_000 }, { dialekt: 'google' }, { dialect: 'google', status: 503 }]) {
      assert.throws(() => call(options), { name: 'TypeError', message: /^options: expected dialect, maxRobotsBytes, found "/ });
    }
    for (const options of [new Response('', { status: 503 }), 'google', null, ['google'], new Map([['dialect', 'google']])]) {
      const message = /^options: expected a plain object of dialect, maxRobotsBytes, found \w+$/;
      assert.throws(() => call(options), { name: 'TypeError', message });
    }
    call({ dialect: 'google', maxRobotsBytes: 512_000 });
  }
});

test('rules that were freed are compiled again', () => {
  const robots = Robots.parse(BODY);
  const first = robots.forAgent('ExampleBot');
  assert.equal(robots.forAgent('ExampleBot'), first);
  first.free();
  assert.throws(() => first.isAllowed('/'), { code: 'freed' });
  assert.equal(robots.isAllowed('/private', 'ExampleBot'), false);
  robots.forAgent('OtherBot');
  robots.forAgent('ExampleBot').free();
  robots.forAgent('OtherBot');
  assert.equal(robots.isAllowed('/private', 'ExampleBot'), false);
});

test('a batch answers as checks do', () => {
  const rules = Robots.parse(`${BODY}Disallow: /é\nDisallow: /*.pdf$\n`).forAgent('ExampleBot');
  const words = ['/private', '/private/press', '/é/x', '/%C3%A9', '/a.pdf', '/😀', '/\ud800', '', 'x', '/'];
  const urls = Array.from({ length: 20_000 }, (_, index) => words[(index * 7) % words.length] + (index % 3 ? '' : index));
  urls.splice(9000, 0, `/${'a'.repeat(400_000)}`, `/private${'é'.repeat(200_000)}`);
  const verdicts = rules.checkBatch(urls);
  assert.equal(verdicts.length, urls.length);
  const column = bytes(urls.join(''));
  const offsets = [0];
  for (const url of urls) offsets.push(offsets.at(-1) + bytes(url).length);
  const columns = [offsets, Uint32Array.from(offsets), Float64Array.from(offsets)].map((ends) =>
    rules.checkBatch({ bytes: column, offsets: ends }),
  );
  urls.forEach((url, index) => {
    const verdict = rules.check(url);
    assert.deepEqual(verdicts.at(index), verdict, url.slice(0, 99));
    assert.equal(verdicts.isAllowed(index), verdict.isAllowed);
    assert.equal(verdicts.line(index), verdict.line ?? 0);
    for (const other of columns) assert.deepEqual(other.at(index), verdict, url.slice(0, 99));
  });
  assert.equal([...verdicts].length, urls.length);
  for (const index of [urls.length, -1, 0.5, -0.5, 1.5, NaN, Infinity, 2 ** 31]) {
    assert.deepEqual([verdicts.isAllowed(index), verdicts.line(index), verdicts.at(index)], [false, 0, undefined], `${index}`);
  }
  assert.equal(verdicts.at(-1), undefined);
  assert.equal(rules.checkBatch([]).length, 0);
  for (const offsets of [[0], [7], new Uint32Array(1)]) assert.equal(rules.checkBatch({ bytes: column, offsets }).length, 0);
  for (const offsets of [[], new Int32Array(0)]) {
    assert.equal(rules.checkBatch({ bytes: new Uint8Array(0), offsets }).length, 0);
  }
});

test('offsets must ascend and fit', () => {
  const rules = Robots.parse(BODY).forAgent('ExampleBot');
  for (const offsets of [[0, 10], [0, 8, 7], [-1, 3], [0, 1.5], [0, NaN], [0, undefined]]) {
    assert.throws(() => rules.checkBatch({ bytes: bytes('/private/'), offsets }), RangeError);
  }
  assert.throws(() => rules.checkBatch({ bytes: '/private', offsets: [0, 8] }), TypeError);
  assert.throws(() => rules.checkBatch(undefined), TypeError);
  const wrong = [new Set([0, 8]), new Uint32Array([0, 8]).buffer, { length: NaN }, { length: '2', 0: 0, 1: 8 }, [], {}, undefined, null];
  for (const offsets of wrong) {
    for (const length of [0, 8]) {
      if (length === 0 && Array.isArray(offsets)) continue;
      const call = () => rules.checkBatch({ bytes: bytes('/private').subarray(0, length), offsets });
      assert.throws(call, { name: 'TypeError', message: /^urls.offsets: expected an array of at least one number/ });
    }
  }
});

test('views of buffers that were transferred are refused', () => {
  const robots = Robots.parse('User-agent: *\nDisallow: /private');
  const column = () => ({ bytes: bytes('/private/a'), offsets: new Uint32Array([0, 8, 10]) });
  const transferred = (view) => structuredClone(view, { transfer: [view.buffer] });
  for (const names of [['bytes'], ['offsets'], ['bytes', 'offsets']]) {
    const urls = column();
    for (const name of names) transferred(urls[name]);
    assert.throws(() => robots.checkBatch(urls, 'ExampleBot'), { message: /^urls\.offsets/ }, `${names}`);
  }
  const urls = column();
  assert.equal(robots.checkBatch({ bytes: transferred(urls.bytes), offsets: transferred(urls.offsets) }, 'ExampleBot').length, 2);
  // A file that is not there any more is not an empty one, which would allow everything.
  const body = bytes(BODY);
  transferred(body);
  const calls = [() => Robots.parse(body), () => lint(body), () => diff(body, body, 'A'), () => robots.check(body, 'A')];
  for (const call of calls) assert.throws(call, { name: 'TypeError', message: /: its buffer was transferred/ });
  assert.equal(Robots.parse(new Uint8Array(0)).isAllowed('/', 'A'), true);
});

test('a lone surrogate is U+FFFD, as in a URL', () => {
  const robots = Robots.parse('User-agent: *\nDisallow: /\ud800a');
  assert.equal(robots.isAllowed('/\udc00a', 'ExampleBot'), false);
  assert.equal(robots.isAllowed('/%EF%BF%BDa', 'ExampleBot'), false);
  assert.deepEqual([...robots.checkBatch(['/\ud83d', '\ude00'], 'ExampleBot')].map(({ verdict }) => verdict), [
    'allow', 'invalid',
  ]);
});

test('reports', () => {
  const robots = Robots.parse(`${BODY}Crawl-delay: 1.5\nSitemap: https://example.com/s.xml\nDisalow: /x\n`);
  const explanation = robots.explain('/private/press', 'ExampleBot');
  assert.deepEqual([explanation.group, explanation.rules.map(({ line }) => line)], ['*', [3, 2]]);
  const summary = robots.summary('ExampleBot');
  assert.deepEqual([summary.crawl_delay, summary.sitemaps], [1.5, ['https://example.com/s.xml']]);
  assert.equal(summary.diagnostics[0].code, 'misspelt-key');
  const [finding] = lint('User-agent: *\nDisalow: /');
  assert.deepEqual([finding.line, finding.code, finding.fix.text], [2, 'misspelt-key', 'Disallow']);
  assert.deepEqual(lint(''), everything.lint(''));
  const changes = diff('User-agent: *\nDisallow: /a', BODY, 'ExampleBot');
  assert.equal(changes.is_complete, true);
  assert.deepEqual(changes.examples.map(({ path }) => path), ['/a', '/private']);
  assert.deepEqual(diff(BODY, BODY, 'ExampleBot'), { examples: [], is_complete: true });
});

test('checks, explanations and comparisons have the same words for reasons', () => {
  const acap = 'ACAP-crawler: *\nACAP-allow-crawl: /*a\nACAP-disallow-crawl: /*b\n';
  const files = [[BODY, 200], [acap, 200], ...[301, 403, 404, 503, 'no-response'].map((status) => [BODY, status])];
  const seen = new Set();
  for (const dialect of ['rfc9309', 'google', 'koster1996', 'yandex', 'acap']) {
    for (const [body, status] of files) {
      const rules = everything.Robots.parse(body, { dialect, status }).forAgent('ExampleBot');
      for (const url of ['', '/private', '/ab', '/robots.txt']) {
        const { isAllowed, ...checked } = rules.check(url);
        assert.deepEqual(rules.explain(url).verdict, checked, `${dialect} ${status} ${url}`);
        assert.equal(isAllowed, checked.verdict === 'allow');
        seen.add(checked.reason);
      }
    }
  }
  assert.deepEqual([...seen].sort(), [
    'deferred', 'invalid', 'no-rule', 'restricted', 'robots-txt', 'rule', 'unavailable', 'undeterminable', 'unknown',
    'unreachable',
  ]);
  const [{ old, new: changed }] = diff('', 'User-agent: *\nDisallow: /', 'ExampleBot').examples;
  assert.deepEqual([old.reason, changed.reason], ['no-rule', 'rule']);
});

test('permissions and international hosts', () => {
  const { Robots: All } = everything;
  const robots = All.parse('User-agent: *\nContent-Signal: ai-train=no\nAllow: /');
  const answers = robots.permissions('/', 'ExampleBot');
  const { permission, source } = answers.find(({ usage }) => usage === 'ai-train');
  assert.deepEqual([permission, source.line], ['prohibited', 2]);
  assert.throws(() => robots.permissions('mailto:a', 'ExampleBot'), { code: 'argument' });
  assert.equal(All.parse('', { dialect: 'acap' }).isAllowed('/', 'ExampleBot'), true);
  assert.throws(() => Robots.parse('', { dialect: 'acap' }), { code: 'argument' });
  assert.equal(Robots.parse('').permissions, undefined);
});

test('a page and its headers state permissions', () => {
  const robots = everything.Robots.parse('User-agent: *\nDisallow: /private\n');
  const page = '<!doctype html>\n<title>a</title>\n<meta name="robots" content="nosnippet">';
  const headers = 'HTTP/2 200\r\ncontent-type: text/html\r\nx-robots-tag: noindex\r\n';
  const places = (answers) =>
    ['crawl', 'index', 'present-snippet'].map((name) => {
      const { source } = answers.find(({ usage }) => usage === name);
      return source && `${source.place} ${source.line}`;
    });
  assert.deepEqual(places(robots.permissions('/', 'A', { headers, page })), [null, 'header 3', 'meta 3']);
  assert.deepEqual(places(robots.permissions('/private', 'A', { page })), ['robots-txt 2', null, 'meta 3']);
  assert.deepEqual(places(robots.permissions('/private', 'A')), ['robots-txt 2', null, null]);
  assert.throws(() => robots.permissions('/', 'A', { headers: 'noindex' }), { code: 'argument' });
  for (const wrong of [7, bytes(page)]) assert.throws(() => robots.permissions('/', 'A', { page: wrong }), TypeError);
  assert.equal(places(robots.permissions('/', 'A', { headers, page: '' }))[1], 'header 3');
  for (const [part, message] of [['', /an empty page, or a fetch that failed/], [`${headers}\r\n${page}`, /found a response with/]]) {
    assert.throws(() => robots.permissions('/', 'A', { page: part }), { code: 'argument', message });
  }
  const ended = 'X-Robots-Tag: unavailable_after: 2020-01-01\n';
  assert.equal(places(robots.permissions('/', 'A', { headers: ended }))[1], 'header 1');
  const index = (now) => robots.permissions('/', 'A', { headers: ended, now }).find(({ usage }) => usage === 'index');
  const end = Date.UTC(2020, 0, 1) / 1000;
  assert.deepEqual([end - 1, end + 86_400, undefined].map((now) => index(now).permission), ['permitted', 'prohibited', 'prohibited']);
  for (const now of [0, -1, Date.now()]) assert.throws(() => index(now), { code: 'argument', message: /^now: expected seconds/ });
  for (const now of [NaN, Infinity, 2 ** 64]) assert.throws(() => index(now), RangeError);
  const small = permissions.Robots.parse('');
  assert.equal(small.permissions('/', 'A').length, robots.permissions('/', 'A').length);
  assert.throws(() => small.permissions('/', 'A', { page }), /TypeError.*robomata\/playground/);
});

test('a page that is not read is refused', () => {
  const robots = everything.Robots.parse('User-agent: *\nAllow: /\n');
  const index = (options) => robots.permissions('/', 'A', options).find(({ usage }) => usage === 'index').permission;
  const [headers, page] = ['X-Robots-Tag: noindex\n', '<meta name="robots" content="noindex">'];
  for (const options of [{ headers }, { page }, { headers, page }, { __proto__: null, headers }]) {
    assert.equal(index(options), 'prohibited');
  }
  for (const options of [undefined, {}, { headers: undefined }]) assert.notEqual(index(options), 'prohibited');
  const fields = { 'X-Robots-Tag': 'noindex' };
  for (const options of [{ header: headers }, { html: page }, { body: page }, { Headers: headers }, fields]) {
    assert.throws(() => index(options), { name: 'TypeError', message: /^options: expected headers, page, now, found "/ });
  }
  class Page { headers = headers; }
  for (const options of [
    headers, '', 7, null, [headers], [], new Map([['headers', headers]]), new Headers(fields), new Response(page), new Page(),
    Object.create({ headers }),
  ]) {
    const message = /^options: expected a plain object of headers, page, now, found \w+$/;
    assert.throws(() => index(options), { name: 'TypeError', message });
  }
  for (const options of [{ headers: new Headers(fields) }, { headers: fields }, { headers: null }, { page: null }]) {
    assert.throws(() => index(options), { name: 'TypeError', message: /^(headers|page): expected a string/ });
  }
});

test('expectations are proved or have a witness', () => {
  const { checkExpectations } = permissions;
  const [one, other] = checkExpectations(BODY, '# ours\nA,B may not fetch /private/press?*\nA may not fetch /private*\n');
  assert.deepEqual(one, {
    line: 2, text: 'A,B may not fetch /private/press?*', agent: 'A,B', pattern: '/private/press?*', expected: 'disallow',
    holds: true, is_proved: true, witness: null, decided_by: null,
    message: 'proved: disallow of every URL that it matches',
  });
  assert.deepEqual([other.holds, other.witness, other.decided_by], [false, '/private/press', 3]);
  const holds = (text, options) => checkExpectations(BODY, text, options).map((checked) => checked.holds);
  assert.deepEqual(holds('A may fetch /*', { status: 404 }), [true]);
  assert.deepEqual(holds('A may fetch /*\nA may not fetch /*', { status: 302 }), [false, false]);
  for (const text of ['', 'A must not fetch /', 'A may fetch /a b']) {
    assert.throws(() => holds(text), { name: 'RobomataError', code: 'argument', message: /^expectations: / });
  }
  assert.throws(() => holds(undefined), TypeError);
});

test('free() frees all rules that a program still has', () => {
  const robots = Robots.parse(BODY);
  const rules = Array.from({ length: 300 }, (_, index) => robots.forAgent(`Bot${'x'.repeat(index)}`));
  const own = robots.forAgent('own');
  own.free();
  robots.free();
  for (const one of [...rules, own]) assert.throws(() => one.isAllowed('/'), { code: 'freed' });
});

test('the automaton is drawn, and a URL walks through it', () => {
  const rules = everything.Robots.parse(`${BODY}Disallow: /*.gif$\n`).forAgent('ExampleBot');
  const { nodes, edges, walk, is_complete } = rules.drawing('https://example.com/private/a.gif');
  const ids = nodes.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(edges.every(({ from, to }) => ids.includes(from) && ids.includes(to)));
  const rulesOf = walk.map(({ node, position }) => [nodes[ids.indexOf(node)].rule?.line ?? null, position]);
  assert.deepEqual(rulesOf.filter(([line]) => line), [[2, 8], [4, 14]]);
  assert.deepEqual([walk[0], is_complete], [{ node: 'begin', position: 0 }, true]);
  assert.deepEqual(rules.drawing().walk, []);
  assert.throws(() => rules.drawing('mailto:a'), { code: 'argument' });
  const many = Array.from({ length: 9000 }, (_, index) => `Disallow: /${index}\n`).join('');
  const cut = everything.Robots.parse(`User-agent: *\n${many}`).forAgent('a').drawing('/1234');
  assert.deepEqual([cut.nodes.length, cut.is_complete], [2000, false]);
  assert.throws(() => Robots.parse('').forAgent('a').drawing(), TypeError);
});

test('what applies after an attempt to fetch', () => {
  const [at, url] = [1_800_000_000, 'https://example.com/robots.txt'];
  const { standing } = everything;
  const failing = { url, status: 503, at, now: at, failing_since: at - 7200, good_copy_at: at - 200_000 };
  const { applies, until, refetch, text } = standing({ ...failing, headers: 'Retry-After: 1800\r\n' });
  assert.deepEqual([applies, until, refetch], ['last-good-copy', null, at + 1800]);
  assert.match(text, /the answer was 503/);
  assert.equal(standing({ ...failing, unreachable: 'disallow' }).applies, 'restricted');
  assert.equal(standing({ ...failing, dialect: 'google' }).until, at - 7200 + 12 * 3600);
  assert.equal(standing({ url, status: 'no-response', at, now: at }).applies, 'restricted');
  assert.equal(standing({ url, status: 404, at, now: at }).applies, 'unrestricted');
  assert.throws(() => standing({ url, status: 7, at, now: at }), RangeError);
  // What `Date.now()` returns is milliseconds: an hour would be more than a month.
  assert.equal(standing({ ...failing, now: at + 0.5, good_copy_at: undefined }).applies, 'restricted');
  assert.throws(() => standing({ ...failing, at: at * 1000 }), /at: expected seconds since 1970, found 1800000000000 \(milli/);
  for (const wrong of [{ now: undefined }, { headers: 'x' }, { more: 1 }, { failing_since: 0 }, { good_copy_at: 0 }]) {
    assert.throws(() => standing({ url, status: 200, at, now: at, ...wrong }), { code: 'argument' });
  }
  // Another thing than a time is no lack of one: without a good copy, everything may be allowed.
  const [old, ago] = [at - 40 * 86_400, at - 41 * 86_400];
  const outage = { url, status: 503, at, now: at, failing_since: old, good_copy_at: ago };
  assert.equal(standing(outage).applies, 'last-good-copy');
  assert.equal(standing({ ...outage, good_copy_at: undefined }).applies, 'unrestricted');
  for (const name of ['at', 'now', 'failing_since', 'good_copy_at']) {
    for (const wrong of [NaN, Infinity, null, new Date(NaN), new Date(), String(at), BigInt(at), [at]]) {
      assert.throws(() => standing({ ...outage, [name]: wrong }), { name: 'RangeError', message: /^\w+: expected seconds since 1970, found / });
    }
  }
});

test('hostile files and URLs', () => {
  const stars = `User-agent: *\nDisallow: /${'*a'.repeat(5000)}\nDisallow: /${'*'.repeat(100_000)}b$\n`;
  const start = performance.now();
  const robots = Robots.parse(stars.repeat(20));
  assert.equal(robots.isAllowed(`/${'a'.repeat(100_000)}`, 'ExampleBot'), false);
  lint(stars);
  diff(stars, `${stars}Disallow: /x`, 'ExampleBot');
  for (let seed = 1, round = 0; round < 300; round += 1) {
    const noise = Uint8Array.from({ length: round }, () => (seed = (seed * 48_271) % 0x7fff_ffff) & 0xff);
    Robots.parse(noise).check(noise, 'ExampleBot');
    lint(noise);
  }
  assert.ok(performance.now() - start < 20_000);
});

test('what was freed is refused', () => {
  const robots = Robots.parse(BODY);
  const rules = robots.forAgent('ExampleBot');
  rules.free();
  rules.free();
  for (const call of [() => rules.check('/'), () => rules.checkBatch(['/']), () => rules.explain('/')]) {
    assert.throws(call, { name: 'RobomataError', code: 'freed' });
  }
  robots.free();
  robots.free();
  assert.throws(() => robots.check('/', 'ExampleBot'), { code: 'freed' });
  assert.throws(() => robots.summary('ExampleBot'), { code: 'freed' });
});

test('an object written as JSON does not contain its memory', () => {
  const robots = everything.Robots.parse(BODY);
  const rules = robots.forAgent('ExampleBot');
  const json = '[{},{"agent":"ExampleBot"},{"length":1}]';
  assert.equal(JSON.stringify([robots, rules, rules.checkBatch(['/'])]), json);
  for (const object of [robots, rules]) assert.ok(inspect(object, { depth: 9, showHidden: true }).length < 100);
  assert.deepEqual(structuredClone(rules), { agent: 'ExampleBot' });
});

test('a trap discards the instance, and only that', () => {
  const robots = Robots.parse(BODY);
  const rules = robots.forAgent('ExampleBot');
  const { instance } = rules._handle;
  assert.throws(() => instance.run((exports) => exports.robomata_text_length(0xffff_fff0)), { code: 'trap' });
  for (const call of [
    () => rules.check('/'),
    () => rules.isAllowed('/'),
    () => rules.checkBatch(['/']),
    () => rules.explain('/'),
    () => robots.check('/', 'ExampleBot'),
    () => robots.forAgent('OtherBot'),
    () => robots.summary('ExampleBot'),
  ]) {
    assert.throws(call, (error) => error instanceof RobomataError && /discarded after a trap.*parse again/.test(error));
  }
  robots.free();
  assert.equal(Robots.parse(BODY).isAllowed('/private', 'ExampleBot'), false);
});

test('memory of objects without references is used again', async () => {
  const body = `User-agent: *\n${'Disallow: /abcdefgh*ijkl\n'.repeat(1000)}`;
  const seen = new Set();
  for (let round = 0; round < 40; round += 1) {
    for (let count = 0; count < 20; count += 1) {
      const robots = Robots.parse(body);
      robots.isAllowed('/', 'ExampleBot');
      seen.add(robots._handle.instance);
    }
    global.gc();
    await new Promise((resolve) => setTimeout(resolve));
  }
  assert.equal(seen.size, 1);
  const [instance] = seen;
  assert.ok(instance.exports.memory.buffer.byteLength < 64 << 20, `${instance.exports.memory.buffer.byteLength}`);
});

test('a loop that lets nothing be freed does not exhaust memory', () => {
  const large = `User-agent: *\n${'Disallow: /abcdefgh*ijkl\n'.repeat(10_000)}`;
  const agents = Array.from('abcdefghijklmnopqrst', (letter) => `${letter}bot`);
  // Neither a WeakRef to what is freed nor a pause is in these loops: both would change what is tested.
  for (const [body, rounds, names] of [[large, 400, ['a']], ['', 20_000, ['a']], [' '.repeat(10_000), 1000, agents]]) {
    let [instances, last] = [0, undefined];
    for (let round = 0; round < rounds; round += 1) {
      const robots = Robots.parse(body);
      for (const name of names) assert.equal(robots.forAgent(name).isAllowed('/abcdefghxijkl'), body !== large);
      const { instance } = robots._handle;
      if (instance !== last) [instances, last] = [instances + 1, instance];
      assert.ok(instance.exports.memory.buffer.byteLength < 128 << 20);
    }
    last = undefined;
    // Buffers are freed in parallel. The second collection waits for those of the first one.
    global.gc();
    global.gc();
    const { external } = process.memoryUsage();
    const label = `${body.length} bytes: ${instances} instances, ${external} bytes`;
    assert.ok(instances > 15, label);
    assert.ok(external < 48 << 20, label);
  }
});

test('one robots.txt for very many crawlers keeps the rules of a few', () => {
  const names = Array.from({ length: 300 }, (_, index) => `Bot${'x'.repeat(index)}`);
  for (const ask of [(robots, name) => robots.isAllowed('/private', name), (robots, name) => robots.forAgent(name).free()]) {
    const robots = Robots.parse(BODY);
    const { instance, size } = robots._handle;
    const before = instance.used;
    for (const name of names) ask(robots, name);
    assert.ok(instance.used - before <= 8 * size, `${instance.used - before}`);
    const own = robots.forAgent('own');
    for (const name of names) robots.isAllowed('/private', name);
    assert.equal(own.isAllowed('/private'), false);
    robots.free();
    assert.ok(instance.used < before, `${instance.used}`);
    assert.throws(() => own.isAllowed('/private'), { code: 'freed' });
  }
});

test('a limit of bytes is that of the lines that count', () => {
  const comments = '# a comment\n'.repeat(512_000 / 12);
  const body = `User-agent: *\nDisallow: /early\n${comments}Disallow: /late\n`;
  for (const dialect of ['rfc9309', 'google']) {
    const whole = Robots.parse(body, { dialect });
    assert.deepEqual(['/early', '/late'].map((url) => whole.isAllowed(url, 'A')), [false, false]);
    const options = { dialect, maxRobotsBytes: 512_000 };
    const cut = Robots.parse(body, options);
    assert.deepEqual(['/early', '/late'].map((url) => cut.isAllowed(url, 'A')), [false, true]);
    assert.ok(cut.summary('A').diagnostics.some(({ code }) => code === 'file-cut'));
    const codes = (given) => lint(body, given).map(({ code }) => code);
    assert.ok(codes({ dialect }).includes('over-500-kib') && !codes(options).includes('over-500-kib'));
    const short = 'User-agent: *\nDisallow: /early\n';
    assert.equal(diff(body, short, 'A', { dialect }).examples.length, 1);
    assert.equal(diff(body, short, 'A', options).examples.length, 0);
  }
  for (const maxRobotsBytes of [0, 511_999, 2 ** 32 - 1, 2 ** 32 + 512_000, -1, 600_000.5, Number.NaN, '600000', null]) {
    const message = `maxRobotsBytes: expected 512000 to 4294967294, found ${maxRobotsBytes}`;
    for (const call of [Robots.parse, lint]) {
      assert.throws(() => call(body, { maxRobotsBytes }), { name: 'RangeError', message });
    }
  }
  assert.equal(Robots.parse(body, { maxRobotsBytes: 2 ** 32 - 2 }).isAllowed('/late', 'A'), false);
});
