// Files that are opened or dropped.

import { textOf } from './collect.js';
import { find } from './dom.js';
import { attempt, say } from './tasks.js';

/** What a file is for. */
export type Target = 'file' | 'before' | 'urls' | 'expectations';

/** Reads each file that is opened or dropped, and hands on its text. */
export function bindFiles(take: (target: Target, text: string) => void): void {
  const read = (target: Target, file: Blob): Promise<void> =>
    attempt(async () => {
      const { text, isReplaced } = await textOf(file);
      take(target, text);
      if (isReplaced) say('The file is not UTF-8. Every byte that is not became U+FFFD', true);
    });
  for (const target of ['file', 'urls', 'expectations'] as const) {
    const input = find<HTMLInputElement>(`${target}-open`);
    input.addEventListener('change', () => {
      const [file] = input.files ?? [];
      if (file) void read(target, file);
      input.value = '';
    });
  }

  const { classList } = document.body;
  addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    classList.add('dropping');
  });
  addEventListener('dragleave', (event) => event.relatedTarget === null && classList.remove('dropping'));
  addEventListener(
    'drop',
    (event) => {
      const [file] = event.dataTransfer?.files ?? [];
      if (!file) return;
      event.preventDefault();
      classList.remove('dropping');
      const target =
        (['file', 'before', 'expectations'] as const).find((id) =>
          find(id === 'expectations' ? 'panel-expectations' : id).contains(event.target as Node),
        ) ?? 'urls';
      void read(target, file);
    },
    { capture: true },
  );
}
