// A drop-in for the package robots-parser 3.0.1: its functions over this package's engine. The README lists what differs.

import { Engine, RobomataError } from './engine.js';
import { library } from './load.js';
import { moduleBytes } from './module.js';
import { ALLOW, DISALLOW, MOST_LIMIT, Robots } from './robots.js';
import type { Dialect, Rules } from './robots.js';
import text from './checks.wasm.js';

const checks = library(new Engine(() => moduleBytes(text)), Robots);

/** What robots-parser returns for a robots.txt, and `isExplicitlyDisallowed` of its next version. */
export interface Robot {
  /** Whether the crawler may fetch the URL; `undefined` if the URL is invalid or of another origin. */
  isAllowed(url: string, ua?: string): boolean | undefined;
  /** Whether the crawler must not fetch the URL. `true` if the URL is invalid or of another origin. */
  isDisallowed(url: string, ua?: string): boolean | undefined;
  /** Whether rules of a group that names the crawler disallow the URL; `undefined` if it is invalid or of another origin. */
  isExplicitlyDisallowed(url: string, ua?: string): boolean | undefined;
  /** The 1-based line of the rule that decides, or -1. */
  getMatchingLineNumber(url: string, ua?: string): number;
  /** In seconds. */
  getCrawlDelay(ua?: string): number | undefined;
  getSitemaps(): string[];
  getPreferredHost(): string | null;
}

/** Parses a robots.txt. `url` is its address, and other origins get no answer. If it is relative, so are the URLs. */
export default function robotsParser(url: string, robotstxt: string): Robot {
  return new RobotsParser(url, robotstxt);
}

/** The origin of relative URLs. This host can have no owner (RFC 2606). */
const RELATIVE = 'http://robots-relative.invalid';

/**
 * A path and query that the URL standard leaves as it is: without dot segments, and without what it encodes. Most URLs have such,
 * and `new URL` takes longer than a check.
 */
const PLAIN = /(?:\/(?:[\w\-~!$&()*+,;=:@?][\w\-.~!$&()*+,;=:@?]*)?)+$/y;
/** An empty query is dropped. */
const isPlain = (url: string): boolean => url.charCodeAt(url.length - 1) !== 0x3f && PLAIN.test(url);
/** Longer URLs do not need to be fast. */
const PLAIN_LENGTH = 2048;

function parseUrl(url: string): URL | undefined {
  try {
    return new URL(url, RELATIVE);
  } catch {
    return undefined;
  }
}

/** Scheme, host and port. The protocol's own port is the empty one. `origin` is `null` for many schemes. */
function originOf({ protocol, hostname, port }: URL): string {
  return `${protocol}//${hostname}${port && `:${port}`}`;
}

/** Names as Google's parser knows them. RFC 9309's dialect compares others whole, which have digits or dots. */
const GOOGLE_NAME = /^[a-z_-]+$|^\*$/;
const dialectFor = (name: string): Dialect => (GOOGLE_NAME.test(name) ? 'google' : 'rfc9309');

/** A path, and a rule for it that applies to all crawlers without a group of their own. The first line ends a list of names. */
const PROBE = `/${'robomata'.repeat(100)}`;
const PROBE_LINES = `\nAllow: ${PROBE}/\nUser-agent: *\nDisallow: ${PROBE}\n`;

/** A crawler as robots-parser reads it: in lower case, and without its version. */
function nameOf(ua: string): string {
  const name = ua.toLowerCase();
  const end = name.indexOf('/');
  return (end < 0 ? name : name.slice(0, end)).trim();
}

const LINE_END = /\r\n|\r|\n/;

class RobotsParser implements Robot {
  readonly #origin: string | undefined;
  readonly #text: string;
  /** Parsed; `null` if the text is compressed data or another file. */
  readonly #robots: Partial<Record<Dialect, Robots | null>> = {};
  /** The same with the lines of the probe. */
  readonly #probed: Partial<Record<Dialect, Robots | null>> = {};
  #extras: Extras | undefined;
  #lines: string[] | undefined;
  /** The crawler of the last call. */
  #ua: string | undefined;
  #rules: Rules | null | undefined;

  constructor(url: string, text: string) {
    const parsed = parseUrl(url);
    this.#origin = parsed && originOf(parsed);
    if (text && typeof text !== 'string') throw new TypeError('robotstxt: expected a string');
    this.#text = text || '';
  }

  isAllowed(url: string, ua?: string): boolean | undefined {
    const target = this.#target(url);
    if (target === undefined) return undefined;
    const access = this.#rulesOf(ua)?._access(target) ?? DISALLOW;
    return access === ALLOW ? true : access === DISALLOW ? false : undefined;
  }

  isDisallowed(url: string, ua?: string): boolean {
    return this.isAllowed(url, ua) !== true;
  }

  isExplicitlyDisallowed(url: string, ua?: string): boolean | undefined {
    const isAllowed = this.isAllowed(url, ua);
    return isAllowed === undefined ? undefined : !isAllowed && this.#isNamed(ua);
  }

  getMatchingLineNumber(url: string, ua?: string): number {
    const target = this.#target(url);
    const line = target && this.#rulesOf(ua)?.check(target).line;
    return line && !this.#isEmptyRule(line) ? line : -1;
  }

