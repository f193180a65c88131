// Tables of what the module says. Each function makes elements of its results.

import { data, h, plural, shown } from './dom.js';
import type { Editor } from './editor.js';
import { DIALECTS } from './engine.js';
import type { CheckedExpectation, Column, Explanation, PermissionAnswer, Verdict } from './engine.js';
import type { ChangesOf, Run } from './runs.js';

/** Shows a line of the file, or of what comes before it. */
export type ShowLine = (line: number) => HTMLElement;

/** Where something is, or why it is nowhere. */
export const placeCell = (...content: (Node | string)[]): HTMLElement => h('span', { class: 'place' }, ...content);

/** Shows lines by their names. */
export const lineNames =
  (run: Run): ShowLine =>
  (line) =>
    placeCell(run.lineName(line));

/** Shows lines by their names, and those of the file as links. */
export const lineLinks =
  (run: Run, editor: Editor): ShowLine =>
  (line) => {
    if (line <= run.shift) return lineNames(run)(line);
    const click = (): void => editor.goTo(line - run.shift);
    return h('button', { type: 'button', class: 'link', click }, run.lineName(line));
  };

/** A URL that a click takes in hand. */
function urlLink(url: string): HTMLElement {
  return h('button', { type: 'button', class: 'link', 'data-url': url }, data(url));
}

const REASONS: Record<string, string> = {
  invalid: 'not a URL',
  'no-rule': 'no rule matches',
  'robots-txt': 'robots.txt itself',
  unavailable: 'no file there',
  unreachable: 'file not reachable',
  restricted: 'file restricted',
  undeterminable: 'not determinable',
  deferred: 'deferred',
};

function reasonText(reason: string): string {
  return REASONS[reason] ?? reason;
}

/** A verdict with the line that decided, or the reason if none did. */
function verdictCell(
  { verdict, line, reason }: { verdict: string; line: number | null; reason: string },
  showLine: ShowLine,
): HTMLElement {
  const name = verdict === 'allow' || verdict === 'disallow' ? verdict : 'other';
  const where = line === null ? placeCell(reasonText(reason)) : showLine(line);
  return h('span', {}, h('span', { class: name }, verdict), ' ', where);
}

/** The verdict of a column on a URL, if there is one. */
export function verdictOf(column: Column, index: number, showLine: ShowLine): HTMLElement | undefined {
  const verdict = column.at(index);
  return verdict && verdictCell(verdict, showLine);
}

function table(
  caption: string,
  titles: readonly (string | Node)[],
  rows: readonly (readonly (Node | string)[])[],
): HTMLElement {
  const head = h('tr', {}, ...titles.map((title) => h('th', { scope: 'col' }, title)));
  const body = rows.map(([first = '', ...rest]) => {
    const cells = rest.map((cell) => (cell instanceof HTMLTableCellElement ? cell : h('td', {}, cell)));
    return h('tr', {}, h('th', { scope: 'row' }, first), ...cells);
  });
  return h('table', {}, h('caption', {}, caption), h('thead', {}, head), h('tbody', {}, ...body));
}

/** A rule as it is written. */
const rule = ({ access, pattern }: { access: string; pattern: string }): HTMLElement =>
  h('span', {}, h('span', { class: access }, access === 'allow' ? 'Allow: ' : 'Disallow: '), data(pattern));

/** Why each crawler gets its verdict on a URL. */
export function explanations(columns: readonly Column[], url: string, showLine: ShowLine): HTMLElement {
  const rows = columns.map((column) => {
    const name = data(column.agent);
    const explanation = column.explain(url);
    if (explanation === null) return [name, column.error ?? '', '', '', ''];
    const [winner, second] = explanation.rules;
    const named = (found: typeof winner): Node | string =>
      found ? h('span', {}, showLine(found.line), ' ', rule(found)) : '–';
    return [
      name,
      verdictCell(explanation.verdict, showLine),
      named(winner),
      named(second),
      explanation.group === null ? 'none' : data(explanation.group),
      explanation.target === null ? '–' : data(explanation.target),
    ];
  });
  return table('', ['Crawler', 'Verdict', 'Winner', 'Runner-up', 'Group', 'Normal form'], rows);
}

