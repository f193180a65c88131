// Everything that one module can do.

import { Engine, Handle, RobomataError, bytesOf, full } from './engine.js';
import type { Text } from './engine.js';
import { Robots, Rules, Verdicts, dialectNumber, limitNumber, parse, requireKnown, statusNumber } from './robots.js';
import type { Access, Dialect, FetchStatus, ParseOptions, Reason } from './robots.js';

export { RobomataError, Robots, Rules, Verdicts };
export type { ErrorCode, Text } from './engine.js';
export type * from './robots.js';

/** A place in a robots.txt, in bytes. In a file in UTF-16, they are bytes of its text in UTF-8. */
export interface Place {
  offset: number;
  length: number;
}

/** A mistake in a robots.txt. */
export interface Finding extends Place {
  line: number;
  column: number;
  /** A short, stable name. */
  code: string;
  severity: 'note' | 'warning' | 'error';
  message: string;
  help: string | null;
  /** A replacement that is safe. */
  fix: (Place & { text: string }) | null;
  related: { line: number; message: string }[];
}

/** What a change of a robots.txt changes for a crawler. */
export interface Changes {
  /** A path for each pair of rules that decide differently. */
  examples: { path: string; old: RuleVerdict; new: RuleVerdict }[];
  /** Whether it is proved that there are no other changes. */
  is_complete: boolean;
}

export interface RuleVerdict {
  verdict: Access;
  line: number | null;
  reason: Reason;
}

/** What a robots.txt states about one usage of a URL. */
export interface PermissionAnswer {
  usage: string;
  permission: 'permitted' | 'unspecified' | 'deferred' | 'prohibited';
  reason: string;
  /** The statement that decided. */
  source: {
    vocabulary: string;
    place: 'robots-txt' | 'referenced' | 'tdmrep-json' | 'meta' | 'element' | 'header';
    is_referenced: boolean;
    /** The 1-based line of the file, the page or the headers. */
    line: number | null;
  } | null;
  /** Conditions of the permission. A prohibition by TDMRep has its policy here. */
  qualifiers: string[];
  /** Facts that are missing for a decision. */
  missing: string[];
}

/** What a site owner expects of a robots.txt, compared with it. */
export interface CheckedExpectation {
  /** The 1-based line of the expectation. */
  line: number;
  /** The expectation as written, without a comment. */
  text: string;
  agent: string;
  /** A path, a pattern or a URL. */
  pattern: string;
  expected: 'allow' | 'disallow';
  /** Whether it holds. False if that is not known. */
  holds: boolean;
  /** Whether `holds` is certain: for a pattern, for every URL that it matches. */
  is_proved: boolean;
  /** If it does not hold: a URL or path that has another verdict. */
  witness: string | null;
  /** The line of the robots.txt that decides about the URL or the witness. */
  decided_by: number | null;
  /** What was found, in one sentence. */
  message: string;
}

/** What is known of the fetches of a robots.txt. Times are in seconds since 1970. */
export interface Situation {
  /** The URL of the robots.txt. */
  url: string;
  /** How the latest attempt to fetch it ended. */
  status: FetchStatus;
  /** When the latest attempt ended. */
  at: number;
  now: number;
  /** When the current run of failures began, if the latest attempt is not the first of its run. */
  failing_since?: number | undefined;
  /** When the last robots.txt was fetched whose rules are still there. */
  good_copy_at?: number | undefined;
  /** The header fields of the latest response, one a line. */
  headers?: string | undefined;
  dialect?: Dialect | undefined;
  /** What the crawler follows during an outage: RFC 9309 leaves the choice. */
  unreachable?: 'last-good-copy' | 'disallow' | undefined;
}

const TIMES = ['at', 'now', 'failing_since', 'good_copy_at'] as const satisfies (keyof Situation)[];

/** What applies to a site after an attempt to fetch its robots.txt. */
export interface Standing {
  applies: 'rules' | 'last-good-copy' | 'unrestricted' | 'restricted' | 'deferred' | 'unknown';
  /** When something else applies. `null`: not until another attempt. */
  until: number | null;
  /** When a crawler should fetch the file again. */
  refetch: number;
  /** The reason, in a sentence. */
  text: string;
}

/** A robots.txt that also answers about usages besides crawling. */
export class RobotsWithPermissions extends Robots {
  /**
   * What the file states to a crawler about each usage of a URL: crawling, indexing, snippets, training, and others. Also
   * what the page at the URL states, and the headers of its response, which only `robomata/playground` reads. Permissions can
   * end on a date: the answers are those of the time `now`.
   */
  permissions(url: Text, agent: string, options: PageTexts = {}): PermissionAnswer[] {
    requireKnown(options, PERMISSION_OPTIONS);
    const { headers = '', page, now = Date.now() / 1000 } = options;
    if (typeof now !== 'number' || !Number.isSafeInteger(Math.floor(now))) {
      throw new RangeError(`now: expected seconds since 1970, found ${String(now)}`);
    }
    const time = BigInt(Math.floor(now));
    const { instance, address } = this._handle;
    if (headers === '' && page === undefined) {
      const permissions = full(instance.exports, 'robomata_permissions', 'robomata/permissions');
      return instance.with(bytesOf(agent, 'agent'), (name, nameLength) =>
        instance.with(bytesOf(url, 'url'), (text, length) =>
          instance.json((_, out) => permissions(address, name, nameLength, text, length, time, out)),
        ),
      ) as PermissionAnswer[];
    }
    if (page !== undefined && typeof page !== 'string') throw new TypeError('page: expected a string');
    const permissions = full(instance.exports, 'robomata_page_permissions');
    const texts = Object.entries({ agent, url, headers }).map(([name, text]) => bytesOf(text, name));
    if (page !== undefined) texts.push(bytesOf(page, 'page'));
    const call = (places: number[]): PermissionAnswer[] => {
      const bytes = texts[places.length / 2];
      if (bytes !== undefined) return instance.with(bytes, (at, length) => call([...places, at, length]));
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = places;
      return instance.json((_, out) => permissions(address, a, b, c, d, e, f, g, h, time, out)) as PermissionAnswer[];
    };
    return call([]);
  }
}

