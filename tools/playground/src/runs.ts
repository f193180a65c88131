// Runs: each judges the whole list by what was entered.

import { messageOf, orMessage } from './dom.js';
import { Copy, UrlList, judge } from './engine.js';
import type { Changes, CheckedExpectation, Column, Dialect, FullLibrary } from './engine.js';
import { lineEnds } from './lines.js';
import { effectiveStatus, situationOf, standing } from './situation.js';
import type { State } from './state.js';
import { Task } from './tasks.js';

const encoder = new TextEncoder();

/** What a change changes for a crawler, or why that is unknown. */
export type ChangesOf = { agent: string; found: Changes | string };

/** The answers to what was entered. Lines count from the start of the block, unless they are those of the file. */
export class Run {
  readonly dialect: Dialect;
  /** What comes before the file, and its number of lines. */
  readonly block: string;
  readonly shift: number;
  readonly copy: Copy;
  readonly columns: readonly Column[];
  /** How many URLs each line decides. */
  readonly counts: Uint32Array;
  /** What applies after the fetch, unless the file has just been fetched with success. */
  readonly situation: string | null;
  #isCurrent = true;

  constructor(
    private readonly library: FullLibrary,
    readonly list: UrlList,
    state: Readonly<State>,
  ) {
    const { body, prepended, isCut, agents, dialect, status, age } = state;
    const now = Math.floor(Date.now() / 1000);
    const situation = situationOf(state, now);
    const applies = standing(library.standing(situation), now);
    this.situation = status === 200 && age === 0 ? null : applies;
    this.dialect = dialect;
    this.block = prepended === '' || /[\r\n]$/.test(prepended) ? prepended : `${prepended}\n`;
    this.shift = lineEnds(this.block);
    this.counts = new Uint32Array(this.shift + lineEnds(body) + 2);
    const bytes = encoder.encode(this.block + body);
    this.copy = new Copy(library, { bytes, isCut }, (of) => effectiveStatus(library, situation, of));
    this.columns = agents.filter((agent) => agent !== '').map((agent) => this.copy.column(dialect, agent));
  }

  /** Judges the list. Ends early, with false, when the run is no longer wanted. */
  async judge(isWanted: () => boolean): Promise<boolean> {
    const { list, columns, counts } = this;
    const started = performance.now();
    if (!(await judge(list, columns, isWanted))) return false;
    performance.measure('judge', { start: started });
    for (let index = 0; index < list.urls.length; index += 1) {
      for (let at = 0; at < columns.length; at += 1) {
        const line = columns[at]?.line(index) ?? 0;
        let isFirst = line > 0;
        for (let earlier = 0; earlier < at && isFirst; earlier += 1) isFirst = columns[earlier]?.line(index) !== line;
        if (isFirst && line < counts.length) counts[line] = (counts[line] ?? 0) + 1;
      }
    }
    return true;
  }

  /** Judges the list for other columns. Ends early, with false, when there are other answers. */
  async judgeAlso(columns: readonly Column[]): Promise<boolean> {
    const isCurrent = (): boolean => this.#isCurrent;
    return (await judge(this.list, columns, isCurrent)) && isCurrent();
  }

  /** Another file, as crawlers read it after the same fetches. */
  copyOf(text: string): Copy {
    const { body, statusIn } = this.copy;
    return new Copy(this.library, { ...body, bytes: encoder.encode(this.block + text) }, statusIn);
  }

  /** What changes for each crawler, and for every other one, when the file replaces the live one. */
  changesFrom(before: string | null): ChangesOf[] {
    if (before === null) return [];
    const { body } = this.copyOf(before);
    const agents = new Set([...this.columns.map(({ agent }) => agent), '*']);
    return [...agents].map((agent) => ({
      agent,
      found: orMessage(() => this.copy.changesFrom(body, this.dialect, agent)),
    }));
  }

  /** What became of each expectation, or why they cannot be read. */
  expectations(text: string): CheckedExpectation[] | string {
    return orMessage(() => this.copy.expectations(this.dialect, text));
  }

  lineName(line: number): string {
    return line > this.shift ? `line ${line - this.shift}` : `block line ${line}`;
  }

  /** The first URLs that a line of the file decides. */
  urlsOf(line: number, most: number): { urls: string[]; count: number } {
    const { urls } = this.list;
    const count = this.counts[line + this.shift] ?? 0;
    const found: string[] = [];
    for (let index = 0; index < urls.length && found.length < Math.min(most, count); index += 1) {
      if (this.columns.some((column) => column.line(index) === line + this.shift)) found.push(urls[index] ?? '');
    }
    return { urls: found, count };
  }

  free(): void {
    this.#isCurrent = false;
    this.copy.free();
  }
}

/** Holds the latest run. */
export class Runs {
  readonly #task = new Task((isWanted) => this.#judge(isWanted));
  #list = new UrlList([]);
  #current: Run | undefined;

  /** `entered` fails if nothing can be judged. `changed` gets the reason if there is no run, or null. */
  constructor(
    private readonly library: FullLibrary,
    private readonly entered: () => Readonly<State>,
    private readonly changed: (why: string | null) => void,
  ) {}

  /** Undefined if what was entered has no answers: those before it would be taken for them. */
  get current(): Run | undefined {
    return this.#current;
  }

  /** Whether the current run is still that of an earlier state. */
  get isJudging(): boolean {
    return this.#task.isPending;
  }

  /** Judges all again before the next frame. */
  plan(): void {
    this.#task.plan();
  }

  async #judge(isWanted: () => boolean): Promise<void> {
    let run;
    try {
      const started = performance.now();
      const state = this.entered();
      if (this.#list.urls !== state.urls) this.#list = new UrlList(state.urls);
      run = new Run(this.library, this.#list, state);
      performance.measure('parse', { start: started });
      if (!(await run.judge(isWanted))) return run.free();
      this.#current?.free();
      this.#current = run;
      this.changed(null);
      performance.measure('keystroke', { start: started });
    } catch (error) {
      run?.free();
      if (!isWanted()) return;
      this.#current?.free();
      this.#current = undefined;
      this.changed(messageOf(error));
    }
  }
}
