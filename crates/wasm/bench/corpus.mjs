// Real files and URLs: a folder with robots.jsonl.zst, urls.tsv.zst and google_verdicts.tsv.zst.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

function lines(folder, name) {
  const options = { maxBuffer: 1 << 30 };
  const bytes = execFileSync('zstd', ['-dcq', '--long=27', join(folder, name)], options);
  return bytes.toString('utf8').trimEnd().split('\n');
}

/**
 * The files that have URLs, each with its URLs on one origin, in the order of the first ones. The verdicts are those of
 * google/robotstxt: a letter for each of Googlebot, GPTBot and ExampleBot, and the line for Googlebot.
 */
export function readCorpus(folder) {
  const bodies = new Map();
  for (const line of lines(folder, 'robots.jsonl.zst')) {
    const { sha256, body_b64 } = JSON.parse(line);
    bodies.set(sha256, body_b64);
  }
  const expected = lines(folder, 'google_verdicts.tsv.zst');
  const sites = new Map();
  for (const [index, line] of lines(folder, 'urls.tsv.zst').entries()) {
    const [, sha256, url] = line.split('\t');
    const [letters, number] = expected[index].split('\t');
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    const origin = parsed && `${parsed.protocol}//${parsed.host}`;
    const key = `${sha256} ${origin}`;
    let site = sites.get(key);
    if (site === undefined) {
      const body = Buffer.from(bodies.get(sha256), 'base64');
      site = { origin, body, text: body.toString('utf8'), urls: [], verdicts: [], lines: [] };
      sites.set(key, site);
    }
    site.urls.push(url);
    site.verdicts.push(letters);
    site.lines.push(Number(number));
  }
  // Strings of their own, as programs have them, instead of parts of one long string.
  for (const site of sites.values()) site.urls = JSON.parse(JSON.stringify(site.urls));
  return [...sites.values()];
}
