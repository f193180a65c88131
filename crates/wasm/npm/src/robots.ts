// One robots.txt, and its rules for one crawler.

import { BATCH_COUNT, BATCH_UNITS, Handle, OBJECT_SIZE, bytesOf, full, isDetached } from './engine.js';
import type { Engine, Instance, Text } from './engine.js';

/** What decides where specifications differ. `acap` needs the module of `robomata/permissions`. */
export type Dialect = 'rfc9309' | 'google' | 'koster1996' | 'acap' | 'yandex';

const DIALECTS: readonly Dialect[] = ['rfc9309', 'google', 'koster1996', 'acap', 'yandex'];

export function dialectNumber(dialect: Dialect): number {
  const number = DIALECTS.indexOf(dialect);
  if (number < 0) throw new RangeError(`dialect: expected one of ${DIALECTS.join(', ')}, found '${dialect}'`);
  return number;
}

/** How the fetch of a robots.txt ended: an HTTP status from 100 to 999, or no response. */
export type FetchStatus = number | 'no-response' | 'too-many-redirects';

export interface ParseOptions {
  /** The default is `rfc9309`. */
  dialect?: Dialect;
  /** The body only counts after a success. Then, and by default, the status is 200. */
  status?: FetchStatus;
  /**
   * At most so many bytes of the file are read: 512000 to 4294967294. Of a longer file, the lines that are complete within them
   * count. The default is 4 MiB, but in the dialect `google`, there is no limit, although Google's crawlers read 512000 bytes.
   * That of `yandex` cannot be changed.
   */
  maxRobotsBytes?: number | undefined;
}

const OPTIONS: readonly string[] = ['dialect', 'status', 'maxRobotsBytes'] satisfies (keyof ParseOptions)[];

const LEAST_LIMIT = 512_000;
export const MOST_LIMIT = 2 ** 32 - 2;

/** The limit as the module takes it: 0 is that of the dialect. */
export function limitNumber(limit: number | undefined): number {
  if (limit === undefined) return 0;
  if (Number.isInteger(limit) && limit >= LEAST_LIMIT && limit <= MOST_LIMIT) return limit;
  throw new RangeError(`maxRobotsBytes: expected ${LEAST_LIMIT} to ${MOST_LIMIT}, found ${String(limit)}`);
}

export function statusNumber(status: FetchStatus): number {
  if (status === 'no-response') return 0;
  if (status === 'too-many-redirects') return 1000;
  if (Number.isInteger(status) && status >= 100 && status <= 999) return status;
  throw new RangeError(`status: expected 100 to 999, 'no-response' or 'too-many-redirects', found '${status}'`);
}

/** The answer to a check. Only `allow` lets a crawler fetch the URL. */
export type Access = 'allow' | 'disallow' | 'invalid' | 'defer' | 'unknown';

const ACCESS: readonly Access[] = ['invalid', 'allow', 'disallow', 'defer', 'unknown'];
export const ALLOW = 1;
export const DISALLOW = 2;

/** Why a verdict is what it is. `other` is a reason that this version of the package does not know. */
export type Reason =
  | 'invalid'
  | 'rule'
  | 'no-rule'
  | 'robots-txt'
  | 'unavailable'
  | 'unreachable'
  | 'restricted'
  | 'undeterminable'
  | 'deferred'
  | 'unknown'
  | 'invalid-agent'
  | 'other';

const REASONS: readonly Reason[] = [
  'invalid', 'rule', 'no-rule', 'robots-txt', 'unavailable', 'unreachable', 'restricted', 'undeterminable',
  'deferred', 'unknown',
];

/** Whether a crawler may fetch a URL, and why. */
export interface Verdict {
  readonly verdict: Access;
  readonly isAllowed: boolean;
  /** The 1-based line of the rule that decided; `null` if no line did. */
  readonly line: number | null;
  readonly reason: Reason;
}

function verdictOf(word: number, line: number): Verdict {
  return {
    verdict: ACCESS[word & 0xff] ?? 'invalid',
    isAllowed: (word & 0xff) === ALLOW,
    line: line === 0 ? null : line,
    reason: REASONS[(word >> 8) & 0xff] ?? 'other',
  };
}

/** The verdicts on a batch of URLs, in their order. */
export class Verdicts implements Iterable<Verdict> {
  readonly length: number;
  readonly #words: Uint32Array;

