// The answers that every engine of robomata must give.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Robots } from 'robomata/permissions';
import { cases } from './support/cases.mjs';

/**
 * Google's own library finds a path in any text. Other dialects read `//x` as a path, and control characters in it. This package
 * refuses all of them.
 */
const isUrl = (url) => /^(?:\/(?!\/)|[a-z]+:\/\/)[^\0-\x1F\x7F]*$/i.test(url.toString('latin1'));
/** Blanks around a URL do not count in this package. */
const isTrimmed = (url) => !/^[ \t]|[ \t]$/.test(url.toString('latin1'));
/** What is no list of names is read as a User-Agent header, in every dialect, or refused. */
const isName = (agent) => /^\*$|^[a-z][\w.,-]*$/i.test(agent);

test('the conformance cases, one by one and in a batch', () => {
  let checked = 0;
  for (const { label, body, status, agent, dialect, url, verdict, line } of cases()) {
    if (!isName(agent) || !isTrimmed(url)) continue;
    const robots = Robots.parse(body, { dialect, status });
    const found = robots.check(url, agent);
    const isRefused = !isUrl(url);
    assert.equal(found.verdict, isRefused ? 'invalid' : verdict, `${label} ${url}`);
    if (line !== undefined && !isRefused) assert.equal(found.line ?? 0, line, `${label} ${url}`);
    assert.deepEqual([...robots.checkBatch({ bytes: url, offsets: [0, url.length] }, agent)], [found]);
    robots.free();
    checked += 1;
  }
  assert.ok(checked > 1000, `${checked}`);
});
