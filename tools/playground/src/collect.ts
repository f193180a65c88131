// Reads URLs from what people paste and drop: lists, sitemaps and access logs.

/** The most URLs of a list. */
export const MOST_URLS = 500_000;
/** The most bytes of a file, unpacked. */
export const MOST_BYTES = 64 * 1024 * 1024;

export interface Collected {
  urls: string[];
  /** What was read, and what was left out. */
  summary: string;
}

const REQUEST = /"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\S+)(?: HTTP\/[\d.]+)?"/;

/** The distinct URLs of a text, in order. */
export function collect(text: string): Collected {
  const start = text.slice(0, 2000).trimStart();
  const isSitemap =
    /^(?:<\?xml|<!--|<urlset|<sitemapindex)/.test(start) && /<(?:\w+:)?(?:urlset|sitemapindex)/.test(text);
  const [kind, found] = isSitemap ? (['sitemap', locations(text)] as const) : lines(text);
  const urls = new Set<string>();
  let left = 0;
  for (const url of found) {
    if (urls.size < MOST_URLS || urls.has(url)) urls.add(url);
    else left += 1;
  }
  const rest = left > 0 ? `, ${left.toLocaleString('en')} beyond the limit left out` : '';
  return { urls: [...urls], summary: `${kind}: ${urls.size.toLocaleString('en')} distinct URLs${rest}` };
}

function locations(text: string): string[] {
  const tree = new DOMParser().parseFromString(text, 'text/xml');
  if (tree.querySelector('parsererror'))
    throw new Error('the sitemap is not well-formed XML (repair it, or paste a list of URLs)');
  return [...tree.getElementsByTagNameNS('*', 'loc')]
    .map((location) => (location.textContent ?? '').trim())
    .filter((url) => url !== '');
}

function lines(text: string): readonly ['list' | 'log', string[]] {
  const found = [];
  let requests = 0;
  for (const line of text.split(/\r\n?|\n/)) {
    const request = REQUEST.exec(line)?.[1];
    if (request !== undefined) requests += 1;
    const url = request ?? line.replace(/^\ufeff/, '').trim();
    if (url !== '') found.push(url);
  }
  return [requests > 0 ? 'log' : 'list', found];
}

/** The text of a file in UTF-8, which may be packed with gzip, and whether bytes had to be replaced. */
export async function textOf(file: Blob): Promise<{ text: string; isReplaced: boolean }> {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isPacked = head[0] === 0x1f && head[1] === 0x8b;
  const stream = isPacked ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  const bytes = await bounded(stream, MOST_BYTES);
  // A byte order mark stays: parsers of robots.txt treat it in different ways.
  const read = (fatal: boolean): string => new TextDecoder('utf-8', { fatal, ignoreBOM: true }).decode(bytes);
  try {
    return { text: read(true), isReplaced: false };
  } catch {
    return { text: read(false), isReplaced: true };
  }
}

/** The bytes of a stream. Fails beyond a limit. */
export async function bounded(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error(`too large: more than ${most / 1024 / 1024} MiB (split the file)`);
    }
    parts.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
