// Writes dist/index.html: the page with its style, its script and the WebAssembly module. Prints the sizes.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { deflateRawSync, gzipSync } from 'node:zlib';

const here = new URL('./', import.meta.url);
const npm = new URL('../../crates/wasm/npm/dist/esm/', here);
const read = (path) => readFileSync(new URL(path, here), 'utf8');

const { default: text } = await import(new URL('playground.wasm.js', npm));
const wasm = Buffer.from(text, 'latin1');
const packed = deflateRawSync(wasm, { level: 9 }).toString('base64');

const bundled = await build({
  entryPoints: [new URL('src/main.ts', here).pathname],
  alias: { 'robomata/load': new URL('load.js', npm).pathname },
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  charset: 'ascii',
  format: 'iife',
  target: ['chrome123', 'firefox120', 'safari17.5'],
});
// A script ends at the first closing tag, also inside a string.
const script = bundled.outputFiles[0].text
  .trim()
  .replace(/<\/(script)/gi, '<\\/$1')
  .replace(/<!--/g, '<\\!--');
const style = read('src/style.css').trim();

// The licences of the packages in the script ask to be part of each copy.
const packages = new Set(
  Object.keys(bundled.metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
);
const licenses = [...packages].sort().map((name) => {
  const file = readdirSync(new URL(`node_modules/${name}/`, here)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name}: no license file (add its license to the page)`);
  const text = read(`node_modules/${name}/${file}`).trim();
  if (/<\/script|<!--/i.test(text)) throw new Error(`${name}: its license cannot be part of the page`);
  return `${name}\n\n${text}`;
});

const sha256 = (data, encoding = 'base64') => createHash('sha256').update(data).digest(encoding);
// The editor adds its styles with a nonce. It protects nothing on a static page, and only styles accept it.
const nonce = sha256(script, 'hex').slice(0, 16);
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${sha256(script)}' 'wasm-unsafe-eval'`,
  `style-src 'sha256-${sha256(style)}' 'nonce-${nonce}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const parts = { policy, nonce, style, script, module: packed, licenses: licenses.join('\n\n---\n\n') };
const page = read('src/index.html').replace(/\{\{(\w+)\}\}/g, (_, name) => {
  if (parts[name] === undefined) throw new Error(`src/index.html: unknown part ${name}`);
  return parts[name];
});
mkdirSync(new URL('dist/', here), { recursive: true });
writeFileSync(new URL('dist/index.html', here), page);

const size = (data) => `${(data.length / 1000).toFixed(0)} KB`;
const zipped = (data) => `${size(Buffer.from(data))}, ${size(gzipSync(data, { level: 9 }))} with gzip`;
console.log(`page: ${zipped(page)}; module: ${zipped(wasm)}; script: ${zipped(script)}; style: ${zipped(style)}`);
