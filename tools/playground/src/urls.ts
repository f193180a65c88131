// The list of URLs with their verdicts, and what the line at the cursor decides of it.

import { data, fill, find, h, onChoice, onInput, plural, shown } from './dom.js';
import type { Editor } from './editor.js';
import type { Findings } from './findings.js';
import { Grid } from './grid.js';
import type { AtHand } from './hand.js';
import { lineNames, placeCell, verdictOf } from './panels.js';
import type { Run, Runs } from './runs.js';

export class Urls {
  readonly #grid: Grid;
  /** The line at the cursor. */
  #line = 1;

  constructor(
    private readonly runs: Runs,
    private readonly findings: Findings,
    hand: AtHand,
    private readonly editor: Editor,
  ) {
    this.#grid = new Grid({
      element: find('urls'),
      cells: (index) => {
        const run = runs.current;
        if (run === undefined) return [];
        const cells = run.columns.map((column) => verdictOf(column, index, lineNames(run)) ?? h('span', {}, '–'));
        return [data(run.list.urls[index] ?? ''), ...cells];
      },
      reached: (index) => hand.take(runs.current?.list.urls[index] ?? ''),
    });
    onChoice(
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
    onInput('filter-text', () => this.#showRows());
  }

  /** The cursor is on another line. */
  moved(line: number): void {
    this.#line = line;
    this.showLine();
  }

  /** Shows the verdicts of a run, or none. */
  show(): void {
    const run = this.runs.current;
    const { columns = [], list } = run ?? {};
    const titles = columns.map((column) => {
      const count = column.lack ?? `${column.allowed(list?.urls.length ?? 0).toLocaleString('en')} allowed`;
      return h('span', { title: column.error }, data(column.agent), ' ', placeCell(count));
    });
    this.editor.show({ counts: run?.counts.subarray(run.shift) ?? new Uint32Array(0) });
    this.#grid.columns([h('span', {}, 'URL'), ...titles], columns.length);
    this.#showRows();
    this.showLine();
  }

  #showRows(): void {
    const run = this.runs.current;
    const urls = run?.list.urls ?? [];
    const rows = run ? this.#filtered(run) : null;
    this.#grid.rows(urls.length, rows);
    const count = plural(urls.length, 'URL');
    fill(find('urls-facts'), run && (rows === null ? count : `${rows.length.toLocaleString('en')} of ${count}`));
  }

  /** The rows that pass the filter; null if there is none. */
  #filtered({ columns: all, list: { urls }, shift }: Run): Uint32Array | null {
    const text = find<HTMLInputElement>('filter-text').value;
    const columns = all.filter(({ error }) => error === null);
    const line = this.#line + shift;
    const tests: Record<string, (index: number) => boolean> = {
      part: (index) => columns.some((column) => column.isAllowed(index) !== columns[0]?.isAllowed(index)),
      disallowed: (index) => columns.some((column) => !column.isAllowed(index)),
      // One that names no crawler allows nothing.
      allowed: (index) => all.length > 0 && all.every((column) => column.isAllowed(index)),
      line: (index) => columns.some((column) => column.line(index) === line),
    };
    const test = tests[find<HTMLSelectElement>('filter').value];
    if (!test && text === '') return null;
    const found = [];
    for (let index = 0; index < urls.length; index += 1) {
      if ((!test || test(index)) && (text === '' || urls[index]?.includes(text))) found.push(index);
    }
    return Uint32Array.from(found);
  }

  /** Shows what the line at the cursor decides. */
  showLine(): void {
    const run = this.runs.current;
    if (run === undefined) return fill(find('line-facts'));
    const { urls, count } = run.urlsOf(this.#line, 3);
    const proof = this.findings.proofOf(this.#line + run.shift);
    const decides = count === 0 ? 'decides no URL of the list' : `decides ${plural(count, 'URL')}: `;
    const listed = urls.flatMap((url, index) => [index > 0 ? ', ' : '', data(url)]);
    fill(
      find('line-facts'),
      `Line ${this.#line} ${proof === undefined ? decides : shown(`proved: ${proof}`)}`,
      ...(proof === undefined ? listed : []),
      proof === undefined && count > urls.length && ' …',
    );
    if (find<HTMLSelectElement>('filter').value === 'line') this.#showRows();
  }
}