  /** @internal */
  constructor(words: Uint32Array) {
    this.#words = words;
    this.length = words.length / 2;
  }

  /** Whether the crawler may fetch the URL with this index. False for an index without a URL. */
  isAllowed(index: number): boolean {
    return ((this.#word(index, 0) ?? 0) & 0xff) === ALLOW;
  }

  /** The 1-based line of the rule that decided; 0 if no line did. */
  line(index: number): number {
    return this.#word(index, 1) ?? 0;
  }

  /** The verdict on the URL with this index; `undefined` for an index without a URL. */
  at(index: number): Verdict | undefined {
    const word = this.#word(index, 0);
    return word === undefined ? undefined : verdictOf(word, this.line(index));
  }

  *[Symbol.iterator](): Iterator<Verdict> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index) as Verdict;
  }

  /** A word of a verdict. Half an index would be that of a line. */
  #word(index: number, part: 0 | 1): number | undefined {
    return Number.isInteger(index) ? this.#words[index * 2 + part] : undefined;
  }
}

/** URLs in one buffer, as in a string column of Arrow: URL i is `bytes[offsets[i] .. offsets[i + 1]]`. */
export interface UrlColumn {
  bytes: Uint8Array;
  offsets: ArrayLike<number>;
}

/** The automaton of rules. */
export interface Drawing {
  nodes: DrawnNode[];
  edges: DrawnEdge[];
  /** The nodes that the URL visits, in order, with the number of bytes of its path and query that were read before. */
  walk: { node: string; position: number }[];
  /** False if there are too many nodes to draw: then some are missing. */
  is_complete: boolean;
}

export interface DrawnNode {
  id: string;
  /**
   * The beginning; a node of the trie of prefixes; a state of the automaton that finds segments anywhere; a place in
   * patterns where the next segment is expected; a pattern of a list; a pattern of very many segments.
   */
  kind: 'begin' | 'prefix' | 'state' | 'wait' | 'pattern' | 'chain';
  /** Text besides the rules, in lines. */
  label: string;
  /** The best rule that matches once a URL has reached the node. */
  rule: { line: number; access: 'allow' | 'disallow' } | null;
  /** The best rule that matches when a URL ends at the node. */
  end_rule: { line: number; access: 'allow' | 'disallow' } | null;
}

export interface DrawnEdge {
  from: string;
  to: string;
  /** The bytes that it reads, or its segments. */
  label: string;
  /** By the next bytes; by segments anywhere after the beginning of the edge; at once; when nothing else leads on. */
  kind: 'bytes' | 'segments' | 'wakes' | 'fails';
}

/** A rule that matches a URL. */
export interface MatchingRule {
  line: number;
  access: 'allow' | 'disallow';
  pattern: string;
  length: number;
}

/** Why a URL has its verdict. */
export interface Explanation {
  url: string;
  verdict: { verdict: Access; line: number | null; reason: Reason };
  agent: string;
  dialect: Dialect;
  /** The path and query in the form in which they are compared. */
  target: string | null;
  /** The name of the group that applies; several whose groups are merged are separated by commas. */
  group: string | null;
  rule_count: number;
  /** The rules that match. The first one decides. */
  rules: MatchingRule[];
}

/** Minutes of a day, in UTC. */
export interface VisitTime {
  from: number;
  to: number;
}

/** A problem in a line. */
export interface Diagnostic {
  line: number;
  span: { start: number; end: number };
  code: string;
  message: string;
}

/** What a robots.txt says besides its rules. */
export interface Summary {
  dialect: Dialect;
  /** In seconds. */
  crawl_delay: number | null;
  request_rate: { requests: number; seconds: number; window: VisitTime | null } | null;
  visit_time: VisitTime | null;
  sitemaps: string[];
  preferred_host: string | null;
  diagnostics: Diagnostic[];
}

const encoder = new TextEncoder();

/** The rules of a robots.txt for one crawler, compiled. */
export class Rules {
  /** The crawler, as given. */
  readonly agent: string;
  readonly #handle: Handle;
  readonly #instance: Instance;

  /** @internal */
  constructor(handle: Handle, agent: string) {
    this.#instance = handle.instance;
    this.#handle = handle;
    this.agent = agent;
  }