/** The page at a URL, and the time of the query. */
export interface PageTexts {
  /** The header fields of the response, one a line. A status line must be that of a whole page, 200 to 299 but not 206. */
  headers?: Text | undefined;
  /**
   * The HTML. What is not the whole page is an error: the head of the response is before it, it is still compressed as its headers
   * say, or it is empty and the headers have no status line. Leave it out if the response is no page, such as an image.
   */
  page?: string | undefined;
  /** In seconds since 1970. The default is the current time. */
  now?: number | undefined;
}

/** Options of `lint` and `diff`. They read texts, so they take no status. */
export type TextOptions = Pick<ParseOptions, 'dialect' | 'maxRobotsBytes'>;

const TEXT_OPTIONS: readonly string[] = ['dialect', 'maxRobotsBytes'] satisfies (keyof TextOptions)[];
const PERMISSION_OPTIONS: readonly string[] = ['headers', 'page', 'now'] satisfies (keyof PageTexts)[];

/** The functions of a module. */
export interface Library<R extends Robots = RobotsWithPermissions> {
  Robots: {
    /** Parses a robots.txt. Any text is one. Of a response, pass the bytes: `text()` loses rules that are not in UTF-8. */
    parse(body: Text, options?: ParseOptions): R;
  };
  /** Finds mistakes in a robots.txt: lines that parsers ignore or misread, rules that never decide, and more. */
  lint(body: Text, options?: TextOptions): Finding[];
  /** Compares two versions of a robots.txt for a crawler. */
  diff(older: Text, newer: Text, agent: string, options?: TextOptions): Changes;
}

/**
 * The functions of the module of `robomata/playground`. That of `robomata/permissions` has no `standing`, no drawings, and reads
 * no pages and headers.
 */
export interface FullLibrary extends Library {
  /**
   * Compares a robots.txt with what its owner expects of it. Each line of `expectations` is a crawler, `may fetch` or
   * `may not fetch`, and a path, a pattern or a URL. A line that cannot be read is an error.
   */
  checkExpectations(body: Text, expectations: Text, options?: ParseOptions): CheckedExpectation[];
  /** What applies to a site after an attempt to fetch its robots.txt, until when, and why. */
  standing(situation: Situation): Standing;
}

/**
 * The functions of a module: its bytes, or the compiled module. Nothing is fetched. `robomata`,
 * `robomata/permissions` and `robomata/playground` contain theirs already.
 */
export function load(module: Uint8Array | WebAssembly.Module): FullLibrary {
  return fullLibrary(() => module);
}

/** The functions of every module that can explain and lint. */
export function library<R extends Robots>(engine: Engine, kind: new (handle: Handle) => R): Library<R> {
  return {
    Robots: {
      parse(body, options): R {
        return new kind(parse(engine, body, options));
      },
    },
    lint(body, options = {}): Finding[] {
      requireKnown(options, TEXT_OPTIONS);
      const { instance } = engine;
      const dialect = dialectNumber(options.dialect ?? 'rfc9309');
      const limit = limitNumber(options.maxRobotsBytes);
      return instance.with(bytesOf(body, 'body'), (address, length) =>
        instance.json((exports, out) => exports.robomata_lint_within(address, length, dialect, limit, out)),
      ) as Finding[];
    },
    diff(older, newer, agent, options = {}): Changes {
      requireKnown(options, TEXT_OPTIONS);
      const { instance } = engine;
      const handles = [older, newer].map((body) => parse(engine, body, options, instance));
      try {
        const [before, after] = handles.map(({ address }) => address) as [number, number];
        return instance.with(bytesOf(agent, 'agent'), (name, length) =>
          instance.json((exports, out) => exports.robomata_changes(before, after, name, length, out)),
        ) as Changes;
      } finally {
        for (const handle of handles) handle.free();
      }
    },
  };
}

/** All functions, of a module that is compiled when it is first used. */
export function fullLibrary(source: () => Uint8Array | WebAssembly.Module): FullLibrary {
  const engine = new Engine(source);
  return {
    ...library(engine, RobotsWithPermissions),
    checkExpectations(body, expectations, options): CheckedExpectation[] {
      const handle = parse(engine, body, options);
      const { instance, address: robots } = handle;
      try {
        const check = full(instance.exports, 'robomata_expectations', 'robomata/permissions');
        return instance.with(bytesOf(expectations, 'expectations'), (text, length) =>
          instance.json((_, out) => check(robots, text, length, out)),
        ) as CheckedExpectation[];
      } finally {
        handle.free();
      }
    },
    standing(situation): Standing {
      const { instance } = engine;
      const standing = full(instance.exports, 'robomata_standing');
      statusNumber(situation.status);
      dialectNumber(situation.dialect ?? 'rfc9309');
      for (const name of TIMES) {
        // JSON has no NaN: it would become null, which is no time at all.
        const time: unknown = situation[name];
        if (time === undefined || Number.isFinite(time)) continue;
        throw new RangeError(`${name}: expected seconds since 1970, found ${String(time)} (leave out what is not known)`);
      }
      return instance.with(bytesOf(JSON.stringify(situation), 'situation'), (text, length) =>
        instance.json((_, out) => standing(text, length, out)),
      ) as Standing;
    },
  };
}
