// What the page shows before anything is entered.

import type { State } from './share.js';

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
