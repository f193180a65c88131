// The module and what it says about the files at hand. Everything that decides is in the module.

import { RobomataError, load } from 'robomata/load';
import type {
  Changes,
  CheckedExpectation,
  Dialect,
  Explanation,
  FetchStatus,
  Finding,
  FullLibrary,
  ParseOptions,
  PermissionAnswer,
  Robots,
  Rules,
  Verdict,
  Verdicts,
} from 'robomata/load';
import { messageOf } from './dom.js';

export type * from 'robomata/load';
type File = ReturnType<FullLibrary['Robots']['parse']>;

export const DIALECTS: readonly (readonly [Dialect, string])[] = [
  ['rfc9309', 'RFC 9309'],
  ['google', 'Google'],
  ['koster1996', 'Koster 1996'],
  ['acap', 'ACAP'],
  ['yandex', 'Yandex'],
];

/** Unpacks and compiles the module that is part of the page. */
export async function library(packed: string): Promise<FullLibrary> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return load(await WebAssembly.compile(await new Response(stream).arrayBuffer()));
}

/** URLs of a block. After each, a long run may pause. */
const BLOCK = 4096;
const SHIFT = 12;
/** Milliseconds of a run before it lets the page react. */
const SLICE = 24;

const encoder = new TextEncoder();

/** A list of URLs, encoded once, in blocks. */
export class UrlList {
  readonly blocks: { bytes: Uint8Array; offsets: Uint32Array }[] = [];

  constructor(readonly urls: readonly string[]) {
    for (let start = 0; start < urls.length; start += BLOCK) {
      const block = urls.slice(start, start + BLOCK);
      const bytes = new Uint8Array(block.reduce((sum, url) => sum + url.length * 3, 0));
      const offsets = new Uint32Array(block.length + 1);
      let at = 0;
      block.forEach((url, index) => {
        at += encoder.encodeInto(url, bytes.subarray(at)).written;
        offsets[index + 1] = at;
      });
      this.blocks.push({ bytes: bytes.slice(0, at), offsets });
    }
  }
}

/** The verdicts on all URLs for one crawler. */
export class Column {
  readonly #blocks: Verdicts[] = [];

  constructor(
    readonly agent: string,
    readonly rules: Rules | null,
    readonly error: string | null,
    /** Whether the error is that of the name, and not of the file. */
    readonly isNoCrawler = false,
  ) {}

  /** Why there are no verdicts, in short. */
  get lack(): string | null {
    return this.isNoCrawler ? 'no crawler' : this.error;
  }

  add(block: UrlList['blocks'][number]): void {
    if (this.rules) this.#blocks.push(this.rules.checkBatch(block));
  }

  isAllowed(index: number): boolean {
    return this.#blocks[index >> SHIFT]?.isAllowed(index & (BLOCK - 1)) ?? false;
  }

  /** How many of the first URLs are allowed. */
  allowed(length: number): number {
    let count = 0;
    for (let index = 0; index < length; index += 1) if (this.isAllowed(index)) count += 1;
    return count;
  }

  /** The line that decides, or 0. */
  line(index: number): number {
    return this.#blocks[index >> SHIFT]?.line(index & (BLOCK - 1)) ?? 0;
  }

  at(index: number): Verdict | undefined {
    return this.#blocks[index >> SHIFT]?.at(index & (BLOCK - 1));
  }

  explain(url: string): Explanation | null {
    return this.rules?.explain(url) ?? null;
  }
}

/** Bytes that crawlers read at least, and many at most. */
export const CUT = 500 * 1024;

/** A robots.txt, and whether only its first 500 KiB are read. */
export interface Body {
  bytes: Uint8Array;
  isCut: boolean;
}

const limitOf = ({ isCut }: Body): { maxRobotsBytes: number | undefined } => ({
  maxRobotsBytes: isCut ? CUT : undefined,
});

/** One robots.txt as it was fetched, read in any dialect. */
export class Copy {
  readonly #library: FullLibrary;
  readonly #parsed = new Map<Dialect, File>();

  constructor(
    library: FullLibrary,
    readonly body: Body,
    /** The result of the fetch, alone, after which the same applies in a dialect as after all fetches. */
    readonly statusIn: (dialect: Dialect) => FetchStatus,
  ) {
    this.#library = library;
  }

  parsed(dialect: Dialect): File {
    let file = this.#parsed.get(dialect);
    if (file === undefined) {
      file = this.#library.Robots.parse(this.body.bytes, this.#options(dialect));
      this.#parsed.set(dialect, file);
    }
    return file;
  }

  column(dialect: Dialect, agent: string): Column {
    return orError(agent, () => this.parsed(dialect).forAgent(agent));
  }

  /** What the copy, the page at a URL and the headers of its response state. */
  permissions(
    dialect: Dialect,
    agent: string,
    url: string,
    { headers, page }: { headers: string; page: string },
  ): PermissionAnswer[] {
    // An empty field is no page.
    return this.parsed(dialect).permissions(url, agent, { headers, page: page === '' ? undefined : page });
  }

  lint(dialect: Dialect): Finding[] {
    return this.#library.lint(this.body.bytes, { dialect, ...limitOf(this.body) });
  }

  /** Compares the copy with what its owner expects of it. A line that cannot be read is an error. */
  expectations(dialect: Dialect, text: string): CheckedExpectation[] {
    return this.#library.checkExpectations(this.body.bytes, text, this.#options(dialect));
  }

  /** What changes for a crawler when this copy replaces an older one. Both are compared as fetched with success. */
  changesFrom(older: Body, dialect: Dialect, agent: string): Changes {
    return this.#library.diff(older.bytes, this.body.bytes, agent, { dialect, ...limitOf(this.body) });
  }

  #options(dialect: Dialect): ParseOptions {
    return { dialect, status: this.statusIn(dialect), ...limitOf(this.body) };
  }

  free(): void {
    for (const file of this.#parsed.values()) (file as Robots).free();
    this.#parsed.clear();
  }
}

function orError(agent: string, compile: () => Rules): Column {
  try {
    return new Column(agent, compile(), null);
  } catch (error) {
    return new Column(agent, null, messageOf(error), error instanceof RobomataError && error.code === 'agent');
  }
}

/** Lets the page react, and goes on. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  });
}

/**
 * Checks all URLs for all columns. Short runs are done without a pause. Longer ones are cut into slices, and end early,
 * with false, when they are no longer wanted.
 */
export async function judge(list: UrlList, columns: readonly Column[], isWanted: () => boolean): Promise<boolean> {
  let start = performance.now();
  for (const block of list.blocks) {
    for (const column of columns) {
      if (performance.now() - start > SLICE) {
        await pause();
        if (!isWanted()) return false;
        start = performance.now();
      }
      column.add(block);
    }
  }
  return true;
}
