// The state of the page as a URL fragment: JSON, compressed.

import { bounded } from './collect.js';
import { DIALECTS } from './engine.js';
import { MOST_HOURS } from './situation.js';
import { MOST_AGENTS } from './state.js';
import type { State } from './state.js';

const PREFIX = '#1.';
/** Bytes of the JSON, and characters of the fragment. Browsers refuse URLs of 2 MB. */
const MOST_JSON = 16 * 1024 * 1024;
const MOST_FRAGMENT = 1024 * 1024;

export async function fragmentOf(state: State): Promise<string> {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  const text = PREFIX + btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  if (text.length > MOST_FRAGMENT) {
    throw new Error(
      `the link would have ${Math.ceil(text.length / 1000)} KB (share fewer URLs, or send the exported report)`,
    );
  }
  return text;
}

/** The state in a fragment, or null if there is none. Everything in it is checked: anyone can write a link. */
export async function stateOf(fragment: string): Promise<Partial<State> | null> {
  if (!fragment.startsWith(PREFIX)) return null;
  const binary = atob(fragment.slice(PREFIX.length).replace(/-/g, '+').replace(/_/g, '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const text = new TextDecoder().decode(await bounded(stream, MOST_JSON));
  return checked(JSON.parse(text));
}

type Test = (value: unknown) => boolean;
const isText: Test = (value) => typeof value === 'string';
const isHours: Test = (value) => typeof value === 'number' && value >= 0 && value <= MOST_HOURS;
const isTexts: Test = (value) => Array.isArray(value) && value.every(isText);

const FIELDS: Record<keyof State, Test> = {
  body: isText,
  before: (value) => value === null || isText(value),
  prepended: isText,
  urls: isTexts,
  agents: (value) => isTexts(value) && (value as string[]).length <= MOST_AGENTS,
  dialect: (value) => DIALECTS.some(([dialect]) => dialect === value),
  status: (value) =>
    value === 'no-response' ||
    value === 'too-many-redirects' ||
    (Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 999),
  isCut: (value) => typeof value === 'boolean',
  age: isHours,
  failing: (value) => value === null || isHours(value),
  good: (value) => value === null || isHours(value),
  headers: isText,
  page: isText,
  expectations: isText,
};

function checked(value: unknown): Partial<State> {
  if (typeof value !== 'object' || value === null) throw new Error('the link holds no state');
  const entries = Object.entries(value).filter(([name]) => Object.hasOwn(FIELDS, name));
  for (const [name, entry] of entries) {
    if (!FIELDS[name as keyof State](entry)) throw new Error(`the link is damaged at '${name}' (ask for a new one)`);
  }
  return Object.fromEntries(entries) as Partial<State>;
}