  /** @internal A getter: JSON.stringify would write a property, with the whole memory of the module. */
  get _handle(): Handle {
    return this.#handle;
  }

  /** Whether the crawler may fetch the URL: an absolute URL, or a path with a query. False for what is not a URL. */
  isAllowed(url: Text): boolean {
    return (this.#check(url) & 0xff) === ALLOW;
  }

  /** The verdict on a URL. */
  check(url: Text): Verdict {
    const word = this.#check(url);
    return verdictOf(word, this.#instance.word(1));
  }

  /** @internal The number of the verdict in `ACCESS`. */
  _access(url: string): number {
    return this.#check(url) & 0xff;
  }

  /** The first word of a verdict. The second one is then `word(1)` of the instance. */
  #check(url: Text): number {
    const instance: Instance = this.#instance;
    instance.assertUsable();
    const rules = this.#handle.address;
    const length = instance.copy(url);
    if (length < 0) {
      instance.with(bytesOf(url, 'url'), (address, size) =>
        instance.attempt((exports) => exports.robomata_check(rules, address, size, instance.results)),
      );
      return instance.word(0);
    }
    let code;
    try {
      code = instance.exports.robomata_check(rules, instance.text, length, instance.results);
    } catch (error) {
      instance.lose(error);
    }
    if (instance.bytes.length === 0) instance.refresh();
    if (code !== 0) instance.fail(code);
    return instance.word(0);
  }

  /** The verdicts on many URLs: strings, or a buffer with offsets, which is faster. */
  checkBatch(urls: readonly string[] | UrlColumn): Verdicts {
    this.#instance.assertUsable();
    return new Verdicts(Array.isArray(urls) ? this.#strings(urls) : this.#column(urls as UrlColumn));
  }

  #strings(urls: readonly string[]): Uint32Array {
    const words = new Uint32Array(urls.length * 2);
    for (let start = 0; start < urls.length; ) {
      let [end, units] = [start, 0];
      for (; end < urls.length && end - start < BATCH_COUNT; end += 1) {
        const url = urls[end];
        if (typeof url !== 'string') throw new TypeError(`urls[${end}]: expected a string`);
        units += url.length;
        if (units > BATCH_UNITS) break;
      }
      if (end === start) {
        this.#single(urls[start] ?? '', words, start);
        start += 1;
        continue;
      }
      const length = this.#encode(urls, start, end);
      this.#part(length, end - start, words, start);
      start = end;
    }
    return words;
  }

  /** Writes strings to the memory for parts, with their offsets. Returns their length. */
  #encode(urls: readonly string[], start: number, end: number): number {
    const instance = this.#instance;
    const { offsets, text } = instance.batch;
    const [words, place] = [instance.words, offsets >> 2];
    const isAll = start === 0 && end === urls.length;
    const joined = (isAll ? urls : urls.slice(start, end)).join('');
    let at = encoder.encodeInto(joined, text).written;
    words[place] = 0;
    if (at === joined.length) {
      at = 0;
      for (let index = start; index < end; index += 1) {
        at += (urls[index] as string).length;
        words[place + index - start + 1] = at;
      }
      return at;
    }
    // Some are not ASCII. Joined, the halves of two lone surrogates would become one character.
    at = 0;
    for (let index = start; index < end; index += 1) {
      at += encoder.encodeInto(urls[index] as string, text.subarray(at)).written;
      words[place + index - start + 1] = at;
    }
    return at;
  }

