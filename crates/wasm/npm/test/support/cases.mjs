// The cases of corpora/conformance about access. Its README describes the format.
import { readFileSync } from 'node:fs';
import { parse as parseToml } from 'smol-toml';

const folder = new URL('../../../../../corpora/conformance/', import.meta.url);

const ESCAPES = { n: 10, r: 13, t: 9, 0: 0, '\\': 92 };

/** Bytes written with the escapes of the cases. */
function unescaped(text) {
  const parts = text.split(/(\\x[0-9A-Fa-f]{2}|\\.)/u).map((part, index) => {
    if (index % 2 === 0) return Buffer.from(part);
    return Buffer.from([part[1] === 'x' ? Number.parseInt(part.slice(2), 16) : ESCAPES[part[1]]]);
  });
  return Buffer.concat(parts);
}

function bytes(item, name) {
  if (item[name] !== undefined) return Buffer.from(item[name]);
  if (item[`${name}_escaped`] !== undefined) return unescaped(item[`${name}_escaped`]);
  if (item[`${name}_b64`] !== undefined) return Buffer.from(item[`${name}_b64`], 'base64');
  return undefined;
}

function body(group) {
  const parts = group.robots_parts?.map(({ text, escaped, b64, repeat = 1 }) => {
    const part = bytes({ text, text_escaped: escaped, text_b64: b64 }, 'text');
    return Buffer.concat(Array(repeat).fill(part));
  });
  return parts ? Buffer.concat(parts) : (bytes(group, 'robots') ?? Buffer.alloc(0));
}

// acap.toml has cases about permissions, and the others are in other formats.
const FILES = ['rfc9309.toml', 'google.toml', 'koster1996.toml', 'yandex.toml'];
const STATUS = { 'network-failure': 'no-response', 'too-many-redirects': 'too-many-redirects', success: 200 };
/** What is no HTTP status counts as no response. */
const statusOf = (status) => STATUS[status] ?? (status >= 100 && status <= 999 ? status : 'no-response');
const ALL = ['rfc9309', 'google', 'koster1996', 'acap', 'yandex'];

/** Every case about access, in each of its dialects. */
export function* cases() {
  for (const name of FILES) {
    const file = parseToml(readFileSync(new URL(name, folder), 'utf8'));
    for (const group of file.group) {
      for (const item of group.case) {
        const agent = [item.agent ?? group.agent].flat().join(',');
        for (const dialect of item.dialects ?? group.dialects ?? file.dialects ?? ALL) {
          yield {
            label: `${dialect} ${name} ${group.section} ${group.title}: ${agent}`,
            body: body(group),
            status: statusOf(group.status ?? 200),
            agent,
            dialect,
            url: bytes(item, 'url'),
            verdict: item.expect,
            line: item.line,
          };
        }
      }
    }
  }
}
