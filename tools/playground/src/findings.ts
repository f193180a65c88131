// The mistakes that lint finds in the file: a list, underlines and fixes.

import { data, fill, find, h, plural, shown } from './dom.js';
import type { Editor } from './editor.js';
import type { Finding } from './engine.js';
import { positions } from './lines.js';
import { lineLinks } from './panels.js';
import type { Run, Runs } from './runs.js';
import type { State } from './state.js';
import { Task } from './tasks.js';

/** The most findings of the list. */
const MOST_FINDINGS = 500;
const SEVERITIES = { error: 'error', warning: 'warning', note: 'info' } as const;

const encoder = new TextEncoder();

type Place = { offset: number; length: number };

export class Findings {
  readonly #task = new Task(() => {
    if (this.runs.current) this.lint(this.runs.current);
  });
  #all: readonly Finding[] = [];
  /** Milliseconds that the latest search took. */
  #time = 0;

  /** `changed` is called when there are other findings. */
  constructor(
    private readonly runs: Runs,
    private readonly entered: Readonly<State>,
    private readonly editor: Editor,
    private readonly changed: () => void,
  ) {}

  /** Finds mistakes when there is time: later for files that take longer. */
  plan(): void {
    this.#task.plan(Math.min(1500, 60 + this.#time * 3));
  }

  clear(): void {
    this.#task.cancel();
    this.#all = [];
    this.editor.underline([]);
    this.editor.show({ idle: new Set() });
    for (const id of ['findings-title', 'findings-list']) fill(find(id));
  }

  /** The proof that a line never decides, if there is one. */
  proofOf(line: number): string | undefined {
    return this.#all.find((finding) => finding.code === 'never-decides' && finding.line === line)?.message;
  }

  /** Finds mistakes, and shows them. */
  lint(run: Run): readonly Finding[] {
    const started = performance.now();
    this.#all = run.copy.lint(run.dialect);
    this.#time = performance.now() - started;
    const fixOf = this.#underline(run);
    fill(find('findings-title'), this.#all.length === 0 ? 'No findings' : plural(this.#all.length, 'finding'));
    const showLine = lineLinks(run, this.editor);
    const rest = this.#all.length - MOST_FINDINGS;
    fill(
      find('findings-list'),
      ...this.#all.slice(0, MOST_FINDINGS).map((finding) => {
        const { line, severity, message, help, code } = finding;
        const apply = fixOf(finding);
        const label = `Fix line ${line - run.shift}`;
        const text = data(`${message}${help === null ? '' : ` (${help})`}`, 'prose');
        return h(
          'li',
          {},
          h('span', { class: `severity ${severity}` }, severity),
          h('span', { class: 'what' }, showLine(line), ' ', text, ' ', h('span', { class: 'muted' }, code)),
          apply && h('button', { type: 'button', click: apply, 'aria-label': label }, 'Fix'),
        );
      }),
      rest > 0 && h('li', {}, `and ${rest.toLocaleString('en')} more`),
    );
    this.changed();
    return this.#all;
  }

  /** Marks the findings of the file in the editor. Returns what applies their fixes. */
  #underline(run: Run): (finding: Finding) => (() => void) | null {
    const block = encoder.encode(run.block).length;
    const { body } = this.entered;
    const own = this.#all.filter(({ offset }) => offset >= block);
    const ends = ({ offset, length }: Place): number[] => [offset - block, offset + length - block];
    const offsets = own.flatMap((finding) => [...ends(finding), ...(finding.fix ? ends(finding.fix) : [])]);
    const units = positions(body, offsets);
    const range = (place: Place): { from: number; to: number } => {
      const [from = 0, to = 0] = ends(place).map((byte) => Math.min(units.get(byte) ?? 0, this.entered.body.length));
      return { from, to };
    };
    const { view } = this.editor;
    const fixOf = ({ offset, fix }: Finding): (() => void) | null => {
      if (fix === null || offset < block) return null;
      return () => {
        view.dispatch({ changes: { ...range(fix), insert: fix.text } });
        view.focus();
      };
    };
    this.editor.underline(
      own.map((finding) => {
        const apply = fixOf(finding);
        return {
          ...range(finding),
          severity: SEVERITIES[finding.severity],
          message: shown([finding.message, finding.help].filter(Boolean).join('\n')),
          actions: apply ? [{ name: 'Fix', apply }] : [],
        };
      }),
    );
    const idle = own.filter(({ code }) => code === 'never-decides').map(({ line }) => line - run.shift);
    this.editor.show({ idle: new Set(idle) });
    return fixOf;
  }
}
