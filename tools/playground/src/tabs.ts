// The tabs: which one is open, and what each of them shows of a run.

import { data, fill, find, h, orMessage, plural, shown } from './dom.js';
import { picture } from './drawing.js';
import type { Editor } from './editor.js';
import { DIALECTS } from './engine.js';
import type { AtHand } from './hand.js';
import * as panels from './panels.js';
import type { ShowLine } from './panels.js';
import type { Run, Runs } from './runs.js';
import type { State } from './state.js';
import { Task } from './tasks.js';

const TABS = [
  ['urls', 'URLs'],
  ['changes', 'Before and after'],
  ['dialects', 'Dialects'],
  ['usages', 'Usages'],
  ['automaton', 'Automaton'],
  ['expectations', 'Expectations'],
] as const;
const NAMES = TABS.map(([name]) => name);
type Name = (typeof NAMES)[number];
/** Milliseconds until a tab shows another URL at hand. The other tabs do not depend on it. */
const DELAYS: Partial<Record<Name, number>> = { dialects: 120, usages: 120, automaton: 16 };
/** Rows of tables that are not virtual. */
const MOST_ROWS = 200;

export class Tabs {
  readonly #task = new Task(() => this.#show());
  #opened: Name = 'urls';

  constructor(
    private readonly runs: Runs,
    private readonly entered: Readonly<State>,
    private readonly hand: AtHand,
    private readonly editor: Editor,
  ) {
    const tabs = TABS.map(([name, title]) => {
      const [id, area] = [`tab-${name}`, `panel-${name}`];
      const click = (): void => this.#open(name);
      return h('button', { type: 'button', role: 'tab', id, 'aria-controls': area, click }, title);
    });
    fill(find('tabs'), ...tabs);
    find('tabs').addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const name = NAMES.at((NAMES.indexOf(this.#opened) + step) % NAMES.length) ?? 'urls';
      this.#open(name);
      find(`tab-${name}`).focus();
    });
    for (const id of ['dialects-agent', 'automaton-agent']) find(id).addEventListener('change', () => this.plan(0));
    this.#open('urls');
  }

  #open(name: Name): void {
    this.#opened = name;
    for (const each of NAMES) {
      const tab = find(`tab-${each}`);
      tab.setAttribute('aria-selected', String(each === name));
      tab.setAttribute('tabindex', each === name ? '0' : '-1');
      find(`panel-${each}`).hidden = each !== name;
    }
    this.plan(0);
  }

  /** Fills the open tab when there is time. */
  plan(delay = 120): void {
    this.#task.plan(delay);
  }

