// Work that may fail, and work that is done later.

import { find, messageOf, shown } from './dom.js';

export function say(text: string, isError = false): void {
  const message = find('message');
  message.textContent = shown(text);
  message.classList.toggle('error', isError);
}

/** Runs what may fail, and says why it failed. */
export async function attempt(action: () => void | Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    say(messageOf(error), true);
  }
}

/** Runs what may fail at each click. */
export function onClick(id: string, action: () => void | Promise<void>): void {
  find(id).addEventListener('click', () => void attempt(action));
}

const pending = new Set<Task>();

/** Says on the body whether what is shown may still be that of an earlier state. */
function showBusy(): void {
  document.body.toggleAttribute('data-busy', pending.size > 0);
}

/** Work that is done once after it was last planned. */
export class Task {
  #plans = 0;

  constructor(private readonly action: (isWanted: () => boolean) => void | Promise<void>) {}

  get isPending(): boolean {
    return pending.has(this);
  }

  /** Plans the work for the next frame, or for later. What was planned earlier is no longer wanted. */
  plan(delay?: number): void {
    const plan = (this.#plans += 1);
    const isWanted = (): boolean => plan === this.#plans;
    const start = (): void => {
      if (isWanted()) void attempt(() => this.action(isWanted)).finally(() => isWanted() && this.cancel());
    };
    if (delay === undefined) requestAnimationFrame(start);
    else setTimeout(start, delay);
    pending.add(this);
    showBusy();
  }

  cancel(): void {
    this.#plans += 1;
    pending.delete(this);
    showBusy();
  }
}