  getCrawlDelay(ua?: string): number | undefined {
    const { delays } = this.#read();
    const name = nameOf(ua || '*');
    return delays.has(name) ? delays.get(name) : delays.get('*');
  }

  getSitemaps(): string[] {
    return [...this.#read().sitemaps];
  }

  getPreferredHost(): string | null {
    return this.#read().host;
  }

  /** The path and query as they are compared; `undefined` if the URL is invalid or of another origin. */
  #target(url: string): string | undefined {
    const origin = this.#origin;
    if (origin === undefined) return undefined;
    if (typeof url === 'string' && url.length <= PLAIN_LENGTH && url.startsWith(origin)) {
      PLAIN.lastIndex = origin.length;
      if (isPlain(url)) return hostless(url.slice(origin.length));
    }
    const parsed = parseUrl(url);
    if (parsed === undefined || originOf(parsed) !== origin || !parsed.pathname.startsWith('/')) return undefined;
    const target = parsed.pathname + parsed.search;
    return hostless(target.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase()));
  }

  /** The rules for a crawler; `null` if the text is no robots.txt. */
  #rulesOf(ua: string | undefined): Rules | null {
    if (this.#rules !== undefined && this.#ua === ua) return this.#rules;
    const name = nameOf(ua || '*');
    const dialect = dialectFor(name);
    if (this.#robots[dialect] === undefined) this.#robots[dialect] = parsed(this.#text, dialect);
    const rules = this.#robots[dialect] && compiled(this.#robots[dialect], name);
    [this.#ua, this.#rules] = [ua, rules];
    return rules;
  }

  /** Whether a group names the crawler, so that the rules for all crawlers do not apply. What is no robots.txt may name it. */
  #isNamed(ua: string | undefined): boolean {
    const name = nameOf(ua || '*');
    if (name === '*' || this.#rulesOf(ua) === null) return true;
    const dialect = dialectFor(name);
    const robots = (this.#probed[dialect] ??= parsed(this.#text + PROBE_LINES, dialect));
    if (robots === null) return true;
    return compiled(robots, name).check(PROBE).line !== robots._rulesOf('*').check(PROBE).line;
  }

  /** A rule without a path, which robots-parser does not count. It has a colon: without one, a line without a path is no rule. */
  #isEmptyRule(line: number): boolean {
    this.#lines ??= this.#text.split(LINE_END);
    return /^[^:#]*:\s*(?:#|$)/.test(this.#lines[line - 1] ?? '');
  }

  #read(): Extras {
    this.#extras ??= extrasOf(this.#text);
    return this.#extras;
  }
}

/**
 * A path and query that Google's parser takes for nothing else: in `//a/b`, it finds the path of the host `a`. The own host
 * is left out, because characters that it may have, such as `;`, begin a path there.
 */
const hostless = (target: string): string => (target.startsWith('//') ? RELATIVE + target : target);

/** The whole text, parsed; `null` if it begins like compressed data or another file. */
function parsed(text: string, dialect: Dialect): Robots | null {
  try {
    return checks.Robots.parse(bytesOf(text), { dialect, maxRobotsBytes: MOST_LIMIT });
  } catch (error) {
    if (error instanceof RobomataError && error.code === 'argument') return null;
    throw error;
  }
}

/** The rules for a crawler. Names may have any characters here. What follows the first word does not count. */
function compiled(robots: Robots, name: string): Rules {
  for (const agent of [name, name.split(/[^\w.-]/, 1)[0] ?? '']) {
    try {
      return robots._rulesOf(agent);
    } catch (error) {
      if (!(error instanceof RobomataError && error.code === 'agent')) throw error;
    }
  }
  return robots._rulesOf('*');
}

/** The bytes of a text. A lone surrogate is no character, so it must not become one that a URL can have. */
function bytesOf(text: string): string | Uint8Array {
  if (!/\p{Surrogate}/u.test(text)) return text;
  const parts = text.split(/(\p{Surrogate})/u).map((part, index) => {
    if (index % 2 === 0) return new TextEncoder().encode(part);
    const unit = part.charCodeAt(0);
    return Uint8Array.of(0xed, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  });
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  return bytes;
}

/** What robots-parser reads besides rules, in its own way. */
interface Extras {
  /** The delays of all names that have a group. */
  delays: Map<string, number | undefined>;
  sitemaps: string[];
  host: string | null;
}

function extrasOf(text: string): Extras {
  const extras: Extras = { delays: new Map(), sitemaps: [], host: null };
  let names: string[] = [];
  let isInNames = false;
  for (const line of text.split(LINE_END)) {
    const [content = ''] = line.split('#', 1);
    const colon = content.indexOf(':');
    const key = content.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (key === '') continue;
    const value = content.slice(colon + 1).trim();
    switch (key) {
      case 'user-agent':
        if (!isInNames) names = [];
        if (value) names.push(nameOf(value));
        break;
      case 'allow':
      case 'disallow':
        for (const name of names) extras.delays.set(name, extras.delays.get(name));
        break;
      case 'crawl-delay': {
        const delay = Number(value);
        for (const name of names) extras.delays.set(name, Number.isNaN(delay) ? extras.delays.get(name) : delay);
        break;
      }
      case 'sitemap':
        if (value) extras.sitemaps.push(value);
        break;
      case 'host':
        if (value) extras.host = value.toLowerCase();
        break;
    }
    isInNames = key === 'user-agent';
  }
  return extras;
}
