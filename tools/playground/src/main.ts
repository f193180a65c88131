// The page: reads what users enter, lets the module judge it, and shows the answers.

import type { Diagnostic } from '@codemirror/lint';
import type { FullLibrary } from 'robomata/load';
import { collect, textOf } from './collect.js';
import { data, download, fill, find, h, messageOf, plural, shown } from './dom.js';
import { picture } from './drawing.js';
import { Editor } from './editor.js';
import { CUT, Column, Copy, DIALECTS, UrlList, judge, library } from './engine.js';
import type {
  Body,
  Changes,
  CheckedExpectation,
  Dialect,
  Explanation,
  FetchStatus,
  Finding,
  Standing,
  Verdict,
} from './engine.js';
import { EXAMPLE } from './example.js';
import { Grid } from './grid.js';
import { lineEnds, positions } from './lines.js';
import * as panels from './panels.js';
import * as report from './report.js';
import { fragmentOf, stateOf } from './share.js';
import type { State } from './share.js';
import { MOST_HOURS, STATUSES, effectiveStatus, situationOf } from './situation.js';

/** The fields of hours. All but the first are those of a failure. */
const HOURS = ['age', 'failing', 'good'] as const;
/** What shows answers, besides the grid and the editor. */
const CLEARED = [
  'file-facts',
  'line-facts',
  'findings-title',
  'findings-list',
  'urls-facts',
  'explanation',
  'changes',
  'dialects-facts',
  'dialects',
  'usages-facts',
  'usages',
  'automaton-facts',
  'automaton',
  'expectations-facts',
  'expectations',
];
const MOST_AGENTS = 8;
/** Rows of tables that are not virtual. */
const MOST_ROWS = 200;
const MOST_FINDINGS = 500;
/** URLs that the editor of the list shows. */
const MOST_EDITED = 20_000;

const encoder = new TextEncoder();

/** A complete run: the copy, and the verdicts on the whole list. */
interface Run {
  copy: Copy;
  list: UrlList;
  columns: Column[];
  counts: Uint32Array;
  /** Lines of the block before the file. */
  shift: number;
  /** What applies after the fetch, and when that was asked. */
  standing: Standing;
  now: number;
}

class Page {
  readonly #library: FullLibrary;
  readonly #state: State = structuredClone(EXAMPLE);
  readonly #statuses = [...STATUSES];
  #list = new UrlList([]);
  #run: Run | undefined;
  #findings: Finding[] = [];
  #changes: { agent: string; found: Changes | string }[] = [];
  #wanted = 0;
  #isPlanned = false;
  #running = 0;
  #lintTimer = 0;
  #lintTime = 0;
  #panelTimer = 0;
  #tab = 'urls';
  #atHand = '';
  #line = 1;
  readonly #editor: Editor;
  readonly #before: Editor;
  readonly #grid: Grid;

