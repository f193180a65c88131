// Writes a module as a JavaScript string in which each character is a byte: module-text.mjs MODULE FOLDER NAME.
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const [path, folder, name] = process.argv.slice(2);
const bytes = readFileSync(path);
const escapes = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r' };
const text = `"${bytes.toString('latin1').replace(/["\\\n\r]/g, (character) => escapes[character])}"`;
writeFileSync(`${folder}/esm/${name}.wasm.js`, `export default ${text};\n`);
writeFileSync(`${folder}/cjs/${name}.wasm.js`, `exports.default = ${text};\n`);
const size = (data) => `${(data.length / 1000).toFixed(0)} KB`;
const zipped = (data) => size(gzipSync(data, { level: 9 }));
console.log(`${name}: ${size(bytes)}, ${zipped(bytes)} with gzip, ${zipped(text)} as JavaScript`);