/** What a change changes for a crawler. */
export function changes({ agent, found }: ChangesOf, showBefore: ShowLine, showLine: ShowLine): HTMLElement {
  const title = h('h3', {}, agent === '*' ? 'Every other crawler' : data(agent));
  const section = (content: Node): HTMLElement => h('section', {}, title, content);
  if (typeof found === 'string') return section(h('p', {}, found));
  const { examples, is_complete } = found;
  if (examples.length === 0) {
    if (is_complete) return section(h('p', { class: 'proved' }, 'Proved: nothing changes, for any URL.'));
    return section(h('p', {}, 'No change was found, but the search ended before the proof.'));
  }
  const caption =
    `${plural(examples.length, 'pair')} of rules decide${examples.length === 1 ? 's' : ''} differently. ` +
    (is_complete ? 'Proved: there are no others.' : 'The search ended early, so there may be others.');
  const rows = examples.map((example) => [
    urlLink(example.path),
    verdictCell(example.old, showBefore),
    verdictCell(example.new, showLine),
  ]);
  return section(table(caption, ['Witness', 'Before', 'After'], rows));
}

/** A URL on which two versions differ. */
export type Flip = { url: string; agent: string; before: Verdict; after: Verdict };

export function flips(rows: readonly Flip[], count: number, total: number): HTMLElement {
  if (count === 0) return h('p', {}, `None of the ${plural(total, 'URL')} of the list changes its verdict.`);
  const plain: ShowLine = (line) => placeCell(`line ${line}`);
  const rest = count > rows.length ? `, the first ${rows.length} are shown` : '';
  return table(
    `${plural(count, 'verdict')} of the list change${count === 1 ? 's' : ''}${rest}`,
    ['URL', 'Crawler', 'Before', 'After'],
    rows.map(({ url, agent, before, after }) => [
      urlLink(url),
      data(agent),
      verdictCell(before, plain),
      verdictCell(after, plain),
    ]),
  );
}

/** URLs on which the dialects part. */
export function parting(
  columns: readonly Column[],
  urls: readonly string[],
  indexes: readonly number[],
  count: number,
  showLine: ShowLine,
): HTMLElement {
  const rows = indexes.map((index) => {
    const url = urls[index] ?? '';
    const read = columns.map((column) => column.explain(url)).filter((explanation) => explanation !== null);
    const verdicts = columns.map((column) => verdictOf(column, index, showLine) ?? column.error ?? '');
    return [urlLink(url), ...verdicts, whyTheyPart(read)];
  });
  const rest = count > rows.length ? `The first ${rows.length} are shown.` : '';
  return table(rest, ['URL', ...DIALECTS.map(([, title]) => title), 'They differ in'], rows);
}

/** What the dialects make of one URL. Cells that differ from the first row are marked. */
export function dialectsOf(columns: readonly Column[], url: string, showLine: ShowLine): HTMLElement {
  const read = columns.map((column) => column.explain(url));
  const first = read.find((explanation) => explanation !== null);
  const titles = ['Dialect', 'Verdict', 'Winner', 'Group', 'Rules of the group', 'Normal form'];
  return table(
    'How each dialect reads the URL at hand',
    titles,
    DIALECTS.map(([, name], at) => {
      const explanation = read[at];
      if (!explanation) return [name, columns[at]?.error ?? ''];
      const cell = (content: Node | string, key: (of: Explanation) => unknown): HTMLElement => {
        const isPart = first && JSON.stringify(key(first)) !== JSON.stringify(key(explanation));
        return h('td', { class: isPart ? 'part' : null }, content);
      };
      const [winner] = explanation.rules;
      return [
        name,
        cell(verdictCell(explanation.verdict, showLine), (of) => of.verdict.verdict),
        cell(winner ? rule(winner) : reasonText(explanation.verdict.reason), (of) => [
          of.rules[0]?.line,
          of.rules[0]?.pattern,
          of.rules[0]?.access,
        ]),
        cell(explanation.group === null ? 'none' : data(explanation.group), (of) => of.group),
        cell(String(explanation.rule_count), (of) => of.rule_count),
        cell(explanation.target === null ? '–' : data(explanation.target), (of) => of.target),
      ];
    }),
  );
}

