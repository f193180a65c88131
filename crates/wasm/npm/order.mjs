// Orders the functions of a module so that similar ones are next to each other: order.mjs MODULE OUTPUT. gzip finds a repetition
// only within 32 KB, and instances of one generic function are often further apart. It only names the functions by their places;
// `wasm-opt --reorder-functions-by-name` moves them.
import { readFileSync, writeFileSync } from 'node:fs';

const [CUSTOM, IMPORT, CODE] = [0, 2, 10];
/** Functions are similar if they have many sequences of this many bytes in common. */
const SEQUENCE = 6;
/** Sequences in more functions than this say nothing. */
const COMMON = 100;
/** A function is compared with this many functions before it. */
const BEFORE = 8;
/** Makes small functions less similar than large ones with the same share of common sequences. */
const SMALL = 60;

const [path, output] = process.argv.slice(2);
const module = readFileSync(path);
const HEADER = 8;

/** Reads a LEB128 number. Returns it, and where it ends. */
function number(at) {
  let [value, shift] = [0, 0];
  for (;;) {
    const byte = module[at++];
    value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte < 0x80) return [value >>> 0, at];
  }
}

/** The bytes of a LEB128 number. */
function leb(value) {
  const bytes = [];
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

function sections() {
  const found = [];
  for (let at = HEADER; at < module.length; ) {
    const [length, start] = number(at + 1);
    found.push({ id: module[at], start, end: start + length });
    at = start + length;
  }
  return found;
}

function bodies({ start }) {
  const found = [];
  let [count, at] = number(start);
  for (; count > 0; count -= 1) {
    const [length, from] = number(at);
    at = from + length;
    found.push(module.subarray(from, at));
  }
  return found;
}

function sequences(body) {
  const found = new Set();
  for (let at = 0; at + SEQUENCE <= body.length; at += 1) {
    let hash = 0;
    for (let index = 0; index < SEQUENCE; index += 1) hash = (Math.imul(hash, 31) + body[at + index]) | 0;
    found.add(hash);
  }
  return found;
}

/** The numbers of the functions: each time the one that is most similar to those before it. */
function order(functions) {
  const contents = functions.map(sequences);
  const owners = new Map();
  for (const [index, content] of contents.entries()) {
    for (const hash of content) {
      const list = owners.get(hash);
      if (list) list.push(index);
      else owners.set(hash, [index]);
    }
  }
  const bySize = [...functions.keys()].sort((a, b) => functions[b].length - functions[a].length || a - b);
  const left = new Set(bySize);
  const ordered = [];
  while (left.size > 0) {
    const common = new Map();
    for (const hash of new Set(ordered.slice(-BEFORE).flatMap((index) => [...contents[index]]))) {
      const list = owners.get(hash);
      if (list.length > COMMON) continue;
      for (const index of list) if (left.has(index)) common.set(index, (common.get(index) ?? 0) + 1);
    }
    // The first function, and one without similar ones before it, is the largest one.
    let [best, [next]] = [0, left];
    for (const [index, count] of common) {
      const similarity = count / (contents[index].size + SMALL);
      if (similarity > best) [best, next] = [similarity, index];
    }
    ordered.push(next);
    left.delete(next);
  }
  return ordered;
}

/** The section with a name for each function, in alphabetical order of their places. */
function nameSection(ordered) {
  const text = (string) => Buffer.concat([leb(string.length), Buffer.from(string)]);
  const names = [];
  for (const [place, index] of ordered.entries()) {
    names[index] = Buffer.concat([leb(index), text(String(place).padStart(8, '0'))]);
  }
  const functions = Buffer.concat([leb(names.length), ...names]);
  const content = Buffer.concat([text('name'), Buffer.from([1]), leb(functions.length), functions]);
  return Buffer.concat([Buffer.from([CUSTOM]), leb(content.length), content]);
}

const all = sections();
if (all.some(({ id }) => id === IMPORT)) throw new Error(`${path}: expected a module without imports`);
const code = all.find(({ id }) => id === CODE);
const kept = all.filter(({ id }) => id !== CUSTOM).map(({ id, start, end }) =>
  Buffer.concat([Buffer.from([id]), leb(end - start), module.subarray(start, end)]));
writeFileSync(output, Buffer.concat([module.subarray(0, HEADER), ...kept, nameSection(order(bodies(code)))]));
