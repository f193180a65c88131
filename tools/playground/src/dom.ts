// Elements without HTML: data only ever becomes text.

type Child = Node | string | null | false | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/** Makes an element. A function is a listener of the event with that name; null and false leave an attribute out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  fill(element, ...children);
  return element;
}

/** Replaces the children of an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(
    ...children.filter((child): child is Node | string => child !== null && child !== false && child !== undefined),
  );
}

export function find<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element '${id}'`);
  return element as T;
}

/** Calls a function with what users enter in a field. */
export function onInput(id: string, take: (value: string) => void): void {
  const field = find<HTMLInputElement>(id);
  field.addEventListener('input', () => take(field.value));
}

/** Fills a menu, and calls a function with what users choose. */
export function onChoice<T extends string | number>(
  id: string,
  options: readonly (readonly [T, string])[],
  chosen: (value: T) => void,
): void {
  const menu = find<HTMLSelectElement>(id);
  fill(menu, ...options.map(([value, title]) => h('option', { value }, title)));
  menu.addEventListener('change', () => chosen(options[menu.selectedIndex]?.[0] as T));
}

/** Characters that change the order of others or are invisible, and halves of surrogate pairs. */
const HIDDEN =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]|\p{Cs}/gu;
const LONGEST = 1000;

/** A text from outside as it may be shown: hidden characters are named, and a long text is cut. */
export function shown(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return cut.replace(
    HIDDEN,
    (character) => `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`,
  );
}

/** A text from outside, isolated from the direction of what is around it. */
export function data(text: string, className = ''): HTMLElement {
  return h('bdi', { class: `data ${className}`.trim(), dir: 'ltr' }, shown(text));
}

/** What an error says, as it may be shown. */
export function messageOf(error: unknown): string {
  return shown(error instanceof Error ? error.message : String(error));
}

/** What a function returns, or what its error says. */
export function orMessage<T>(action: () => T): T | string {
  try {
    return action();
  } catch (error) {
    return messageOf(error);
  }
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** Saves a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
