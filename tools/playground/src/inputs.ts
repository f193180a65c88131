// What users enter: in fields, with files and by links.

import { collect } from './collect.js';
import { download, fill, find, h, messageOf, onChoice, onInput } from './dom.js';
import type { Editor } from './editor.js';
import { DIALECTS } from './engine.js';
import type { Column, FetchStatus } from './engine.js';
import { bindFiles } from './files.js';
import { fragmentOf, stateOf } from './share.js';
import { MOST_HOURS, STATUSES } from './situation.js';
import { EXAMPLE, MOST_AGENTS } from './state.js';
import type { State } from './state.js';
import { attempt, onClick, say } from './tasks.js';

/** The fields of hours. All but the first are those of a failure. */
const HOURS = ['age', 'failing', 'good'] as const;
/** The fields of texts, by their ids. */
const TEXTS = [
  ['prepended', 'prepended'],
  ['headers', 'headers'],
  ['page', 'page'],
  ['expectations-text', 'expectations'],
] as const;
/** What only tabs show. No verdict depends on it. */
const OF_TABS = new Set(['before', 'headers', 'page', 'expectations']);
/** URLs that the field of the list shows. */
const MOST_EDITED = 20_000;

export interface InputsOptions {
  /** The editors of the file and of the live one. They set `body` and `before`. */
  file: Editor;
  before: Editor;
  /** The verdicts may change. */
  changed(): void;
  /** Only what tabs show may change. */
  changedTab(): void;
}

/** Holds what was entered. The other parts only read it. */
export class Inputs {
  readonly #state: State = structuredClone(EXAMPLE);
  readonly #statuses = [...STATUSES];

  constructor(private readonly options: InputsOptions) {
    onChoice('dialect', DIALECTS, (dialect) => this.set({ dialect }));
    onChoice('status', this.#statuses, (status) => this.set({ status }));
    const cut = find<HTMLInputElement>('cut');
    cut.addEventListener('change', () => this.set({ isCut: cut.checked }));
    for (const [id, name] of TEXTS) onInput(id, (text) => this.set({ [name]: text }));
    for (const name of HOURS) {
      const field = find<HTMLInputElement>(name);
      field.max = String(MOST_HOURS);
      onInput(name, (value) => {
        if (field.validity.valid) this.set({ [name]: value === '' ? (name === 'age' ? 0 : null) : Number(value) });
        else options.changed();
      });
    }
    const toggle = (button: string, area: string, opened?: () => void): void =>
      find(button).addEventListener('click', () => {
        const isOpen = find(area).toggleAttribute('hidden') === false;
        find(button).setAttribute('aria-expanded', String(isOpen));
        if (!isOpen) return;
        opened?.();
        find(area).querySelector('textarea')?.focus();
      });
    toggle('prepended-toggle', 'prepended-area');
    toggle('page-toggle', 'page-area');
    toggle('urls-edit', 'urls-area', () => {
      const { urls } = this.#state;
      find<HTMLTextAreaElement>('urls-text').value = urls.length > MOST_EDITED ? '' : urls.join('\n');
    });
    const collected = (text: string): void =>
      void attempt(() => {
        const { urls, summary } = collect(text);
        say(`Read a ${summary}`);
        this.set({ urls });
      });
    onInput('urls-text', collected);
    bindFiles((target, text) => {
      if (target === 'urls') collected(text);
      else if (target === 'expectations') {
        find<HTMLTextAreaElement>('expectations-text').value = text;
        this.set({ expectations: text });
      } else options[target].text = text;
    });

    onClick('agent-add', () => {
      this.#setAgents([...this.#state.agents, '']);
      find('agents').querySelector<HTMLInputElement>('.crawler:last-child input')?.focus();
    });
    onClick('before-take', () => void (options.before.text = this.#state.body));
    onClick('before-drop', () => {
      options.before.text = '';
      this.set({ before: null });
    });
    onClick('file-save', () => download('robots.txt', 'text/plain', this.#state.body));
    onClick('expectations-save', () => download('expectations.txt', 'text/plain', this.#state.expectations));
    onClick('share', () => this.#share());
    addEventListener('hashchange', () => void attempt(() => this.start()));
  }

  get state(): Readonly<State> {
    return this.#state;
  }

  /** The state, if everything in it can be judged. */
  checked(): Readonly<State> {
    // Those of a failure do not count without one.
    const hours = this.#state.status === 200 ? HOURS.slice(0, 1) : HOURS;
    if (hours.some((name) => !find<HTMLInputElement>(name).validity.valid)) {
      throw new Error(`expected 0 to ${MOST_HOURS.toLocaleString('en')} hours`);
    }
    return this.#state;
  }

  set(changed: Partial<State>): void {
    Object.assign(this.#state, changed);
    if (Object.keys(changed).every((name) => OF_TABS.has(name))) this.options.changedTab();
    else this.options.changed();
  }

  /** Starts with the state of the link, or with an example. */
  async start(): Promise<void> {
    let linked = null;
    try {
      linked = await stateOf(location.hash);
      say(linked === null ? 'Nothing that you enter leaves this page' : 'Opened a shared link');
    } catch (error) {
      say(`The link cannot be read: ${messageOf(error)}`, true);
    }
    const state = { ...structuredClone(EXAMPLE), ...linked };
    this.set(state);
    const { file, before } = this.options;
    file.text = state.body;
    before.text = state.before ?? '';
    this.#state.before = state.before;
    for (const [id, name] of TEXTS) find<HTMLTextAreaElement>(id).value = state[name];
    for (const name of HOURS) find<HTMLInputElement>(name).value = String(state[name] ?? '');
    find<HTMLSelectElement>('dialect').value = state.dialect;
    find<HTMLInputElement>('cut').checked = state.isCut;
    this.#showStatus(state.status);
    this.#showAgents();
  }

  #setAgents(agents: string[]): void {
    this.set({ agents });
    this.#showAgents();
  }

  /** Shows a field for each crawler. Empty fields are none. */
  #showAgents(): void {
    const { agents } = this.#state;
    const fields = agents.map((agent, index) => {
      const input = h('input', {
        type: 'text',
        'aria-label': `Crawler ${index + 1}`,
        spellcheck: 'false',
        autocapitalize: 'off',
        input: () => this.set({ agents: this.#state.agents.with(index, input.value) }),
      });
      input.value = agent;
      const click = (): void => this.#setAgents(this.#state.agents.filter((_, at) => at !== index));
      const label = `Remove crawler ${index + 1}`;
      const remove = h('button', { type: 'button', 'aria-label': label, click }, '×');
      return h('span', { class: 'crawler' }, input, remove);
    });
    fill(find('agents'), ...fields);
    find<HTMLButtonElement>('agent-add').disabled = agents.length >= MOST_AGENTS;
  }

  /** Marks the crawlers that are none. There is a column for each field that is not empty. */
  markAgents(columns: readonly Column[]): void {
    const inputs = [...find('agents').querySelectorAll('input')].filter((_, index) => this.#state.agents[index] !== '');
    columns.forEach(({ isNoCrawler, error }, index) => {
      inputs[index]?.setAttribute('aria-invalid', String(isNoCrawler));
      inputs[index]?.setAttribute('title', error ?? '');
    });
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

  async #share(): Promise<void> {
    const fragment = await fragmentOf(this.#state);
    history.replaceState(null, '', fragment);
    const size = `${(fragment.length / 1000).toFixed(1)} KB, all of it in the part after #`;
    try {
      await navigator.clipboard.writeText(location.href);
      say(`Copied a link of ${size}`);
    } catch {
      say(`The link is in the address bar: ${size}`);
    }
  }
}