  #column({ bytes, offsets }: UrlColumn): Uint32Array {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('urls.bytes: expected a Uint8Array');
    validateOffsets(offsets, bytes);
    const count = Math.max(0, offsets.length - 1);
    const words = new Uint32Array(count * 2);
    const limit = BATCH_UNITS * 3;
    for (let start = 0; start < count; ) {
      const from = offsets[start] ?? 0;
      // Nearly always, the rest fits. If not, as many as fit are one part.
      let end = Math.min(count, start + BATCH_COUNT);
      if ((offsets[end] ?? 0) - from > limit) {
        end = start;
        while ((offsets[end + 1] ?? 0) - from <= limit) end += 1;
      }
      if (end === start) {
        end += 1;
        this.#single(bytes.subarray(from, offsets[end]), words, start);
      } else {
        this.#copy(bytes.subarray(from, offsets[end]), offsets, start, end);
        this.#part((offsets[end] ?? from) - from, end - start, words, start);
      }
      start = end;
    }
    return words;
  }

  #single(url: Text, words: Uint32Array, index: number): void {
    words[index * 2] = this.#check(url);
    words[index * 2 + 1] = this.#instance.word(1);
  }

  #copy(bytes: Uint8Array, offsets: ArrayLike<number>, start: number, end: number): void {
    const instance = this.#instance;
    const memory = instance.batch;
    memory.text.set(bytes);
    const [words, place, base] = [instance.words, memory.offsets >> 2, offsets[start] ?? 0];
    if (base === 0 && offsets instanceof Uint32Array) {
      words.set(offsets.subarray(start, end + 1), place);
      return;
    }
    for (let index = start; index <= end; index += 1) {
      words[place + index - start] = (offsets[index] ?? base) - base;
    }
  }

  /** Checks the URLs in the memory for parts. */
  #part(length: number, count: number, words: Uint32Array, index: number): void {
    const [instance, rules] = [this.#instance, this.#handle.address];
    const { urls, offsets, verdicts } = instance.batch;
    instance.attempt((exports) => exports.robomata_check_batch(rules, urls, length, offsets, count, verdicts));
    words.set(instance.words.subarray(verdicts >> 2, (verdicts >> 2) + count * 2), index * 2);
  }

  /** Explains the verdict on a URL: the group, the rules that match, and the one that decides. */
  explain(url: Text): Explanation {
    const { instance, address: rules } = this.#handle;
    return instance.with(bytesOf(url, 'url'), (address, length) =>
      instance.json((exports, out) => exports.robomata_explain(rules, address, length, out)),
    ) as Explanation;
  }

  /** Draws the automaton, and follows a URL through it. Only the module of `robomata/playground` does this. */
  drawing(url?: Text): Drawing {
    const { instance, address: rules } = this.#handle;
    const draw = full(instance.exports, 'robomata_drawing');
    if (url === undefined) return instance.json((_, out) => draw(rules, 0, 0, out)) as Drawing;
    return instance.with(bytesOf(url, 'url'), (address, length) =>
      instance.json((_, out) => draw(rules, address, length, out)),
    ) as Drawing;
  }

  /** Frees the memory now. Otherwise this happens some time after the last reference to the rules. */
  free(): void {
    this.#handle.free();
  }
}

/** Compiled rules that a robots.txt keeps for the next check. */
const KEPT_RULES = 8;

/** A parsed robots.txt. It does not know its site: it answers for every URL as if the URL were of its own site. */
export class Robots {
  readonly #handle: Handle;
  readonly #kept = new Map<string, Rules>();
  /** Rules that the program has. Others are freed once they are no longer kept. */
  readonly #given = new WeakSet<Rules>();
  #last: Rules | undefined;

  /** @internal */
  constructor(handle: Handle) {
    this.#handle = handle;
  }

  /** @internal */
  get _handle(): Handle {
    return this.#handle;
  }

  /** The rules for a crawler, compiled. For many URLs, use these. The same name gives the same rules again, unless they were freed. */
  forAgent(agent: string): Rules {
    const rules = this._rulesOf(agent);
    this.#given.add(rules);
    return rules;
  }