  constructor(engine: FullLibrary, nonce: string) {
    this.#library = engine;
    this.#editor = new Editor({
      parent: find('editor'),
      label: 'robots.txt',
      nonce,
      changed: (text) => {
        this.#state.body = text;
        this.#plan();
      },
      moved: (line) => {
        this.#line = line;
        this.#showLineFacts();
      },
      urlsOf: (line) => this.#urlsOf(line, 12),
    });
    this.#before = new Editor({
      parent: find('before'),
      label: 'Live robots.txt',
      nonce,
      changed: (text) => {
        this.#state.before = text;
        this.#planPanel();
      },
    });
    this.#grid = new Grid({
      element: find('urls'),
      cells: (index) => [
        data(this.#run?.list.urls[index] ?? ''),
        ...(this.#run?.columns ?? []).map((column) => {
          const verdict = column.at(index);
          return verdict
            ? panels.verdictCell(verdict, (line) => h('span', { class: 'place' }, this.#lineName(line)))
            : h('span', {}, '–');
        }),
      ],
      reached: (index) => this.#takeInHand(this.#run?.list.urls[index] ?? ''),
    });
    this.#bind();
  }

  // What users enter.

  #bind(): void {
    const tabs = [
      ['urls', 'URLs'],
      ['changes', 'Before and after'],
      ['dialects', 'Dialects'],
      ['usages', 'Usages'],
      ['automaton', 'Automaton'],
      ['expectations', 'Expectations'],
    ] as const;
    fill(
      find('tabs'),
      ...tabs.map(([name, title]) =>
        h(
          'button',
          {
            type: 'button',
            role: 'tab',
            id: `tab-${name}`,
            'aria-controls': `panel-${name}`,
            click: () => this.#open(name),
          },
          title,
        ),
      ),
    );
    find('tabs').addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const names = tabs.map(([name]) => name as string);
      const name = names.at((names.indexOf(this.#tab) + step) % names.length) ?? 'urls';
      this.#open(name);
      find(`tab-${name}`).focus();
    });
    this.#open('urls');

    const select = <T extends string | number>(
      id: string,
      options: readonly (readonly [T, string])[],
      chosen: (value: T) => void,
    ): void => {
      const element = find<HTMLSelectElement>(id);
      fill(element, ...options.map(([value, title]) => h('option', { value }, title)));
      element.addEventListener('change', () => chosen(options[element.selectedIndex]?.[0] as T));
    };
    select('dialect', DIALECTS, (dialect) => this.#set({ dialect }));
    select('status', this.#statuses, (status) => this.#set({ status }));
    find<HTMLInputElement>('cut').addEventListener('change', ({ target }) =>
      this.#set({ isCut: (target as HTMLInputElement).checked }),
    );
    find<HTMLTextAreaElement>('prepended').addEventListener('input', ({ target }) =>
      this.#set({ prepended: (target as HTMLTextAreaElement).value }),
    );
    const toggle = (button: string, area: string, opened?: () => void): void =>
      find(button).addEventListener('click', () => {
        const isOpen = find(area).toggleAttribute('hidden') === false;
        find(button).setAttribute('aria-expanded', String(isOpen));
        if (isOpen) {
          opened?.();
          find(area).querySelector('textarea')?.focus();
        }
      });
    toggle('prepended-toggle', 'prepended-area');
    toggle('page-toggle', 'page-area');
    toggle('urls-edit', 'urls-area', () => {
      const { urls } = this.#state;
      find<HTMLTextAreaElement>('urls-text').value = urls.length > MOST_EDITED ? '' : urls.join('\n');
    });

    find('urls-text').addEventListener('input', ({ target }) => this.#collect((target as HTMLTextAreaElement).value));
    for (const target of ['file', 'urls', 'expectations'] as const) {
      const input = find<HTMLInputElement>(`${target}-open`);
      input.addEventListener('change', () => {
        const [file] = input.files ?? [];
        if (file) void this.#attempt(() => this.#take(target, file));
        input.value = '';
      });
    }
    this.#bindDrop();

    select(
      'filter',
      [
        ['all', 'all URLs'],
        ['part', 'where crawlers differ'],
        ['disallowed', 'disallowed for any'],
        ['allowed', 'allowed for all'],
        ['line', 'decided by the line at the cursor'],
      ],
      () => this.#showRows(),
    );
    find('filter-text').addEventListener('input', () => this.#showRows());
    find('agent-add').addEventListener('click', () => {
      this.#set({ agents: [...this.#state.agents, ''] });
      this.#showAgents();
      find('agents').querySelector<HTMLInputElement>('.crawler:last-child input')?.focus();
    });
    find('at-hand').addEventListener('input', ({ target }) => {
      this.#takeInHand((target as HTMLInputElement).value);
    });
    find('before-take').addEventListener('click', () => (this.#before.text = this.#state.body));
    find('before-drop').addEventListener('click', () => {
      this.#before.text = '';
      this.#state.before = null;
      this.#planPanel();
    });
    for (const id of ['dialects-agent', 'automaton-agent'])
      find(id).addEventListener('change', () => this.#planPanel(0));
    find('file-save').addEventListener('click', () => download('robots.txt', 'text/plain', this.#state.body));
    for (const name of HOURS) {
      const field = find<HTMLInputElement>(name);
      field.max = String(MOST_HOURS);
      field.addEventListener('input', () => {
        const { value, validity } = field;
        if (validity.valid) this.#set({ [name]: value === '' ? (name === 'age' ? 0 : null) : Number(value) });
        else this.#plan();
      });
    }
    for (const name of ['headers', 'page'] as const) {
      find<HTMLTextAreaElement>(name).addEventListener('input', ({ target }) => {
        this.#state[name] = (target as HTMLTextAreaElement).value;
        this.#planPanel();
      });
    }
    find('expectations-text').addEventListener('input', ({ target }) => {
      this.#state.expectations = (target as HTMLTextAreaElement).value;
      this.#planPanel();
    });
    find('expectations-save').addEventListener('click', () =>
      download('expectations.txt', 'text/plain', this.#state.expectations),
    );
    find('share').addEventListener('click', () => void this.#attempt(() => this.#share()));
    const save = (id: string, name: string, type: string, make: (of: report.Report) => string): void =>
      find(id).addEventListener(
        'click',
        () => void this.#attempt(async () => download(name, type, make(this.#report()))),
      );
    save('save-markdown', 'robots-report.md', 'text/markdown', report.markdown);
    save('save-json', 'robots-report.json', 'application/json', report.json);
    find('answers').addEventListener('click', ({ target }) => {
      const url = (target as Element).closest<HTMLElement>('[data-url]')?.dataset['url'];
      if (url !== undefined) this.#takeInHand(url);
    });
    addEventListener('hashchange', () => void this.#attempt(() => this.start()));
  }

  #bindDrop(): void {
    addEventListener('dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      document.body.classList.add('dropping');
    });
    addEventListener(
      'dragleave',
      (event) => event.relatedTarget === null && document.body.classList.remove('dropping'),
    );
    addEventListener(
      'drop',
      (event) => {
        const [file] = event.dataTransfer?.files ?? [];
        if (!file) return;
        event.preventDefault();
        document.body.classList.remove('dropping');
        const target =
          (['file', 'before', 'expectations'] as const).find((id) =>
            find(id === 'expectations' ? 'panel-expectations' : id).contains(event.target as Node),
          ) ?? 'urls';
        void this.#attempt(() => this.#take(target, file));
      },
      { capture: true },
    );
  }

  /** Reads a file that was opened or dropped. */
  async #take(target: 'file' | 'before' | 'urls' | 'expectations', file: Blob): Promise<void> {
    const { text, isReplaced } = await textOf(file);
    if (target === 'urls') this.#collect(text);
    else if (target === 'expectations') this.#expect(text);
    else (target === 'file' ? this.#editor : this.#before).text = text;
    if (isReplaced) this.#say('The file is not UTF-8. Every byte that is not became U+FFFD', true);
  }

  /** Runs what may fail, and says why it failed. */
  async #attempt(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#say(messageOf(error), true);
    }
  }

  #say(text: string, isError = false): void {
    const message = find('message');
    message.textContent = shown(text);
    message.classList.toggle('error', isError);
  }

  #collect(text: string): void {
    void this.#attempt(async () => {
      const { urls, summary } = collect(text);
      this.#say(`Read a ${summary}`);
      this.#set({ urls });
    });
  }

  /** Replaces the expectations, also in their field. */
  #expect(text: string): void {
    find<HTMLTextAreaElement>('expectations-text').value = text;
    this.#state.expectations = text;
    this.#planPanel();
  }

  #set(changed: Partial<State>): void {
    Object.assign(this.#state, changed);
    if (changed.urls) this.#list = new UrlList(changed.urls);
    this.#plan();
  }

  /** Starts with the state of the link, or with an example. */
  async start(): Promise<void> {
    let linked = null;
    try {
      linked = await stateOf(location.hash);
      this.#say(linked === null ? 'Nothing that you enter leaves this page' : 'Opened a shared link');
    } catch (error) {
      const why = messageOf(error);
      this.#say(`The link cannot be read: ${why}`, true);
    }
    const state = { ...structuredClone(EXAMPLE), ...linked };
    this.#set(state);
    this.#editor.text = state.body;
    this.#before.text = state.before ?? '';
    this.#state.before = state.before;
    find<HTMLTextAreaElement>('prepended').value = state.prepended;
    find<HTMLSelectElement>('dialect').value = state.dialect;
    this.#showStatus(state.status);
    find<HTMLInputElement>('cut').checked = state.isCut;
    this.#expect(state.expectations);
    for (const name of ['age', 'failing', 'good', 'headers', 'page'] as const) {
      find<HTMLInputElement>(name).value = String(state[name] ?? '');
    }
    this.#showAgents();
  }

  async #share(): Promise<void> {
    const fragment = await fragmentOf(this.#state);
    history.replaceState(null, '', fragment);
    const size = `${(fragment.length / 1000).toFixed(1)} KB, all of it in the part after #`;
    try {
      await navigator.clipboard.writeText(location.href);
      this.#say(`Copied a link of ${size}`);
    } catch {
      this.#say(`The link is in the address bar: ${size}`);
    }
  }

  #report(): report.Report {
    const run = this.#run;
    if (this.#isJudging) throw new Error('the URLs are still being judged (wait a moment)');
    if (run === undefined) throw new Error('nothing was judged (correct what the page says about the fetch)');
    this.#lint();
    this.#compare();
    return {
      state: this.#state,
      situation: this.#situation(run),
      urls: run.list.urls,
      columns: run.columns,
      findings: this.#findings,
      changes: this.#changes,
      expectations: this.#expectations(run),
    };
  }

  // Runs.

  /** Judges all again before the next frame. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#showBusy();
    requestAnimationFrame(() => {
      this.#isPlanned = false;
      this.#running += 1;
      void this.#attempt(() => this.#judge()).finally(() => {
        this.#running -= 1;
        this.#showBusy();
      });
    });
  }

  /** Whether the verdicts are still those of an earlier state. */
  get #isJudging(): boolean {
    return this.#isPlanned || this.#running > 0;
  }

  /** Says on the body whether what is shown is still that of an earlier state. */
  #showBusy(): void {
    const isBusy = this.#isJudging || this.#lintTimer !== 0 || this.#panelTimer !== 0;
    document.body.toggleAttribute('data-busy', isBusy);
  }

  /** Runs something later that may fail. */
  #later(delay: number, done: () => unknown, action: () => Promise<void>): number {
    return setTimeout(
      () =>
        void this.#attempt(action).finally(() => {
          done();
          this.#showBusy();
        }),
      delay,
    );
  }

  /** What the module reads: the file with what is put before it. */
  #body(text: string): Body {
    const { prepended, isCut } = this.#state;
    return { bytes: encoder.encode(this.#block(prepended) + text), isCut };
  }

  #block(prepended: string): string {
    return prepended === '' || /[\r\n]$/.test(prepended) ? prepended : `${prepended}\n`;
  }

  async #judge(): Promise<void> {
    const wanted = (this.#wanted += 1);
    try {
      await this.#judgeAll(wanted);
    } catch (error) {
      if (wanted === this.#wanted) this.#clear(messageOf(error));
    }
  }

  async #judgeAll(wanted: number): Promise<void> {
    const { status, body, prepended, dialect } = this.#state;
    const list = this.#list;
    const started = performance.now();
    const now = Math.floor(Date.now() / 1000);
    // Those of a failure do not count without one.
    const hours = status === 200 ? HOURS.slice(0, 1) : HOURS;
    if (hours.some((name) => !find<HTMLInputElement>(name).validity.valid)) {
      throw new Error(`expected 0 to ${MOST_HOURS.toLocaleString('en')} hours`);
    }
    const situation = situationOf(this.#state, now);
    const standing = this.#library.standing(situation);
    const statusIn = (of: Dialect): FetchStatus => effectiveStatus(this.#library, situation, of);
    const copy = new Copy(this.#library, this.#body(body), statusIn);
    const agents = this.#state.agents.filter((agent) => agent !== '');
    let columns;
    try {
      columns = agents.map((agent) => copy.column(dialect, agent));
      const parsed = performance.now();
      performance.measure('parse', { start: started, end: parsed });
      if (!(await judge(list, columns, () => wanted === this.#wanted))) {
        copy.free();
        return;
      }
      performance.measure('judge', { start: parsed, end: performance.now() });
    } catch (error) {
      copy.free();
      throw error;
    }
    const shift = lineEnds(this.#block(prepended));
    const counts = new Uint32Array(shift + lineEnds(body) + 2);
    for (let index = 0; index < list.urls.length; index += 1) {
      for (let at = 0; at < columns.length; at += 1) {
        const line = columns[at]?.line(index) ?? 0;
        let isFirst = line > 0;
        for (let earlier = 0; earlier < at && isFirst; earlier += 1) isFirst = columns[earlier]?.line(index) !== line;
        if (isFirst && line < counts.length) counts[line] = (counts[line] ?? 0) + 1;
      }
    }
    this.#run?.copy.free();
    this.#run = { copy, list, columns, counts, shift, standing, now };
    this.#show();
    performance.measure('keystroke', { start: started, end: performance.now() });
    this.#planLint();
    this.#planPanel();
  }

  /** Finds mistakes when there is time: later for files that take longer. */
  #planLint(): void {
    clearTimeout(this.#lintTimer);
    const delay = Math.min(1500, 60 + this.#lintTime * 3);
    const timer = this.#later(
      delay,
      () => this.#lintTimer === timer && (this.#lintTimer = 0),
      async () => this.#lint(),
    );
    this.#lintTimer = timer;
  }

  #lint(): void {
    const run = this.#run;
    if (run === undefined) return;
    const started = performance.now();
    this.#findings = run.copy.lint(this.#state.dialect);
    this.#lintTime = performance.now() - started;
    this.#showFindings(run);
  }

  // What users see.

  #lineName(line: number): string {
    const shift = this.#run?.shift ?? 0;
    return line > shift ? `line ${line - shift}` : `block line ${line}`;
  }

  /** A link to a line of the file. */
  readonly #lineLink: panels.ShowLine = (line) => {
    const shift = this.#run?.shift ?? 0;
    const name = this.#lineName(line);
    if (line <= shift) return h('span', { class: 'place' }, name);
    return h('button', { type: 'button', class: 'link', click: () => this.#editor.goTo(line - shift) }, name);
  };

  #show(): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#editor.show({ counts: run.counts.subarray(run.shift) });
    const titles = run.columns.map((column, index) => {
      let allowed = 0;
      for (let at = 0; at < run.list.urls.length; at += 1) if (column.isAllowed(at)) allowed += 1;
      const count = column.lack ?? `${allowed.toLocaleString('en')} allowed`;
      const input = find('agents').querySelectorAll('input')[this.#columnInput(index)];
      input?.setAttribute('aria-invalid', String(column.isNoCrawler));
      input?.setAttribute('title', column.error ?? '');
      return h('span', { title: column.error }, data(column.agent), ' ', h('span', { class: 'place' }, count));
    });
    this.#grid.columns([h('span', {}, 'URL'), ...titles], run.columns.length);
    const { bytes, isCut } = run.copy.body;
    const cut = isCut && bytes.length > CUT ? ', cut at 500 KiB' : '';
    find('file-facts').textContent =
      `${plural(lineEnds(this.#state.body) + 1, 'line')}, ${bytes.length.toLocaleString('en')} bytes${cut}`;
    const wrong = run.columns.find(({ error, isNoCrawler }) => error !== null && !isNoCrawler)?.error;
    if (wrong) this.#showSituation(`The file cannot be read: ${wrong}`, true);
    else this.#showSituation(this.#situation(run));
    this.#showRows();
    this.#showAtHand();
    this.#showLineFacts();
  }

  /** The index of a column's field: empty fields have no column. */
  #columnInput(column: number): number {
    let seen = -1;
    return this.#state.agents.findIndex((agent) => agent !== '' && (seen += 1) === column);
  }

  /** What applies after the fetch, unless the file has just been fetched with success. */
  #situation({ standing, now }: Run): string | null {
    const { status, age } = this.#state;
    return status === 200 && age === 0 ? null : panels.standing(standing, now);
  }

  #showSituation(text: string | null, isError = false): void {
    find('failure').hidden = this.#state.status === 200;
    const situation = find('situation');
    situation.hidden = text === null;
    situation.classList.toggle('error', isError);
    situation.textContent = text;
  }

  /** Shows the status of a link, also one that is not in the menu. */
  #showStatus(status: FetchStatus): void {
    const select = find<HTMLSelectElement>('status');
    if (!this.#statuses.some(([offered]) => offered === status)) {
      this.#statuses.push([status, String(status)]);
      select.append(h('option', { value: status }, String(status)));
    }
    select.value = String(status);
  }

  /** Shows no answers, because there are none to what was entered: those before it would be taken for them. */
  #clear(why: string): void {
    clearTimeout(this.#lintTimer);
    clearTimeout(this.#panelTimer);
    [this.#lintTimer, this.#panelTimer] = [0, 0];
    this.#run?.copy.free();
    this.#run = undefined;
    [this.#findings, this.#changes] = [[], []];
    this.#showSituation(`Nothing can be judged: ${why}`, true);
    this.#grid.rows(0, null);
    this.#grid.columns([h('span', {}, 'URL')], 0);
    this.#editor.underline([]);
    this.#editor.show({ counts: new Uint32Array(0), idle: new Set(), marked: new Set() });
    for (const id of CLEARED) fill(find(id));
  }

  #showAgents(): void {
    const { agents } = this.#state;
    fill(
      find('agents'),
      ...agents.map((agent, index) => {
        const input = h('input', {
          type: 'text',
          'aria-label': `Crawler ${index + 1}`,
          spellcheck: 'false',
          autocapitalize: 'off',
          input: ({ target }: InputEvent) => {
            const { value } = target as HTMLInputElement;
            this.#set({ agents: this.#state.agents.map((other, at) => (at === index ? value : other)) });
          },
        });
        input.value = agent;
        const remove = h(
          'button',
          {
            type: 'button',
            'aria-label': `Remove crawler ${index + 1}`,
            click: () => {
              this.#set({ agents: this.#state.agents.filter((_, at) => at !== index) });
              this.#showAgents();
            },
          },
          '×',
        );
        return h('span', { class: 'crawler' }, input, remove);
      }),
    );
    find<HTMLButtonElement>('agent-add').disabled = agents.length >= MOST_AGENTS;
  }

  #showRows(): void {
    const run = this.#run;
    if (run === undefined) return;
    const filter = find<HTMLSelectElement>('filter').value;
    const text = find<HTMLInputElement>('filter-text').value;
    const { urls } = run.list;
    const columns = run.columns.filter(({ error }) => error === null);
    const line = this.#line + run.shift;
    const tests: Record<string, (index: number) => boolean> = {
      part: (index) => columns.some((column) => column.isAllowed(index) !== columns[0]?.isAllowed(index)),
      disallowed: (index) => columns.some((column) => !column.isAllowed(index)),
      // One that names no crawler allows nothing.
      allowed: (index) => run.columns.length > 0 && run.columns.every((column) => column.isAllowed(index)),
      line: (index) => columns.some((column) => column.line(index) === line),
    };
    const test = tests[filter];
    let rows = null;
    if (test || text !== '') {
      const found = [];
      for (let index = 0; index < urls.length; index += 1) {
        if ((!test || test(index)) && (text === '' || urls[index]?.includes(text))) found.push(index);
      }
      rows = Uint32Array.from(found);
    }
    this.#grid.rows(urls.length, rows);
    find('urls-facts').textContent =
      rows === null
        ? plural(urls.length, 'URL')
        : `${rows.length.toLocaleString('en')} of ${plural(urls.length, 'URL')}`;
  }

  /** The first URLs that a line of the file decides. */
  #urlsOf(line: number, most: number): { urls: string[]; count: number } {
    const run = this.#run;
    const count = run?.counts[line + run.shift] ?? 0;
    const urls: string[] = [];
    for (let index = 0; run && index < run.list.urls.length && urls.length < Math.min(most, count); index += 1) {
      if (run.columns.some((column) => column.line(index) === line + run.shift)) urls.push(run.list.urls[index] ?? '');
    }
    return { urls, count };
  }

  #showLineFacts(): void {
    if (this.#run === undefined) return fill(find('line-facts'));
    const { urls, count } = this.#urlsOf(this.#line, 3);
    const idle = this.#findings.find(
      ({ code, line }) => code === 'never-decides' && line === this.#line + (this.#run?.shift ?? 0),
    );
    const what = idle
      ? `proved: ${idle.message}`
      : count === 0
        ? 'decides no URL of the list'
        : `decides ${plural(count, 'URL')}: `;
    const listed = urls.flatMap((url, index) => [index > 0 ? ', ' : '', data(url)]);
    fill(
      find('line-facts'),
      `Line ${this.#line} ${shown(what)}`,
      ...(idle ? [] : listed),
      !idle && count > urls.length && ' …',
    );
    if (find<HTMLSelectElement>('filter').value === 'line') this.#showRows();
  }

  #takeInHand(url: string): void {
    this.#atHand = url;
    const field = find<HTMLInputElement>('at-hand');
    if (field.value !== url) field.value = url;
    this.#showAtHand();
    if (['usages', 'dialects', 'automaton'].includes(this.#tab)) this.#planPanel(this.#tab === 'automaton' ? 16 : 120);
  }

  /** Explains the URL at hand, and marks the lines that decide it. */
  #showAtHand(): void {
    const run = this.#run;
    if (run === undefined) return;
    if (this.#atHand === '') {
      fill(find('explanation'));
      return;
    }
    fill(find('explanation'), panels.explanations(run.columns, this.#atHand, this.#lineLink));
    const lines = run.columns.map(({ rules }) => rules?.check(this.#atHand).line ?? 0);
    this.#editor.show({ marked: new Set(lines.map((line) => line - run.shift)) });
  }

  #showFindings(run: Run): void {
    const { body, prepended } = this.#state;
    const block = encoder.encode(this.#block(prepended)).length;
    const own = this.#findings.filter(({ offset }) => offset >= block);
    const offsets = own
      .flatMap(({ offset, length, fix }) => [
        offset,
        offset + length,
        ...(fix ? [fix.offset, fix.offset + fix.length] : []),
      ])
      .map((offset) => offset - block)
      .sort((a, b) => a - b);
    const units = positions(body, offsets);
    const places = new Map(offsets.map((offset, index) => [offset, units[index] ?? 0]));
    const at = (offset: number): number => Math.min(places.get(offset - block) ?? 0, this.#state.body.length);
    const fixOf = ({ fix }: Finding): (() => void) | null =>
      fix &&
      (() => {
        this.#editor.view.dispatch({
          changes: { from: at(fix.offset), to: at(fix.offset + fix.length), insert: fix.text },
        });
        this.#editor.view.focus();
      });
    const severities = { error: 'error', warning: 'warning', note: 'info' } as const;
    this.#editor.underline(
      own.map((finding): Diagnostic => {
        const apply = fixOf(finding);
        return {
          from: at(finding.offset),
          to: at(finding.offset + finding.length),
          severity: severities[finding.severity],
          message: shown([finding.message, finding.help].filter(Boolean).join('\n')),
          actions: apply ? [{ name: 'Fix', apply }] : [],
        };
      }),
    );
    const idle = own.filter(({ code }) => code === 'never-decides').map(({ line }) => line - run.shift);
    this.#editor.show({ idle: new Set(idle) });
    fill(
      find('findings-title'),
      this.#findings.length === 0 ? 'No findings' : plural(this.#findings.length, 'finding'),
    );
    const rest = this.#findings.length - MOST_FINDINGS;
    fill(
      find('findings-list'),
      ...this.#findings.slice(0, MOST_FINDINGS).map((finding) => {
        const apply = finding.offset >= block ? fixOf(finding) : null;
        const help = finding.help === null ? '' : ` (${finding.help})`;
        return h(
          'li',
          {},
          h('span', { class: `severity ${finding.severity}` }, finding.severity),
          h(
            'span',
            { class: 'what' },
            this.#lineLink(finding.line),
            ' ',
            data(`${finding.message}${help}`, 'prose'),
            ' ',
            h('span', { class: 'muted' }, finding.code),
          ),
          apply &&
            h('button', { type: 'button', click: apply, 'aria-label': `Fix line ${finding.line - run.shift}` }, 'Fix'),
        );
      }),
      rest > 0 && h('li', {}, `and ${rest.toLocaleString('en')} more`),
    );
    this.#showLineFacts();
  }

  // Tabs.

  #open(name: string): void {
    this.#tab = name;
    for (const tab of find('tabs').querySelectorAll('[role=tab]')) {
      const isOpen = tab.id === `tab-${name}`;
      tab.setAttribute('aria-selected', String(isOpen));
      tab.setAttribute('tabindex', isOpen ? '0' : '-1');
      find(tab.id.replace('tab', 'panel')).hidden = !isOpen;
    }
    if (name === 'urls') this.#grid?.render();
    else this.#planPanel(0);
  }

  /** Fills the open tab when there is time. */
  #planPanel(delay = 120): void {
    clearTimeout(this.#panelTimer);
    const timer = this.#later(
      delay,
      () => this.#panelTimer === timer && (this.#panelTimer = 0),
      () => this.#showPanel(),
    );
    this.#panelTimer = timer;
    this.#showBusy();
  }

  async #showPanel(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    if (this.#tab === 'changes') await this.#showChanges(run);
    if (this.#tab === 'dialects') await this.#showDialects(run);
    if (this.#tab === 'usages') this.#showUsages(run);
    if (this.#tab === 'automaton') this.#showAutomaton(run);
    if (this.#tab === 'expectations') this.#showExpectations(run);
  }

  #compare(): void {
    const { before, dialect, agents } = this.#state;
    this.#changes = [];
    if (before === null || this.#run === undefined) return;
    const older = this.#body(before);
    for (const agent of new Set([...agents, '*'])) {
      if (agent === '') continue;
      let found;
      try {
        found = this.#run.copy.changesFrom(older, dialect, agent);
      } catch (error) {
        found = messageOf(error);
      }
      this.#changes.push({ agent, found });
    }
  }

  async #showChanges(run: Run): Promise<void> {
    const { before, dialect } = this.#state;
    if (before === null) {
      fill(
        find('changes'),
        h('p', {}, 'Paste the live file above. The page then lists what the file in the editor changes.'),
      );
      return;
    }
    this.#compare();
    const older = new Copy(this.#library, this.#body(before), run.copy.statusIn);
    const columns = run.columns.map(({ agent }) => older.column(dialect, agent));
    const isCurrent = (): boolean => run === this.#run;
    if (!(await judge(run.list, columns, isCurrent)) || !isCurrent()) return older.free();
    const rows: { url: string; agent: string; before: Verdict; after: Verdict }[] = [];
    let count = 0;
    run.columns.forEach((column, at) => {
      const old = columns[at];
      for (let index = 0; old && index < run.list.urls.length; index += 1) {
        if (old.isAllowed(index) === column.isAllowed(index)) continue;
        count += 1;
        if (rows.length >= MOST_ROWS) continue;
        const [before, after] = [old.at(index), column.at(index)];
        if (before && after) rows.push({ url: run.list.urls[index] ?? '', agent: column.agent, before, after });
      }
    });
    older.free();
    const plain: panels.ShowLine = (line) => h('span', { class: 'place' }, this.#lineName(line));
    fill(
      find('changes'),
      panels.flips(rows, count, run.list.urls.length),
      ...this.#changes.map(({ agent, found }) => panels.changes(agent, found, plain, this.#lineLink)),
    );
  }

  /** The crawler that is chosen in a tab. Offers those of the run. */
  #chosen(run: Run, id: string): string {
    const select = find<HTMLSelectElement>(id);
    const agents = run.columns.map(({ agent }) => agent);
    const agent = agents.includes(select.value) ? select.value : (agents[0] ?? '*');
    fill(select, ...agents.map((name) => h('option', { value: name }, shown(name))));
    select.value = agent;
    return agent;
  }

  #showAutomaton(run: Run): void {
    const area = find('automaton');
    const facts = find('automaton-facts');
    const { rules, error } = run.copy.column(this.#state.dialect, this.#chosen(run, 'automaton-agent'));
    if (rules === null) {
      facts.textContent = error ?? '';
      fill(area);
      return;
    }
    const isUrl = this.#atHand !== '' && rules.check(this.#atHand).verdict !== 'invalid';
    const drawing = isUrl ? rules.drawing(this.#atHand) : rules.drawing();
    const { nodes, walk, is_complete } = drawing;
    const size = `${plural(nodes.length, 'node')}${is_complete ? '' : ', the others are not drawn'}`;
    const steps = walk.length === 0 ? 'Hover a URL to see its walk' : `The URL visits ${plural(walk.length, 'node')}`;
    facts.textContent = `${size}. ${steps}.`;
    fill(
      area,
      picture(drawing, facts.textContent, (line) => this.#lineName(line)),
    );
    area.querySelector('.node.walked:last-of-type')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  async #showDialects(run: Run): Promise<void> {
    const agent = this.#chosen(run, 'dialects-agent');
    const columns = DIALECTS.map(([dialect]) => run.copy.column(dialect, agent));
    const isCurrent = (): boolean => run === this.#run;
    if (!(await judge(run.list, columns, isCurrent)) || !isCurrent()) return;
    const usable = columns.filter(({ error }) => error === null);
    const parting = [];
    let count = 0;
    for (let index = 0; index < run.list.urls.length; index += 1) {
      if (new Set(usable.map((column) => column.at(index)?.verdict)).size < 2) continue;
      count += 1;
      if (parting.length < MOST_ROWS) parting.push(index);
    }
    find('dialects-facts').textContent =
      `The dialects part on ${count.toLocaleString('en')} of ${plural(run.list.urls.length, 'URL')}`;
    const explained = (url: string): { dialect: Dialect; explanation: Explanation | string }[] =>
      columns.map((column, at) => ({
        dialect: DIALECTS[at]?.[0] ?? 'rfc9309',
        explanation: column.explain(url) ?? column.error ?? '',
      }));
    const rows = parting.map((index) => {
      const url = run.list.urls[index] ?? '';
      const read = explained(url)
        .map(({ explanation }) => explanation)
        .filter((explanation) => typeof explanation !== 'string');
      return [
        panels.urlLink(url),
        ...columns.map((column) => {
          const verdict = column.at(index);
          return verdict ? panels.verdictCell(verdict, this.#lineLink) : (column.error ?? '');
        }),
        panels.whyTheyPart(read as Explanation[]),
      ];
    });
    const rest = count > rows.length ? `The first ${rows.length} are shown.` : '';
    fill(
      find('dialects'),
      count > 0 && panels.table(rest, ['URL', ...DIALECTS.map(([, title]) => title), 'They differ in'], rows),
      this.#atHand !== '' && panels.dialectsOf(explained(this.#atHand), this.#lineLink),
    );
  }

  #showExpectations(run: Run): void {
    const checked = this.#expectations(run);
    const facts = find('expectations-facts');
    if (typeof checked === 'string') {
      facts.textContent = checked;
      fill(find('expectations'));
      return;
    }
    const met = checked.filter(({ holds }) => holds).length;
    facts.textContent = `${met.toLocaleString('en')} of ${plural(checked.length, 'expectation')} ${met === 1 ? 'holds' : 'hold'}`;
    fill(find('expectations'), panels.expectations(checked, this.#lineLink));
  }

  #expectations(run: Run): CheckedExpectation[] | string {
    try {
      return run.copy.expectations(this.#state.dialect, this.#state.expectations);
    } catch (error) {
      return messageOf(error);
    }
  }

  #showUsages(run: Run): void {
    const { dialect, headers, page } = this.#state;
    const url = this.#atHand === '' ? (run.list.urls[0] ?? '/') : this.#atHand;
    const rows = run.columns.map(({ agent, error }) => {
      try {
        return { agent, answers: error ?? run.copy.permissions(dialect, agent, url, { headers, page }) };
      } catch (problem) {
        return { agent, answers: messageOf(problem) };
      }
    });
    fill(find('usages-facts'), 'For ', data(url));
    fill(find('usages'), panels.usages(rows, this.#lineLink));
  }
}

async function open(): Promise<void> {
  const packed = find('module');
  const page = new Page(await library(packed.textContent ?? ''), document.body.dataset['nonce'] ?? '');
  packed.remove();
  await page.start();
}

open().catch((error: unknown) => {
  const message = find('message');
  message.textContent = `The page cannot start: ${messageOf(error)} (it needs a browser of 2024 or later)`;
  message.classList.add('error');
});