/** Reasons of verdicts that no rule of the file gives, because the fetch failed. */
const FAILED = ['unavailable', 'unreachable', 'restricted', 'undeterminable', 'deferred'];

/** In which respects explanations differ. */
function whyTheyPart(read: readonly Explanation[]): string {
  const ruled = read.filter(({ verdict }) => !FAILED.includes(verdict.reason));
  const differs = (key: (of: Explanation) => unknown): boolean =>
    new Set(ruled.map((of) => JSON.stringify(key(of)))).size > 1;
  const why = [
    ruled.length < read.length && 'the meaning of the fetch',
    differs((of) => of.group) && 'the group',
    differs((of) => of.rule_count) && 'the number of rules that are read',
    differs((of) => of.target) && 'the normal form of the URL',
    differs((of) => of.rules.map(({ pattern }) => pattern).sort()) && 'the rules that match',
  ].filter((reason) => reason !== false);
  if (why.length === 0)
    return differs((of) => of.rules[0]?.line) ? 'the order of the rules' : 'the meaning of the fetch';
  return why.join(', ');
}

/** The usages of the matrix: title and names in answers. */
const USAGES = [
  ['crawl', 'crawl'],
  ['index', 'index'],
  ['snippet', 'present-snippet'],
  ['ai-train', 'ai-train'],
  ['ai-input', 'ai-input'],
  ['search', 'search'],
] as const;

const PERMISSIONS: Record<string, string> = { permitted: 'allow', prohibited: 'disallow' };

const PLACES: Record<string, string> = {
  referenced: 'referenced file',
  'tdmrep-json': 'tdmrep.json',
  meta: 'META tag',
  element: 'element',
  header: 'header',
};

/** Where a statement is, or why there is none. */
function sourceOf({ source, permission, reason }: PermissionAnswer, showLine: ShowLine): Node | string {
  if (source === null) return permission === 'unspecified' ? '' : reason;
  const { line, place, vocabulary } = source;
  const where = place === 'robots-txt' ? '' : `${PLACES[place] ?? place}, `;
  if (line === null) return `${where}${vocabulary}`;
  return h('span', {}, where, where === '' ? showLine(line) : `line ${line}`, ` ${vocabulary}`);
}

/** What each crawler may do with a URL. */
export function usages(
  rows: readonly { agent: string; answers: PermissionAnswer[] | string }[],
  showLine: ShowLine,
): HTMLElement {
  return table(
    '',
    ['Crawler', ...USAGES.map(([title]) => title)],
    rows.map(({ agent, answers }) => {
      if (typeof answers === 'string') return [data(agent), answers];
      return [
        data(agent),
        ...USAGES.map(([, usage]) => {
          const answer = answers.find((candidate) => candidate.usage === usage);
          if (!answer) return '–';
          const { permission, qualifiers } = answer;
          const name = h('span', { class: PERMISSIONS[permission] ?? 'muted' }, permission);
          const limits = qualifiers.length > 0 && data(` ${qualifiers.join(', ')}`);
          return h('span', {}, name, ' ', placeCell(sourceOf(answer, showLine)), limits);
        }),
      ];
    }),
  );
}

/** What became of each expectation. */
export function expectations(checked: readonly CheckedExpectation[], showLine: ShowLine): HTMLElement {
  const titles = ['Expectation', 'Result', 'Why', 'Witness', 'Decided by'];
  return table(
    '',
    titles,
    checked.map(({ text, holds, is_proved, witness, decided_by, message }) => [
      data(text),
      h('span', { class: holds ? 'allow' : 'disallow' }, holds ? 'holds' : is_proved ? 'does not hold' : 'not proved'),
      shown(message),
      witness === null ? '–' : urlLink(witness),
      decided_by === null ? '–' : showLine(decided_by),
    ]),
  );
}
