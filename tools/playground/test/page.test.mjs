// The page in a browser: each thing that it promises.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { cells, fragment, launch, open, rows, settled, skip, type } from './support.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const BODY =
  'User-agent: *\nDisallow: /a\nAllow: /a/b$\nDisallow: /tmp\nAllow: /*mp\nDisalow: /d\n\n' +
  'User-agent: GPTBot\nDisallow: /\n';
const URLS = ['/', '/a', '/a/%62', '/a/b?c', '/tmp/1', '/d'].map((path) => `https://example.com${path}`);
const STATE = { body: BODY, urls: URLS, agents: ['Googlebot', 'GPTBot'] };
/** What a function does to a page that is opened for it. */
const on =
  (browser, state, act, options = {}) =>
  async () => {
    const { tab, problems, close } = await open(browser(), { state, ...options });
    await act(tab, problems);
    await close();
  };
const count = (tab, line) => tab.$$eval('#editor .counts .cm-gutterElement', (all, at) => all[at].textContent, line);
const text = async (tab, selector) => (await tab.textContent(selector)).trim();
const choose = async (tab, id, value) => {
  await tab.selectOption(`#${id}`, value);
  await settled(tab);
};
const saved = async (tab, id) => {
  const [download] = await Promise.all([tab.waitForEvent('download'), tab.click(`#${id}`)]);
  return readFileSync(await download.path(), 'utf8');
};
const VERDICTS = {
  'nothing is allowed': 'disallow',
  'everything is allowed': 'allow',
  'a crawler waits': 'defer',
  'unknown what applies': 'unknown',
};
/** What the page says that applies, as the beginning of a verdict. Checks that all URLs are judged so. */
const judged = async (tab) => {
  const situation = await text(tab, '#situation');
  const applies = Object.keys(VERDICTS).find((words) => situation.includes(words));
  assert.ok(applies, situation);
  for (const [url, verdict] of await rows(tab)) {
    assert.ok(verdict.startsWith(VERDICTS[applies]), `${situation}: ${url} ${verdict}`);
  }
  return VERDICTS[applies];
};

