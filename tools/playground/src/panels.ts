// Tables of what the module says. Each function makes elements of its results.

import { DIALECTS } from './engine.js';
import type {
  Changes,
  CheckedExpectation,
  Column,
  Dialect,
  Explanation,
  PermissionAnswer,
  Standing,
  Verdict,
} from './engine.js';
import { data, h, plural, shown } from './dom.js';

/** Shows a line of the file, or of what comes before it. */
export type ShowLine = (line: number) => HTMLElement;

/** A URL that a click takes in hand. */
export function urlLink(url: string): HTMLElement {
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

export function reasonText(reason: string): string {
  return REASONS[reason] ?? reason;
}

export function accessClass(access: string): string {
  return access === 'allow' || access === 'disallow' ? access : 'other';
}

/** A verdict with the line that decided, or the reason if none did. */
export function verdictCell(
  verdict: { verdict: string; line: number | null; reason: string },
  showLine: ShowLine | null,
): HTMLElement {
  const { line, reason } = verdict;
  const place =
    line === null
      ? h('span', { class: 'place' }, reasonText(reason))
      : (showLine?.(line) ?? h('span', { class: 'place' }, `line ${line}`));
  return h('span', {}, h('span', { class: accessClass(verdict.verdict) }, verdict.verdict), ' ', place);
}

export function table(
  caption: string,
  titles: readonly (string | Node)[],
  rows: readonly (readonly (Node | string)[])[],
): HTMLElement {
  return h(
    'table',
    {},
    h('caption', {}, caption),
    h('thead', {}, h('tr', {}, ...titles.map((title) => h('th', { scope: 'col' }, title)))),
    h(
      'tbody',
      {},
      ...rows.map(([first = '', ...rest]) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, first),
          ...rest.map((cell) => (cell instanceof HTMLTableCellElement ? cell : h('td', {}, cell))),
        ),
      ),
    ),
  );
}

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
export function changes(agent: string, found: Changes | string, showBefore: ShowLine, showLine: ShowLine): HTMLElement {
  const title = h('h3', {}, agent === '*' ? 'Every other crawler' : data(agent));
  if (typeof found === 'string') return h('section', {}, title, h('p', {}, found));
  const { examples, is_complete } = found;
  if (examples.length === 0) {
    return h(
      'section',
      {},
      title,
      is_complete
        ? h('p', { class: 'proved' }, 'Proved: nothing changes, for any URL.')
        : h('p', {}, 'No change was found, but the search ended before the proof.'),
    );
  }
  const caption =
    `${plural(examples.length, 'pair')} of rules decide${examples.length === 1 ? 's' : ''} differently. ` +
    (is_complete ? 'Proved: there are no others.' : 'The search ended early, so there may be others.');
  return h(
    'section',
    {},
    title,
    table(
      caption,
      ['Witness', 'Before', 'After'],
      examples.map((example) => [
        urlLink(example.path),
        verdictCell(example.old, showBefore),
        verdictCell(example.new, showLine),
      ]),
    ),
  );
}

/** URLs on which two versions differ. */
export function flips(
  rows: readonly { url: string; agent: string; before: Verdict; after: Verdict }[],
  count: number,
  total: number,
): HTMLElement {
  if (count === 0) return h('p', {}, `None of the ${plural(total, 'URL')} of the list changes its verdict.`);
  const rest = count > rows.length ? `, the first ${rows.length} are shown` : '';
  return table(
    `${plural(count, 'verdict')} of the list change${count === 1 ? 's' : ''}${rest}`,
    ['URL', 'Crawler', 'Before', 'After'],
    rows.map(({ url, agent, before, after }) => [
      urlLink(url),
      data(agent),
      verdictCell(before, null),
      verdictCell(after, null),
    ]),
  );
}

/** What the dialects make of one URL. Cells that differ from the first row are marked. */
export function dialectsOf(
  read: readonly { dialect: Dialect; explanation: Explanation | string }[],
  showLine: ShowLine,
): HTMLElement {
  const first = read.find(({ explanation }) => typeof explanation !== 'string')?.explanation as Explanation | undefined;
  const titles = ['Dialect', 'Verdict', 'Winner', 'Group', 'Rules of the group', 'Normal form'];
  return table(
    'How each dialect reads the URL at hand',
    titles,
    read.map(({ dialect, explanation }) => {
      const name = DIALECTS.find(([id]) => id === dialect)?.[1] ?? dialect;
      if (typeof explanation === 'string') return [name, explanation];
      const cell = (content: Node | string, key: (of: Explanation) => unknown): HTMLElement =>
        h(
          'td',
          { class: first && JSON.stringify(key(first)) !== JSON.stringify(key(explanation)) ? 'part' : null },
          content,
        );
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
export function whyTheyPart(read: readonly Explanation[]): string {
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
          const from = sourceOf(answer, showLine);
          return h(
            'span',
            {},
            h('span', { class: PERMISSIONS[permission] ?? 'muted' }, permission),
            ' ',
            h('span', { class: 'place' }, from),
            qualifiers.length > 0 && data(` ${qualifiers.join(', ')}`),
          );
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

const APPLIES: Record<Standing['applies'], string> = {
  rules: 'the rules of the file apply',
  'last-good-copy': 'the last good copy applies, for which the file in the editor is taken',
  unrestricted: 'everything is allowed',
  restricted: 'nothing is allowed',
  deferred: 'a crawler waits',
  unknown: 'it is unknown what applies',
};

/** What applies after an attempt to fetch the file, and until when. */
export function standing({ applies, until, refetch, text }: Standing, now: number): string {
  const after = (time: number): string => (time <= now ? 'now' : `in ${span(time - now)}`);
  const end = until === null ? '' : until <= now ? ' That has ended.' : ` That ends in ${span(until - now)}.`;
  const why = shown(text.charAt(0).toUpperCase() + text.slice(1));
  return `${why}: ${APPLIES[applies]}.${end} Fetch again ${after(refetch)}.`;
}

/** A length of time in the largest unit that suits it. */
function span(seconds: number): string {
  const units = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const;
  const [unit, length] = units.find(([, length]) => seconds >= 2 * length) ?? (['second', 1] as const);
  return plural(Math.round(seconds / length), unit);
}
