// What users enter, and what the page shows before they do.

import type { Dialect, FetchStatus } from './engine.js';

/** What a user enters. */
export interface State {
  body: string;
  /** The live file, to compare with; null if there is none. */
  before: string | null;
  /** What a CDN puts before the file. */
  prepended: string;
  urls: string[];
  agents: string[];
  dialect: Dialect;
  status: FetchStatus;
  isCut: boolean;
  /** Hours since the latest attempt to fetch the file; since the first failure; since the copy that was good. */
  age: number;
  failing: number | null;
  good: number | null;
  /** The headers and the HTML of the page at hand. */
  headers: string;
  page: string;
  /** What the owner expects of the file, one a line. */
  expectations: string;
}

/** The most crawlers. */
export const MOST_AGENTS = 8;

export const EXAMPLE: State = {
  body: `User-agent: *
Disallow: /private
Allow: /private/press$
Disallow: /*?sort=
Disallow: /tmp/
Disallow: /*tmp/
Disalow: /drafts

User-agent: GPTBot
User-agent: CCBot
Disallow: /
Content-Signal: search=yes, ai-train=no

Sitemap: https://example.com/sitemap.xml
`,
  before: null,
  prepended: '',
  urls: [
    '/',
    '/private',
    '/private/press',
    '/private/press/2026',
    '/tmp/1',
    '/list',
    '/list?sort=price',
    '/drafts/a',
    '/robots.txt',
  ].map((path) => `https://example.com${path}`),
  agents: ['Googlebot', 'GPTBot', 'Bingbot'],
  dialect: 'rfc9309',
  status: 200,
  isCut: false,
  age: 0,
  failing: null,
  good: null,
  headers: '',
  page: '',
  expectations: `# Models may not read the site. Search engines may read the lists.
GPTBot may not fetch /*
Googlebot may fetch /list*
`,
};
