// The URL at hand: why each crawler gets its verdict on it.

import { fill, find, onInput } from './dom.js';
import type { Editor } from './editor.js';
import { explanations, lineLinks } from './panels.js';
import type { Runs } from './runs.js';

export class AtHand {
  #url = '';

  /** `taken` is called after another URL was taken in hand. */
  constructor(
    private readonly runs: Runs,
    private readonly editor: Editor,
    private readonly taken: () => void,
  ) {
    onInput('at-hand', (url) => this.take(url));
    find('answers').addEventListener('click', ({ target }) => {
      const url = (target as Element).closest<HTMLElement>('[data-url]')?.dataset['url'];
      if (url !== undefined) this.take(url);
    });
  }

  /** Empty if there is none. */
  get url(): string {
    return this.#url;
  }

  take(url: string): void {
    this.#url = url;
    const field = find<HTMLInputElement>('at-hand');
    if (field.value !== url) field.value = url;
    this.show();
    this.taken();
  }

  /** Explains the URL, and marks the lines that decide it. */
  show(): void {
    const run = this.runs.current;
    const url = this.#url;
    fill(find('explanation'), run && url !== '' && explanations(run.columns, url, lineLinks(run, this.editor)));
    if (run === undefined) return this.editor.show({ marked: new Set() });
    if (url === '') return;
    const lines = run.columns.map(({ rules }) => rules?.check(url).line ?? 0);
    this.editor.show({ marked: new Set(lines.map((line) => line - run.shift)) });
  }
}