describe('the playground', { skip }, () => {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());
  const page = (name, act, state = STATE, options) =>
    test(
      name,
      on(() => browser, state, act, options),
    );

  page('judges the URLs for each crawler', async (tab) => {
    assert.deepEqual(await rows(tab), [
      [URLS[0], 'allow no rule matches', 'disallow line 9'],
      [URLS[1], 'disallow line 2', 'disallow line 9'],
      [URLS[2], 'allow line 3', 'disallow line 9'],
      [URLS[3], 'disallow line 2', 'disallow line 9'],
      [URLS[4], 'allow line 5', 'disallow line 9'],
      [URLS[5], 'disallow line 6', 'disallow line 9'],
    ]);
  });

  page('judges all again after each key', async (tab) => {
    await tab.click('#editor .cm-line:nth-child(2)');
    await tab.keyboard.press('End');
    await tab.keyboard.press('Backspace');
    await tab.keyboard.insertText('x');
    await settled(tab);
    const [, second] = await rows(tab);
    assert.deepEqual(second, [URLS[1], 'allow no rule matches', 'disallow line 9']);
  });

  page('shows findings, and fixes one by one click', async (tab) => {
    assert.match(await text(tab, '#findings-list'), /misspelt-key/);
    await tab.click('[aria-label="Fix line 6"]');
    await settled(tab);
    assert.equal(await text(tab, '#editor .cm-line:nth-child(6)'), 'Disallow: /d');
    assert.doesNotMatch(await text(tab, '#findings-list'), /misspelt-key/);
  });

  page('fixes the right place after characters of several bytes', async (tab) => {
    await type(tab, '# é€😀\nUser-agent: *\nDisalow: /ü😀\n');
    await tab.click('[aria-label="Fix line 3"]');
    await settled(tab);
    assert.equal(await text(tab, '#editor .cm-line:nth-child(3)'), 'Disallow: /ü😀');
  });

  page('counts the URLs of each line, and greys lines that never decide', async (tab) => {
    assert.deepEqual([await count(tab, 2), await count(tab, 3), await count(tab, 9)], ['2', '1', '6']);
    assert.equal(await count(tab, 4), 'never');
    assert.equal(
      await tab.$$eval('#editor .cm-line.idle', (all) => all.map((line) => line.textContent).join()),
      'Disallow: /tmp',
    );
    await tab.click('#editor .cm-line:nth-child(4)');
    assert.match(await text(tab, '#line-facts'), /^Line 4 proved: never decides: line 5/);
  });

  page('explains the URL that is hovered or reached by key', async (tab) => {
    await tab.hover('#row-2');
    const expected = ['Googlebot', 'allow line 3', 'line 3 Allow: /a/b$', 'line 2 Disallow: /a', '*', '/a/b'];
    assert.deepEqual((await cells(tab, '#explanation'))[0], expected);
    assert.deepEqual(await tab.$$eval('#editor .cm-line.marked', (all) => all.map((line) => line.textContent)), [
      'Allow: /a/b$',
      'Disallow: /',
    ]);
    await tab.focus('#urls');
    await tab.keyboard.press('ArrowDown');
    assert.equal(await tab.inputValue('#at-hand'), URLS[3]);
    assert.equal(await tab.getAttribute('#urls', 'aria-activedescendant'), 'row-3');
  });

  page('shows the URLs of a line', async (tab) => {
    await tab.hover('#editor .cm-line:nth-child(2)', { position: { x: 20, y: 8 } });
    assert.match(await text(tab, '.urls-of-line'), /Decides 2 URLs.*example\.com\/a.*example\.com\/a\/b\?c/);
    await tab.click('#editor .cm-line:nth-child(3)');
    assert.match(await text(tab, '#line-facts'), /Line 3 decides 1 URL: https:\/\/example\.com\/a\/%62/);
    await choose(tab, 'filter', 'line');
    assert.deepEqual(
      (await rows(tab)).map(([url]) => url),
      [URLS[2]],
    );
  });

  page('compares with the live file: URLs, witnesses and proofs', async (tab) => {
    await tab.click('#tab-changes');
    await tab.click('#before-take');
    await type(tab, BODY.replace('/a/b$', '/a/b'));
    const changes = await text(tab, '#changes');
    assert.match(
      changes,
      /1 verdict of the list changes.*https:\/\/example\.com\/a\/b\?cGooglebotdisallow line 2allow line 3/,
    );
    assert.match(changes, /1 pair of rules decides differently\. Proved: there are no others\./);
    assert.match(changes, /GPTBotProved: nothing changes/);
    assert.match(changes, /Every other crawler1 pair/);
    await tab.click('#changes [data-url="https://example.com/a/b?c"]');
    assert.equal(await tab.inputValue('#at-hand'), URLS[3]);
    await type(tab, `${BODY}# a comment\n`);
    assert.match(await text(tab, '#changes'), /^None of the 6 URLs.*GooglebotProved: nothing changes/);
  });

  page('shows the dialects, and why they part', async (tab) => {
    await tab.hover('#row-5');
    await tab.click('#tab-dialects');
    await settled(tab);
    assert.match(await text(tab, '#dialects-facts'), /part on 3 of 6 URLs/);
    const parting = await cells(tab, '#dialects table:first-of-type');
    assert.deepEqual(
      parting.map(([url]) => url),
      [URLS[2], URLS[4], URLS[5]],
    );
    const last = parting[2];
    assert.deepEqual(last.slice(0, 4), [URLS[5], 'disallow line 6', 'disallow line 6', 'allow no rule matches']);
    assert.match(last.at(-1), /rules/);
    const [rfc, , koster] = await cells(tab, '#dialects table:last-of-type');
    assert.deepEqual(
      [rfc[0], rfc[1], koster[0], koster[1]],
      ['RFC 9309', 'disallow line 6', 'Koster 1996', 'allow no rule matches'],
    );
  });

  page('shows what may be done with a URL', async (tab) => {
    await type(tab, 'User-agent: *\nContent-Signal: ai-train=no, search=yes\nDisallow: /a\n');
    await tab.hover('#row-1');
    await tab.click('#tab-usages');
    await settled(tab);
    assert.deepEqual((await cells(tab, '#usages'))[0], [
      'Googlebot',
      'prohibited line 3 robots',
      'unspecified ',
      'unspecified ',
      'prohibited line 2 content-signal',
      'unspecified ',
      'permitted line 2 content-signal',
    ]);
  });

  page('changes verdicts with the result of the fetch', async (tab) => {
    const seen = new Set();
    for (const dialect of ['rfc9309', 'google', 'koster1996', 'acap', 'yandex']) {
      await choose(tab, 'dialect', dialect);
      for (const status of ['301', 'too-many-redirects', '403', '404', '429', '503', 'no-response']) {
        await choose(tab, 'status', status);
        seen.add(await judged(tab));
      }
    }
    assert.ok(seen.size >= 2);
    await choose(tab, 'status', '200');
    assert.ok(!(await tab.isVisible('#situation')));
  });

  page('takes the age of the copy and the length of an outage into account', async (tab) => {
    await tab.fill('#age', '30');
    await settled(tab);
    assert.match(await text(tab, '#situation'), /too old .*it is unknown what applies\. Fetch again now\.$/);
    assert.ok((await rows(tab)).every(([, verdict]) => verdict.startsWith('unknown')));
    await tab.fill('#age', '20');
    await settled(tab);
    assert.match(
      await text(tab, '#situation'),
      /the rules of the file apply\. That ends in 4 hours\. Fetch again in \d+/,
    );
    await tab.fill('#age', '0');
    await choose(tab, 'status', '503');
    assert.ok((await rows(tab)).every(([, verdict]) => verdict.startsWith('disallow')));
    await tab.fill('#good', '48');
    await settled(tab);
    assert.match(await text(tab, '#situation'), /the last good copy applies/);
    assert.deepEqual((await rows(tab))[2].slice(0, 2), [URLS[2], 'allow line 3']);
    await tab.fill('#good', '');
    await tab.fill('#failing', '1000');
    await settled(tab);
    assert.match(await text(tab, '#situation'), /everything is allowed/);
    assert.ok((await rows(tab)).every(([, verdict]) => verdict.startsWith('allow')));
  });

  page(
    'judges each dialect by what applies in it',
    async (tab) => {
      const parts = new Set();
      await tab.fill('#at-hand', '/x');
      const outages = [
        ['429', '', ''],
        ['503', '1000', ''],
        ['503', '1000', '1100'],
        ['301', '', ''],
      ];
      for (const [status, failing, good] of outages) {
        await choose(tab, 'status', status);
        await tab.fill('#failing', failing);
        await tab.fill('#good', good);
        await tab.click('#tab-dialects');
        await settled(tab);
        const shown = (await cells(tab, '#dialects table:last-of-type')).map(([, verdict]) => verdict.split(' ')[0]);
        const [parting] = await cells(tab, '#dialects table:first-of-type');
        if (new Set(shown).size > 1) assert.equal(parting.at(-1), 'the meaning of the fetch');
        await tab.click('#tab-urls');
        const alone = [];
        for (const dialect of ['rfc9309', 'google', 'koster1996', 'acap', 'yandex']) {
          await choose(tab, 'dialect', dialect);
          alone.push((await rows(tab))[0][1].split(' ')[0]);
        }
        assert.deepEqual(shown, alone, `${status} ${failing} ${good}`);
        parts.add(new Set(shown).size);
      }
      assert.ok(Math.max(...parts) > 1);
    },
    { body: 'User-agent: *\nDisallow: /\n', urls: ['/x'], agents: ['A'] },
  );

  page('shows no answers when there are none', async (tab) => {
    await choose(tab, 'status', '503');
    await tab.fill('#good', '48');
    await tab.fill('#at-hand', URLS[1]);
    await settled(tab);
    assert.match((await rows(tab))[2][1], /^allow line 3/);
    await tab.fill('#failing', '604800');
    await settled(tab);
    assert.equal(await text(tab, '#situation'), 'Nothing can be judged: expected 0 to 250,000 hours');
    for (const name of ['urls', 'changes', 'dialects', 'usages', 'automaton', 'expectations']) {
      await tab.click(`#tab-${name}`);
      await settled(tab);
      assert.doesNotMatch(await tab.innerText(`#${name}`), /allow|permitted|line \d|hold/, name);
    }
    assert.equal(await text(tab, '#explanation'), '');
    assert.equal(await text(tab, '#line-facts'), '');
    for (const id of ['save-markdown', 'save-json']) {
      await tab.click(`#${id}`);
      await tab.waitForFunction(() => document.querySelector('#message').textContent.startsWith('nothing was judged'));
    }
    await tab.fill('#failing', '2');
    await tab.click('#tab-urls');
    await settled(tab);
    assert.match((await rows(tab))[2][1], /^allow line 3/);
    // The fields of a failure count only after one.
    await tab.fill('#failing', '604800');
    await choose(tab, 'status', '200');
    assert.match((await rows(tab))[2][1], /^allow line 3/);
    await tab.fill('#age', '-1');
    await settled(tab);
    assert.equal((await rows(tab)).length, 0);
  });

  page('opens a link with every status', async (tab) => {
    const { href } = new URL(tab.url());
    for (const status of [301, 'too-many-redirects', 403, 404, 429, 503, 'no-response', 500, 302, 308, 100, 410, 999]) {
      for (const dialect of ['rfc9309', 'google']) {
        await tab.goto('about:blank');
        await tab.goto(href.replace(/#.*$/, '') + (await fragment({ ...STATE, status, dialect })));
        await tab.waitForSelector('#row-0');
        await settled(tab);
        assert.equal(await text(tab, '#message'), 'Opened a shared link');
        assert.equal(await tab.inputValue('#status'), String(status));
        assert.equal(JSON.parse(await saved(tab, 'save-json')).status, status);
        await judged(tab);
      }
    }
    await choose(tab, 'status', '404');
    assert.equal(await judged(tab), 'allow');
    await choose(tab, 'status', '999');
    assert.equal(JSON.parse(await saved(tab, 'save-json')).status, 999);
  });

  page('shows no URL next to the verdict of another one', async (tab) => {
    const mixed = await tab.evaluate(async () => {
      const list = document.querySelector('#urls');
      const found = new Set();
      for (const letter of ['a', 'b', 'a', 'b']) {
        const field = document.querySelector('#urls-text');
        field.value = Array.from({ length: 150_000 }, (_, index) => `/${letter}/${index}`).join('\n');
        field.dispatchEvent(new Event('input'));
        do {
          list.dispatchEvent(new Event('scroll'));
          await new Promise(requestAnimationFrame);
          for (const row of document.querySelectorAll('#urls .rows [role=row]')) {
            const [url, verdict] = [...row.children].map((cell) => cell.textContent);
            found.add(`${url.slice(0, 2)} ${verdict}`);
          }
        } while (document.body.hasAttribute('data-busy'));
      }
      return [...found].sort();
    });
    assert.deepEqual(mixed.filter((row) => /^\/[ab] /.test(row)), ['/a disallow line 2', '/b allow no rule matches']);
  });

  page('reads headers and a page', async (tab) => {
    await tab.click('#tab-usages');
    await tab.click('#page-toggle');
    await tab.fill('#headers', 'X-Robots-Tag: noindex\n');
    await tab.fill(
      '#page',
      '<!doctype html>\n<meta name="robots" content="nosnippet"><script>document.title = 1</script>',
    );
    await settled(tab);
    const [[name, , index, snippet]] = await cells(tab, '#usages');
    assert.equal(name, 'Googlebot');
    assert.match(index, /^prohibited header, line 1 /);
    assert.match(snippet, /^prohibited META tag, line 2 /);
    assert.equal(await tab.title(), 'robots.txt playground');
    await tab.fill('#headers', 'no header');
    await settled(tab);
    assert.match((await cells(tab, '#usages'))[0][1], /header/);
  });

  page('draws the automaton, and walks along with the URL', async (tab) => {
    await tab.click('#tab-automaton');
    await settled(tab);
    assert.match(await text(tab, '#automaton-facts'), /^\d+ nodes\. Hover a URL to see its walk\.$/);
    const labels = await tab.$$eval('#automaton .label', (all) => all.map((label) => label.firstChild.data));
    for (const line of ['line 2', '$ line 3', 'line 6']) {
      assert.ok(
        labels.some((label) => label.includes(line)),
        line,
      );
    }
    const walked = () => tab.$$eval('#automaton .node.walked', (all) => all.length);
    assert.equal(await walked(), 0);
    await tab.fill('#at-hand', '/a/b');
    await settled(tab);
    const some = await walked();
    assert.ok(some >= 3, `${some} nodes`);
    await tab.fill('#at-hand', '/');
    await settled(tab);
    assert.ok((await walked()) < some);
    await tab.fill('#at-hand', 'no URL');
    await settled(tab);
    assert.equal(await walked(), 0);
  });

  page(
    'cuts the file at 500 KiB',
    async (tab) => {
      await tab.check('#cut');
      await settled(tab);
      assert.match(await text(tab, '#file-facts'), /512,030 bytes, cut at 500 KiB/);
      assert.deepEqual((await rows(tab))[0], ['/late', 'allow no rule matches']);
      await tab.uncheck('#cut');
      await settled(tab);
      assert.match((await rows(tab))[0][1], /^disallow line 51202/);
    },
    { body: `User-agent: *\n${'# comment\n'.repeat(51_200)}Disallow: /late\n`, urls: ['/late'], agents: ['A'] },
  );

  const start = 'User-agent: *\nDisallow: /private\n';
  page(
    'reads no line that is cut in the middle',
    async (tab) => {
      assert.match(await text(tab, '#file-facts'), /512,007 bytes, cut at 500 KiB/);
      assert.deepEqual((await rows(tab))[0], ['/private/x', 'disallow line 2']);
      await tab.click('#tab-expectations');
      await settled(tab);
      assert.match(await text(tab, '#expectations-facts'), /^1 of 1/);
      await tab.click('#tab-changes');
      await tab.click('#before-take');
      await settled(tab);
      assert.match(await text(tab, '#changes'), /Proved: nothing changes/);
    },
    {
      body: `${start}#${'x'.repeat(512_000 - start.length - 2 - 15)}\nAllow: /private/press\n`,
      urls: ['/private/x'],
      agents: ['A'],
      isCut: true,
      expectations: 'A may not fetch /private*\n',
    },
  );

  page('puts a block before the file', async (tab) => {
    await tab.click('#prepended-toggle');
    await tab.fill('#prepended', 'User-agent: *\nDisallow: /a/b\n\n');
    await settled(tab);
    const found = await rows(tab);
    assert.deepEqual(
      [found[1][1], found[3][1], found[5][1]],
      ['disallow line 2', 'disallow block line 2', 'disallow line 6'],
    );
    assert.equal(await count(tab, 2), '1');
    await tab.click('[aria-label="Fix line 6"]');
    await settled(tab);
    assert.equal(await text(tab, '#editor .cm-line:nth-child(6)'), 'Disallow: /d');
  });

  page('reads lists, sitemaps and logs', async (tab, problems) => {
    await tab.click('#urls-edit');
    const collected = async (pasted) => {
      await tab.fill('#urls-text', pasted);
      await settled(tab);
      return [await text(tab, '#message'), ...(await rows(tab)).map(([url]) => url)];
    };
    assert.deepEqual(await collected('/a\n\n/b\r\n/a\n'), ['Read a list: 2 distinct URLs', '/a', '/b']);
    const sitemap =
      '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' +
      '<url><loc> https://e.org/?a&amp;b </loc></url></urlset>';
    assert.deepEqual(await collected(sitemap), ['Read a sitemap: 1 distinct URLs', 'https://e.org/?a&b']);
    const log = '192.0.2.1 - - [1/Jan/2026:00:00:00 +0000] "GET /x?y HTTP/1.1" 200 1 "-" "GPTBot"\n';
    assert.deepEqual(await collected(log), ['Read a log: 1 distinct URLs', '/x?y']);
    await collected('<?xml version="1.0"?><urlset><loc>');
    assert.match(await text(tab, '#message'), /not well-formed XML/);
    // Chromium describes the mistake in an element with a style, which the policy of the page refuses.
    assert.ok(problems.splice(0).every((problem) => problem.startsWith('Applying inline style')));
  });

  page('takes files that are opened or dropped, also packed ones', async (tab) => {
    const { gzipSync } = await import('node:zlib');
    await tab.setInputFiles('#urls-open', {
      name: 'list.gz',
      mimeType: 'application/gzip',
      buffer: gzipSync('/packed\n'),
    });
    await tab.waitForFunction(() => document.querySelector('#row-0').textContent.includes('/packed'));
    await tab.evaluate(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['User-agent: *\nDisallow: /packed\n'], 'robots.txt'));
      document
        .querySelector('#editor .cm-content')
        .dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    });
    await tab.waitForFunction(() => document.querySelector('#row-0').textContent.includes('disallow line 2'));
    assert.equal(await tab.$$eval('#editor .cm-line', (all) => all.length), 3);
    const buffer = Buffer.from('User-agent: *\nDisallow: /\xe9\n', 'latin1');
    await tab.setInputFiles('#file-open', { name: 'robots.txt', mimeType: 'text/plain', buffer });
    await tab.waitForFunction(() => document.querySelector('#message').textContent.startsWith('The file is not UTF-8'));
  });

  page('adds, changes and removes crawlers, and says which text is none', async (tab) => {
    await tab.click('#agent-add');
    await tab.keyboard.type('Bingbot');
    await settled(tab);
    assert.equal((await rows(tab))[0].length, 4);
    await tab.fill('[aria-label="Crawler 3"]', '!');
    await settled(tab);
    assert.equal(await tab.getAttribute('[aria-label="Crawler 3"]', 'aria-invalid'), 'true');
    assert.equal((await rows(tab))[0][3], '–');
    assert.match(await text(tab, '#urls [role=columnheader]:nth-child(4)'), /no crawler/);
    await tab.click('[aria-label="Remove crawler 3"]');
    await settled(tab);
    assert.equal((await rows(tab))[0].length, 3);
  });

  page(
    'lists no URL as allowed for all when some crawler was not judged',
    async (tab) => {
      const allowed = async () => (await choose(tab, 'filter', 'allowed'), (await rows(tab)).map(([url]) => url));
      assert.deepEqual(await allowed(), ['/x']);
      await tab.fill('[aria-label="Crawler 2"]', '!');
      await settled(tab);
      assert.deepEqual(await allowed(), []);
      for (const _ of [1, 2]) await tab.click('[aria-label="Remove crawler 1"]');
      await settled(tab);
      assert.deepEqual(await allowed(), []);
    },
    { body: 'User-agent: *\nDisallow: /p\n', urls: ['/p', '/x'], agents: ['A', 'B'] },
  );

  page('says that a file is no text, and not that there is no crawler', async (tab) => {
    await type(tab, 'WARC/1.0\nWARC-Type: response\n');
    assert.match(await text(tab, '#situation'), /^The file cannot be read: expected a body of text, found captures/);
    const title = '#urls [role=columnheader]:nth-child(2)';
    assert.match(await text(tab, title), /expected a body of text, found captures/);
    assert.equal(await tab.getAttribute('[aria-label="Crawler 1"]', 'aria-invalid'), 'false');
    assert.ok((await rows(tab)).every(([, verdict]) => verdict === '–'));
    const markdown = await saved(tab, 'save-markdown');
    assert.match(markdown, /\| `expected a body of text, found captures/);
    assert.doesNotMatch(markdown, /no crawler/);
  });

  const expected = '# ours\nGPTBot may not fetch /*\nGooglebot may fetch /a/*\nGooglebot may not fetch /d\n';
  const expecting = { ...STATE, expectations: expected };
  page(
    'compares the file with expectations',
    async (tab) => {
      await tab.click('#tab-expectations');
      await settled(tab);
      assert.equal(await text(tab, '#expectations-facts'), '2 of 3 expectations hold');
      const found = await cells(tab, '#expectations');
      assert.deepEqual(
        found.map(([first, result]) => [first, result]),
        [
          ['GPTBot may not fetch /*', 'holds'],
          ['Googlebot may fetch /a/*', 'does not hold'],
          ['Googlebot may not fetch /d', 'holds'],
        ],
      );
      assert.match(found[1].slice(2).join(), /\/a\/.*line 2$/);
      const [download] = await Promise.all([tab.waitForEvent('download'), tab.click('#expectations-save')]);
      assert.equal(readFileSync(await download.path(), 'utf8'), expected);
      await tab.fill('#expectations-text', 'GPTBot should not fetch /');
      await settled(tab);
      assert.match(await text(tab, '#expectations-facts'), /line 1/);
      assert.equal(await tab.$$eval('#expectations tr', (all) => all.length), 0);
    },
    expecting,
  );

  page('shares its state by a link', async (tab) => {
    await type(tab, 'User-agent: *\nDisallow: /ü\n');
    await choose(tab, 'dialect', 'google');
    const opened = tab.url();
    await tab.click('#share');
    await tab.waitForFunction((before) => location.href !== before, opened);
    const url = tab.url();
    await tab.goto('about:blank');
    await tab.goto(url);
    await tab.waitForSelector('#row-0');
    await settled(tab);
    assert.equal(await text(tab, '#editor .cm-line:nth-child(2)'), 'Disallow: /ü');
    assert.equal(await tab.inputValue('#dialect'), 'google');
    assert.equal((await rows(tab)).length, URLS.length);
  });

  page('refuses damaged links', async (tab) => {
    for (const [hash, why] of [
      ['#1.AAAA', /cannot be read/],
      [`#1.${Buffer.from('').toString('base64url')}!`, /cannot be read/],
      [await fragment({ ...STATE, good: 604_800 }), /damaged at 'good'/],
      [await fragment({ ...STATE, status: 'too-many' }), /damaged at 'status'/],
    ]) {
      await tab.evaluate((to) => {
        location.hash = to;
      }, hash);
      await tab.waitForFunction(() => document.querySelector('#message').classList.contains('error'));
      assert.match(await text(tab, '#message'), why);
    }
  });

  page('exports the report', async (tab) => {
    const { format, urls, findings } = JSON.parse(await saved(tab, 'save-json'));
    assert.equal(format, 1);
    assert.deepEqual(urls[1], {
      url: URLS[1],
      verdicts: {
        Googlebot: { verdict: 'disallow', line: 2, reason: 'rule' },
        GPTBot: { verdict: 'disallow', line: 9, reason: 'rule' },
      },
    });
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['never-decides', 'misspelt-key'],
    );
    const markdown = await saved(tab, 'save-markdown');
    assert.match(markdown, /\| `https:\/\/example\.com\/a` \| disallow, line 2 \| disallow, line 9 \|/);
    assert.match(markdown, /\| 4 \| warning \| never-decides \|/);
    // What applied is part of it, unless the page does not show it either.
    assert.doesNotMatch(markdown, /the rules of the file apply/);
    await choose(tab, 'status', '503');
    await tab.fill('#good', '48');
    await settled(tab);
    assert.match(await saved(tab, 'save-markdown'), /Fetched with: 503\.\n\n.*: the last good copy applies, /);
    assert.match(JSON.parse(await saved(tab, 'save-json')).situation, /the last good copy applies, /);
  });

  const hostile = {
    body:
      'User-agent: *\nDisallow: /<script>alert(1)</script>\u202Egnp.exe\nDisallow: /\ud800\n' +
      `\0: <img src=x onerror=alert(1)>\n${`a${' '.repeat(4990)}\n`.repeat(50)}`,
    urls: [
      '/<img src=x onerror=document.title=1>',
      '/\u202Etxt\u2066',
      '/\ud800\udc00\ud800',
      'javascript:alert(1)',
      `/${'x'.repeat(100_000)}`,
      '"><b>|`',
    ],
    agents: ['<b>Bot</b>', 'A\u202EB'],
  };
  page(
    'shows hostile text as text',
    async (tab) => {
      assert.equal(await tab.title(), 'robots.txt playground');
      assert.equal(await tab.$$eval('#answers img, #answers b, #answers script', (all) => all.length), 0);
      const found = await rows(tab);
      assert.deepEqual([found[1][0], found[4][0].length], ['/‹U+202E›txt‹U+2066›', 1001]);
      for (const index of hostile.urls.keys()) await tab.hover(`#row-${index}`);
      for (const name of ['changes', 'dialects', 'usages', 'automaton', 'expectations']) {
        await tab.click(`#tab-${name}`);
        await settled(tab);
      }
      const visible = await tab.innerText('#answers');
      assert.doesNotMatch(visible, /[\u202a-\u202e\u2066-\u2069]/);
    },
    hostile,
  );

  page(
    'stays usable with 100,000 URLs and a file of 4 MB',
    async (tab) => {
      const urls = Array.from({ length: 100_000 }, (_, index) => `/p/${index}?q=${index % 7}`);
      await tab.setInputFiles('#urls-open', {
        name: 'u.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from(urls.join('\n')),
      });
      await tab.waitForFunction(() => document.querySelector('#urls-facts').textContent === '100,000 URLs');
      await settled(tab);
      assert.ok((await rows(tab)).length < 100);
      await tab.focus('#urls');
      await tab.keyboard.press('End');
      assert.equal(await tab.inputValue('#at-hand'), urls.at(-1));
      const lines = Array.from({ length: 140_000 }, (_, index) => `Disallow: /p/${index}/*/longer`);
      await tab.setInputFiles('#file-open', {
        name: 'robots.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from(`User-agent: *\n${lines.join('\n')}\nDisallow: /p/99999?\n`),
      });
      await tab.waitForFunction(() => document.querySelector('#file-facts').textContent.startsWith('140,003 lines'));
      await settled(tab);
      assert.match((await rows(tab)).at(-1)[1], /^disallow line 140002/);
    },
    { ...STATE, agents: ['Googlebot', 'GPTBot', 'Bingbot'] },
  );

  for (const colorScheme of ['light', 'dark']) {
    page(
      `has no violations that axe-core finds (${colorScheme})`,
      async (tab) => {
        await tab.click('#prepended-toggle');
        await tab.click('#urls-edit');
        await tab.fill('#at-hand', URLS[2]);
        // The policy of the page admits no other script, so this one runs outside of it.
        const source = readFileSync(axe, 'utf8');
        for (const name of ['urls', 'changes', 'dialects', 'usages', 'automaton', 'expectations']) {
          await tab.click(`#tab-${name}`);
          if (name === 'changes') await tab.click('#before-take');
          await settled(tab);
          const violations = await tab.evaluate(
            `${source}; axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
              violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)].join(' ')))`,
          );
          assert.deepEqual(violations, [], name);
        }
      },
      STATE,
      { colorScheme },
    );
  }

  page(
    'fits a phone',
    async (tab) => {
      const width = await tab.evaluate(() => document.documentElement.scrollWidth);
      assert.equal(width, 390);
    },
    STATE,
    { viewport: { width: 390, height: 844 } },
  );

  page('works by keyboard alone', async (tab) => {
    await tab.focus('#tab-urls');
    await tab.keyboard.press('ArrowRight');
    assert.equal(await tab.getAttribute('#tab-changes', 'aria-selected'), 'true');
    assert.ok(await tab.isVisible('#panel-changes'));
    await tab.focus('#editor .cm-content');
    await tab.keyboard.press('Control+Home');
    await tab.keyboard.press('F8');
    assert.match(await text(tab, '#line-facts'), /^Line 4 /);
    // The tabulator leaves the editor.
    await tab.keyboard.press('Tab');
    assert.ok(await tab.evaluate(() => !document.activeElement.closest('#editor .cm-content')));
  });

  page('works offline, and its policy forbids the network', async (tab) => {
    await tab.context().setOffline(true);
    await tab.fill('[aria-label="Crawler 1"]', 'GPTBot');
    await settled(tab);
    assert.match((await rows(tab))[0][1], /disallow line 9/);
    const policy = await tab.getAttribute('meta[http-equiv]', 'content');
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[^ ]+' 'wasm-unsafe-eval'; /);
    assert.doesNotMatch(policy, /connect-src|unsafe-inline|'unsafe-eval'|https?:/);
  });
});