  /** Shows another URL at hand, if the open tab depends on it. */
  follow(): void {
    const delay = DELAYS[this.#opened];
    if (delay !== undefined) this.plan(delay);
  }

  clear(): void {
    this.#task.cancel();
    for (const name of NAMES.slice(1)) {
      fill(find(name));
      if (name !== 'changes') fill(find(`${name}-facts`));
    }
  }

  async #show(): Promise<void> {
    const run = this.runs.current;
    if (run === undefined) return;
    const showLine = panels.lineLinks(run, this.editor);
    if (this.#opened === 'changes') await this.#showChanges(run, showLine);
    if (this.#opened === 'dialects') await this.#showDialects(run, showLine);
    if (this.#opened === 'usages') this.#showUsages(run, showLine);
    if (this.#opened === 'automaton') this.#showAutomaton(run);
    if (this.#opened === 'expectations') this.#showExpectations(run, showLine);
  }

  async #showChanges(run: Run, showLine: ShowLine): Promise<void> {
    const { before } = this.entered;
    if (before === null) {
      const hint = 'Paste the live file above. The page then lists what the file in the editor changes.';
      return fill(find('changes'), h('p', {}, hint));
    }
    const changes = run.changesFrom(before);
    const older = run.copyOf(before);
    const columns = run.columns.map(({ agent }) => older.column(run.dialect, agent));
    if (!(await run.judgeAlso(columns))) return older.free();
    const { urls } = run.list;
    const rows: panels.Flip[] = [];
    let count = 0;
    run.columns.forEach((column, at) => {
      const old = columns[at];
      for (let index = 0; old && index < urls.length; index += 1) {
        if (old.isAllowed(index) === column.isAllowed(index)) continue;
        count += 1;
        if (rows.length >= MOST_ROWS) continue;
        const [before, after] = [old.at(index), column.at(index)];
        if (before && after) rows.push({ url: urls[index] ?? '', agent: column.agent, before, after });
      }
    });
    older.free();
    const showBefore = panels.lineNames(run);
    fill(
      find('changes'),
      panels.flips(rows, count, urls.length),
      ...changes.map((change) => panels.changes(change, showBefore, showLine)),
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

  async #showDialects(run: Run, showLine: ShowLine): Promise<void> {
    const agent = this.#chosen(run, 'dialects-agent');
    const columns = DIALECTS.map(([dialect]) => run.copy.column(dialect, agent));
    if (!(await run.judgeAlso(columns))) return;
    const { urls } = run.list;
    const usable = columns.filter(({ error }) => error === null);
    const parting = [];
    let count = 0;
    for (let index = 0; index < urls.length; index += 1) {
      if (new Set(usable.map((column) => column.at(index)?.verdict)).size < 2) continue;
      count += 1;
      if (parting.length < MOST_ROWS) parting.push(index);
    }
    find('dialects-facts').textContent =
      `The dialects part on ${count.toLocaleString('en')} of ${plural(urls.length, 'URL')}`;
    fill(
      find('dialects'),
      count > 0 && panels.parting(columns, urls, parting, count, showLine),
      this.hand.url !== '' && panels.dialectsOf(columns, this.hand.url, showLine),
    );
  }

  #showUsages(run: Run, showLine: ShowLine): void {
    const { headers, page } = this.entered;
    const url = this.hand.url === '' ? (run.list.urls[0] ?? '/') : this.hand.url;
    const rows = run.columns.map(({ agent, error }) => ({
      agent,
      answers: error ?? orMessage(() => run.copy.permissions(run.dialect, agent, url, { headers, page })),
    }));
    fill(find('usages-facts'), 'For ', data(url));
    fill(find('usages'), panels.usages(rows, showLine));
  }

  #showAutomaton(run: Run): void {
    const { url } = this.hand;
    const area = find('automaton');
    const facts = find('automaton-facts');
    const { rules, error } = run.copy.column(run.dialect, this.#chosen(run, 'automaton-agent'));
    if (rules === null) {
      facts.textContent = error;
      return fill(area);
    }
    const isUrl = url !== '' && rules.check(url).verdict !== 'invalid';
    const drawing = isUrl ? rules.drawing(url) : rules.drawing();
    const { nodes, walk, is_complete } = drawing;
    const size = `${plural(nodes.length, 'node')}${is_complete ? '' : ', the others are not drawn'}`;
    const steps = walk.length === 0 ? 'Hover a URL to see its walk' : `The URL visits ${plural(walk.length, 'node')}`;
    const label = `${size}. ${steps}.`;
    facts.textContent = label;
    const lineName = (line: number): string => run.lineName(line);
    fill(area, picture(drawing, label, lineName));
    area.querySelector('.node.walked:last-of-type')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  #showExpectations(run: Run, showLine: ShowLine): void {
    const checked = run.expectations(this.entered.expectations);
    const isRead = typeof checked !== 'string';
    const met = isRead ? checked.filter(({ holds }) => holds).length : 0;
    find('expectations-facts').textContent = isRead
      ? `${met.toLocaleString('en')} of ${plural(checked.length, 'expectation')} ${met === 1 ? 'holds' : 'hold'}`
      : checked;
    fill(find('expectations'), isRead && panels.expectations(checked, showLine));
  }
}
