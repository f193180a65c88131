// Gives the inputs of the fuzz target `abi` to the WebAssembly module: `node replay.mjs work/abi`, after a build of the npm
// package. Makes the same calls as `fuzz_targets/abi.rs`, but those with bundles, which the module does not have. In the
// module every panic is a trap, and a trap ends this program with exit code 1.

import { readFileSync, readdirSync } from 'node:fs';

const FIELD = 0x1f;
const ITEM = 0x1e;
const OK = 0;
const INTERNAL = -5;
const STATUSES = [200, 404, 503, 0, 1000, 301, 70_000];
const LIMITS = [0, 512_000, 511_999, 0xffff_ffff];

const NOW = 1_800_000_000n;

const [folder = 'work/abi', dist = '../../crates/wasm/npm/dist'] = process.argv.slice(2);
const { default: text } = await import(new URL(`${dist}/esm/permissions.wasm.js`, import.meta.url));
const module = new WebAssembly.Module(Uint8Array.from(text, (character) => character.charCodeAt(0)));

/** The parts of `bytes` between separators. */
function split(bytes, separator) {
  const parts = [];
  for (let start = 0; ;) {
    const end = bytes.indexOf(separator, start);
    parts.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    if (end < 0) return parts;
    start = end + 1;
  }
}

class Caller {
  robots = [];
  rules = [];
  #allocated = [];

  constructor(texts) {
    this.texts = texts;
    this.module = new WebAssembly.Instance(module).exports;
  }

  /** Memory of its own for some bytes: its address. */
  place(length) {
    const address = this.module.robomata_allocate(length);
    if (address === 0) throw new Error(`no memory for ${length} bytes`);
    this.#allocated.push([address, length]);
    return address;
  }

  text(number) {
    const bytes = this.texts[number % Math.max(this.texts.length, 1)] ?? new Uint8Array();
    const address = this.place(bytes.length);
    new Uint8Array(this.module.memory.buffer).set(bytes, address);
    return [address, bytes.length, bytes];
  }

  one(objects, number) {
    return objects[number % Math.max(objects.length, 1)] ?? 0;
  }

  word(address) {
    return new DataView(this.module.memory.buffer).getUint32(address, true);
  }

  call([fn, first, second]) {
    const { module } = this;
    const out = this.place(16);
    const limit = LIMITS[fn >> 6];
    new Uint8Array(module.memory.buffer).fill(0, out, out + 16);
    const [data, length, bytes] = this.text(first);
    const robots = this.one(this.robots, second);
    const rules = this.one(this.rules, second);
    let code = OK;
    let hasText = false;
    switch (fn % 16) {
      case 0:
      case 1: {
        const status = STATUSES[Math.floor(second / 6) % 7];
        code = fn % 16 === 0
          ? module.robomata_robots_parse(data, length, second % 6, status, out)
          : module.robomata_robots_parse_within(data, length, second % 6, status, limit, out);
        if (code === OK) this.robots.push(this.word(out));
        break;
      }
      case 2:
      case 3:
        code = module.robomata_rules_new(robots, data, length, out);
        if (code === OK) this.rules.push(this.word(out));
        break;
      case 4:
        code = module.robomata_check(rules, data, length, out);
        break;
      case 5:
        code = module.robomata_check_any_text(rules, data, length, out);
        break;
      case 6:
        code = this.checkBatch(rules, data, bytes, second);
        break;
      case 7:
        code = module.robomata_explain(rules, data, length, out);
        hasText = true;
        break;
      case 8:
        code = module.robomata_summary(robots, data, length, out);
        hasText = true;
        break;
      case 9:
        code = module.robomata_changes(robots, this.one(this.robots, second >> 4), data, length, out);
        hasText = true;
        break;
      case 10:
        code = module.robomata_lint_within(data, length, second % 6, limit, out);
        hasText = true;
        break;
      case 11: {
        const [url, urlLength] = this.text(second >> 4);
        code = module.robomata_permissions(this.one(this.robots, second % 16), data, length, url, urlLength, NOW, out);
        hasText = true;
        break;
      }
      case 14:
        if (this.robots.length > 0) module.robomata_robots_free(this.#take(this.robots, first));
        break;
      case 15:
        if (this.rules.length > 0) module.robomata_rules_free(this.#take(this.rules, first));
        break;
      default:
    }
    if (code === INTERNAL) throw new Error('a mistake in the library');
    if (hasText && code === OK) {
      const text = this.word(out);
      const address = module.robomata_text_data(text);
      const bytes = new Uint8Array(module.memory.buffer, address, module.robomata_text_length(text));
      JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      module.robomata_text_free(text);
    }
    for (const [address, length] of this.#allocated.splice(0)) module.robomata_deallocate(address, length);
  }

  checkBatch(rules, data, bytes, second) {
    const offsets = [0];
    for (const item of split(bytes, ITEM).slice(0, 16)) {
      offsets.push(Math.min(offsets.at(-1) + item.length, bytes.length));
    }
    if (second & 0x80) offsets[(second & 7) % offsets.length] -= second & 0x38;
    const count = offsets.length - 1;
    const address = this.place(4 * offsets.length);
    const verdicts = this.place(8 * count);
    new Uint32Array(this.module.memory.buffer, address, offsets.length).set(offsets);
    return this.module.robomata_check_batch(rules, data, bytes.length, address, count, verdicts);
  }

  #take(objects, number) {
    const index = number % objects.length;
    const taken = objects[index];
    const last = objects.pop();
    if (index < objects.length) objects[index] = last;
    return taken;
  }
}

let count = 0;
for (const name of readdirSync(folder)) {
  const input = readFileSync(`${folder}/${name}`);
  const [calls, ...texts] = split(input, FIELD);
  const caller = new Caller(texts.slice(0, 16));
  try {
    for (let at = 0; at + 3 <= Math.min(calls.length, 96); at += 3) caller.call(calls.subarray(at, at + 3));
    for (const robots of caller.robots) caller.module.robomata_robots_free(robots);
    for (const rules of caller.rules) caller.module.robomata_rules_free(rules);
  } catch (error) {
    console.error(`${folder}/${name}: ${error.stack}`);
    process.exit(1);
  }
  count += 1;
}
console.log(`${count} inputs, no trap`);
