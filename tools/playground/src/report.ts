// The report of what the page shows, as Markdown and JSON.

import type { CheckedExpectation, Column, Finding } from './engine.js';
import type { ChangesOf } from './runs.js';
import type { State } from './state.js';
import { shown } from './dom.js';

export interface Report {
  state: State;
  /** What applies after the fetch, unless the file has just been fetched with success. */
  situation: string | null;
  urls: readonly string[];
  columns: readonly Column[];
  findings: readonly Finding[];
  changes: readonly ChangesOf[];
  /** What became of the expectations, or why they cannot be read. */
  expectations: readonly CheckedExpectation[] | string;
}

const FORMAT = 1;

export function json({ state, urls, columns, expectations, ...found }: Report): string {
  const verdicts = urls.map((url, index) => ({
    url,
    verdicts: Object.fromEntries(
      columns.map((column) => {
        const { verdict = null, line = null, reason = null } = column.at(index) ?? {};
        return [column.agent, { verdict, line, reason }];
      }),
    ),
  }));
  const errors = Object.fromEntries(columns.flatMap(({ agent, error }) => (error === null ? [] : [[agent, error]])));
  const report = { format: FORMAT, ...state, urls: verdicts, errors, ...found, checked: expectations };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** Rows of a table in Markdown. */
const MOST_ROWS = 1000;

/** A text as code in a cell, whatever is in it. */
export function code(text: string): string {
  const clean = shown(text).replace(/\|/g, '\\|');
  const fence = '`'.repeat(1 + Math.max(0, ...(clean.match(/`+/g) ?? []).map(({ length }) => length)));
  const space = fence.length > 1 || clean.startsWith('`') || clean.endsWith('`') ? ' ' : '';
  return clean === '' ? '' : `${fence}${space}${clean}${space}${fence}`;
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const rest =
    rows.length > MOST_ROWS ? ['', `${rows.length - MOST_ROWS} more rows are left out. The JSON report has all.`] : [];
  return [row(titles), row(titles.map(() => '---')), ...rows.slice(0, MOST_ROWS).map(row), ...rest, ''];
}

const verdictText = ({ verdict, line, reason }: { verdict: string; line: number | null; reason: string }): string =>
  `${verdict}, ${line === null ? reason : `line ${line}`}`;

export function markdown({ state, situation, urls, columns, findings, changes, expectations }: Report): string {
  const before =
    state.prepended === '' ? '' : ' Lines count from the start of the block that a CDN puts before the file.';
  const out = [
    '# Report on a robots.txt',
    '',
    `Dialect: ${state.dialect}. Fetched with: ${state.status}.${state.isCut ? ' Cut at 500 KiB.' : ''}${before}`,
    '',
    ...(situation === null ? [] : [situation, '']),
    '## Crawlers',
    '',
    ...table(
      ['Crawler', 'URLs', 'Allowed'],
      columns.map((column) => [
        code(column.agent),
        String(urls.length),
        column.error !== null ? code(column.error) : String(column.allowed(urls.length)),
      ]),
    ),
    '## Findings',
    '',
  ];
  if (findings.length === 0) out.push('None.', '');
  else
    out.push(
      ...table(
        ['Line', 'Severity', 'Code', 'Message'],
        findings.map(({ line, severity, code: name, message }) => [String(line), severity, name, code(message)]),
      ),
    );
  if (changes.length > 0) out.push('## Changes', '');
  for (const { agent, found } of changes) {
    out.push(`### ${code(agent)}`, '');
    if (typeof found === 'string') out.push(found, '');
    else if (found.examples.length === 0)
      out.push(found.is_complete ? 'Proved: nothing changes.' : 'No change found, without proof.', '');
    else {
      out.push(
        ...table(
          ['Witness', 'Before', 'After'],
          found.examples.map((example) => [code(example.path), verdictText(example.old), verdictText(example.new)]),
        ),
      );
      out.push(found.is_complete ? 'Proved: there are no other changes.' : 'There may be other changes.', '');
    }
  }
  if (typeof expectations === 'string') {
    if (state.expectations.trim() !== '') out.push('## Expectations', '', expectations, '');
  } else {
    const titles = ['Line', 'Expectation', 'Holds', 'Why'];
    const rows = expectations.map(({ line, text, holds, message }) => [
      String(line),
      code(text),
      holds ? 'yes' : '**no**',
      code(message),
    ]);
    out.push('## Expectations', '', ...table(titles, rows));
  }
  out.push(
    '## URLs',
    '',
    ...table(
      ['URL', ...columns.map(({ agent }) => code(agent))],
      urls.slice(0, MOST_ROWS + 1).map((url, index) => [
        code(url),
        ...columns.map((column) => {
          const verdict = column.at(index);
          return verdict ? verdictText(verdict) : code(column.lack ?? '');
        }),
      ]),
    ),
  );
  if (urls.length > MOST_ROWS + 1) out.push(`The list has ${urls.length} URLs.`, '');
  return out.join('\n');
}