  /** @internal The rules for a crawler, until those of another one are wanted. */
  _rulesOf(agent: string): Rules {
    if (this.#last?.agent === agent && !this.#last._handle.isFreed) return this.#last;
    const kept = this.#kept.get(agent);
    this.#last = kept && !kept._handle.isFreed ? kept : this.#compile(agent);
    return this.#last;
  }

  #compile(agent: string): Rules {
    const { instance, address: robots, size } = this.#handle;
    const rules = instance.with(bytesOf(agentText(agent), 'agent'), (text, length) => {
      instance.attempt((exports) => exports.robomata_rules_new(robots, text, length, instance.results));
      return instance.word(0);
    });
    const compiled = new Rules(new Handle(instance, 'robomata_rules_free', rules, size, this.#handle), agent);
    const [oldest] = this.#kept;
    if (this.#kept.size >= KEPT_RULES && oldest !== undefined) {
      this.#kept.delete(oldest[0]);
      if (!this.#given.has(oldest[1])) oldest[1].free();
    }
    this.#kept.set(agent, compiled);
    return compiled;
  }

  /** Whether a crawler may fetch a URL: see `Rules.isAllowed`. */
  isAllowed(url: Text, agent: string): boolean {
    return this._rulesOf(agent).isAllowed(url);
  }

  /** The verdict on a URL for a crawler. */
  check(url: Text, agent: string): Verdict {
    return this._rulesOf(agent).check(url);
  }

  /** The verdicts on many URLs for a crawler: see `Rules.checkBatch`. */
  checkBatch(urls: readonly string[] | UrlColumn, agent: string): Verdicts {
    return this._rulesOf(agent).checkBatch(urls);
  }

  /** Explains the verdict on a URL for a crawler. */
  explain(url: Text, agent: string): Explanation {
    return this._rulesOf(agent).explain(url);
  }

  /** Delays, sitemaps and other lines that are no rules, and the problems in the lines. */
  summary(agent: string): Summary {
    const { instance, address } = this.#handle;
    return instance.with(bytesOf(agentText(agent), 'agent'), (text, length) =>
      instance.json((exports, out) => exports.robomata_summary(address, text, length, out)),
    ) as Summary;
  }

  /** Frees the memory now, also that of its rules. Otherwise this happens some time after the last reference to them. */
  free(): void {
    this.#kept.clear();
    this.#last = undefined;
    this.#handle.free();
  }
}

/** Refuses what is not an array of offsets, and offsets that do not ascend or are not in the bytes. */
function validateOffsets(offsets: ArrayLike<number>, bytes: Uint8Array): void {
  const count: unknown = offsets?.length;
  // Some columns without URLs have no offsets.
  const isNone = count === 0 && bytes.length === 0 && !isDetached(bytes) && !isDetached(offsets);
  if (!(Number.isInteger(count) && (count as number) > 0) && !isNone) {
    throw new TypeError('urls.offsets: expected an array of at least one number (it has none if its buffer was transferred)');
  }
  const { length } = bytes;
  let last = 0;
  for (let index = 0; index < offsets.length; index += 1) {
    const offset = offsets[index] as number;
    if (!(offset >= last && offset <= length && Number.isInteger(offset))) {
      throw new RangeError(
        `urls.offsets[${index}]: expected an integer from ${last} to ${length}, found ${Number(offset)}`,
      );
    }
    last = offset;
  }
}

function agentText(agent: string): string {
  if (typeof agent !== 'string') throw new TypeError('agent: expected a string');
  return agent;
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Refuses names that are no options: a misspelt status would count as 200. Other objects, such as a Response, have more names,
 * so they are refused where no status is an option. Where it is, they must have one: that of `http` calls it statusCode.
 */
export function requireKnown(options: object, known: readonly string[] = OPTIONS): void {
  if (isPlain(options)) {
    const unknown = Object.keys(options).find((name) => !known.includes(name));
    if (unknown === undefined) return;
    throw new TypeError(`options: expected ${known.join(', ')}, found ${JSON.stringify(unknown)}`);
  }
  const takesStatus = known.includes('status');
  if (takesStatus && typeof options === 'object' && options !== null && 'status' in options) return;
  const found = String((options as object | null)?.constructor?.name ?? options);
  throw new TypeError(
    takesStatus
      ? `options: expected a plain object, or a response with a status, found ${found} without one (pass { status })`
      : `options: expected a plain object of ${known.join(', ')}, found ${found}`,
  );
}

/** Parses a robots.txt into an instance of the module. */
export function parse(engine: Engine, body: Text, options: ParseOptions = {}, instance = engine.instance): Handle {
  requireKnown(options);
  const dialect = dialectNumber(options.dialect ?? 'rfc9309');
  // A status that was given and is missing is that of a response that never came: no success.
  const status = statusNumber('status' in options ? (options.status as FetchStatus) : 200);
  const limit = limitNumber(options.maxRobotsBytes);
  const bytes = bytesOf(body, 'body');
  const robots = instance.with(bytes, (address, length) => {
    instance.attempt((exports) =>
      exports.robomata_robots_parse_within(address, length, dialect, status, limit, instance.results),
    );
    return instance.word(0);
  });
  return new Handle(instance, 'robomata_robots_free', robots, bytes.length + OBJECT_SIZE);
}
