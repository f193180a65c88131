// The WebAssembly module: its instances, its memory and its errors.

/** The functions of the C interface, `crates/abi`, as the module has them. Addresses and lengths are numbers. */
interface Exports {
  memory: WebAssembly.Memory;
  robomata_abi_version(): number;
  robomata_allocate(length: number): number;
  robomata_deallocate(address: number, length: number): void;
  robomata_last_error(text: number, length: number): void;
  robomata_robots_parse_within(
    body: number, length: number, dialect: number, status: number, limit: number, out: number,
  ): number;
  robomata_robots_free(robots: number): void;
  robomata_rules_new(robots: number, agent: number, length: number, out: number): number;
  robomata_rules_free(rules: number): void;
  robomata_check(rules: number, url: number, length: number, out: number): number;
  robomata_check_batch(
    rules: number, urls: number, length: number, offsets: number, count: number, out: number,
  ): number;
  robomata_explain(rules: number, url: number, length: number, out: number): number;
  robomata_summary(robots: number, agent: number, length: number, out: number): number;
  robomata_changes(older: number, newer: number, agent: number, length: number, out: number): number;
  robomata_lint_within(body: number, length: number, dialect: number, limit: number, out: number): number;
  robomata_permissions?(
    robots: number, agent: number, agentLength: number, url: number, urlLength: number, now: bigint, out: number,
  ): number;
  robomata_page_permissions?(
    robots: number, agent: number, agentLength: number, url: number, urlLength: number, headers: number,
    headersLength: number, page: number, pageLength: number, now: bigint, out: number,
  ): number;
  robomata_drawing?(rules: number, url: number, length: number, out: number): number;
  robomata_standing?(situation: number, length: number, out: number): number;
  robomata_expectations?(robots: number, expectations: number, length: number, out: number): number;
  robomata_text_data(text: number): number;
  robomata_text_length(text: number): number;
  robomata_text_free(text: number): void;
}

const ABI_VERSION = 1;

/** A function that only larger modules have, such as that of `from`. */
export function full<N extends keyof Exports>(
  exports: Exports, name: N, from = 'robomata/playground',
): NonNullable<Exports[N]> {
  const call = exports[name];
  if (call === undefined) throw new TypeError(`${name}: not in this module (use that of '${from}')`);
  return call;
}

/** The texts that the module reads: strings, and bytes in UTF-8. */
export type Text = string | Uint8Array;

/** The kind of an error. */
export type ErrorCode = 'argument' | 'agent' | 'freed' | 'trap' | 'internal';

const CODES: Record<number, ErrorCode> = { [-2]: 'argument', [-3]: 'agent' };

/** A call failed. */
export class RobomataError extends Error {
  override readonly name = 'RobomataError';

  constructor(
    /** The kind of the error. */
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Whether an array or a view is empty because its buffer was transferred or became shorter, which `length` does not say. */
export function isDetached(view: object): boolean {
  if (!ArrayBuffer.isView(view)) return false;
  try {
    Uint8Array.prototype.at.call(view, 0);
    return false;
  } catch {
    return true;
  }
}

/** The bytes of a text. A lone surrogate becomes U+FFFD, as everywhere on the web. */
export function bytesOf(text: Text, name: string): Uint8Array {
  if (typeof text === 'string') return encoder.encode(text);
  if (!(text instanceof Uint8Array)) throw new TypeError(`${name}: expected a string or a Uint8Array`);
  if (text.length === 0 && isDetached(text)) throw new TypeError(`${name}: its buffer was transferred (copy it before)`);
  return text;
}

/** Bytes of the scratch memory before its text: two results of four bytes each, twice. */
const RESULTS = 16;
/** Place for the text of one URL. Longer ones get memory of their own. */
const TEXT = 16 * 1024;

/** Place for the URLs of a part of a batch, for their number, and for the characters that always fit. */
const BATCH_BYTES = 384 * 1024;
export const BATCH_COUNT = 4096;
export const BATCH_UNITS = BATCH_BYTES / 3;

/** Memory for parts of batches: addresses, and a view of the URLs. */
export interface BatchMemory {
  readonly urls: number;
  readonly offsets: number;
  readonly verdicts: number;
  text: Uint8Array;
}

/** An instance of the module: a memory, and what is in it. */
export class Instance {
  readonly exports: Exports;
  /** The memory. Both views are replaced when it grows. */
  bytes = new Uint8Array(0);
  words = new Uint32Array(0);
  /** The address of the results, before the text. */
  readonly results: number;
  /** The bytes of robots.txt files that are in use here, which the memory grows with, and `OBJECT_SIZE` for each object. */
  used = 0;
  /** @internal Frees what nothing refers to. One registry for all instances would refer to every instance that holds something. */
  readonly registry = new FinalizationRegistry<Resource>((resource) => {
    try {
      release(resource);
    } catch {
      // A trap: the instance is marked as lost, and the next use of it throws the error.
    }
  });
  #text = new Uint8Array(0);
  #batch: BatchMemory | undefined;
  #trap: unknown;

  constructor(module: WebAssembly.Module) {
    this.exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    if (this.exports.robomata_abi_version?.() !== ABI_VERSION) {
      throw new RobomataError('argument', `module: expected a module of robomata with interface ${ABI_VERSION}`);
    }
    this.results = this.allocate(RESULTS + TEXT);
    this.refresh();
  }

  /** Makes views of the memory as it is now. */
  refresh(): void {
    const { buffer } = this.exports.memory;
    this.bytes = new Uint8Array(buffer);
    this.words = new Uint32Array(buffer);
    this.#text = this.bytes.subarray(this.text, this.text + TEXT);
    if (this.#batch) this.#batch.text = this.bytes.subarray(this.#batch.urls, this.#batch.urls + BATCH_BYTES);
  }

  /** Whether a call trapped before. */
  get isLost(): boolean {
    return this.#trap !== undefined;
  }

  /** Refuses an instance that was lost. */
  assertUsable(): void {
    if (this.#trap !== undefined) {
      const why = this.#trap instanceof Error ? this.#trap.message : String(this.#trap);
      throw new RobomataError('trap', `the WebAssembly instance was discarded after a trap: ${why} (parse again)`, {
        cause: this.#trap,
      });
    }
  }

  /** Discards the instance. After a trap, the memory is in an unknown state. */
  lose(error: unknown): never {
    this.#trap = error ?? 'unknown';
    return this.assertUsable() as never;
  }

  /** Calls a function of the module that cannot fail. */
  run<T>(call: (exports: Exports) => T): T {
    this.assertUsable();
    let result;
    try {
      result = call(this.exports);
    } catch (error) {
      this.lose(error);
    }
    if (this.bytes.length === 0) this.refresh();
    return result as T;
  }

  /** Calls a function that returns a code. Throws for a failure. */
  attempt(call: (exports: Exports) => number): void {
    const code = this.run(call);
    if (code !== 0) this.fail(code);
  }

  /** Throws the error of the last call. */
  fail(code: number): never {
    this.run((exports) => exports.robomata_last_error(this.results, this.results + 4));
    throw new RobomataError(CODES[code] ?? 'internal', this.#read(this.word(0), this.word(1)));
  }

  /** A result: the nth word of the scratch memory. */
  word(index: number): number {
    return this.words[(this.results >> 2) + index] ?? 0;
  }

  allocate(length: number): number {
    const address = this.run((exports) => exports.robomata_allocate(length));
    if (address === 0) throw new RobomataError('internal', `no memory for ${length} bytes`);
    return address >>> 0;
  }

  free(address: number, length: number): void {
    this.run((exports) => exports.robomata_deallocate(address, length));
  }

  /** Calls with the address and the length of bytes that the module may read. */
  with<T>(bytes: Uint8Array, call: (address: number, length: number) => T): T {
    const address = this.allocate(bytes.length);
    this.bytes.set(bytes, address);
    try {
      return call(address, bytes.length);
    } finally {
      if (!this.isLost) this.free(address, bytes.length);
    }
  }

  /** Copies a text to the scratch memory, after the results. Returns its length, or -1 if it is too long. */
  copy(text: Text): number {
    if (typeof text !== 'string') {
      const bytes = bytesOf(text, 'url');
      if (bytes.length > TEXT) return -1;
      this.#text.set(bytes);
      return bytes.length;
    }
    const { length } = text;
    if (length * 3 > TEXT) return -1;
    return encoder.encodeInto(text, this.#text).written;
  }

  get text(): number {
    return this.results + RESULTS;
  }

  /** The memory for parts of batches. */
  get batch(): BatchMemory {
    if (this.#batch === undefined) {
      const urls = this.allocate(BATCH_BYTES);
      const offsets = this.allocate((BATCH_COUNT + 1) * 4);
      this.#batch = { urls, offsets, verdicts: this.allocate(BATCH_COUNT * 8), text: this.bytes };
      this.refresh();
    }
    return this.#batch;
  }

  /** The object that a call wrote as JSON. */
  json(call: (exports: Exports, out: number) => number): unknown {
    this.attempt((exports) => call(exports, this.results));
    const text = this.word(0);
    const address = this.run((exports) => exports.robomata_text_data(text));
    const length = this.run((exports) => exports.robomata_text_length(text));
    const json = this.#read(address, length);
    this.run((exports) => exports.robomata_text_free(text));
    return JSON.parse(json);
  }

  #read(address: number, length: number): string {
    return decoder.decode(this.bytes.subarray(address >>> 0, (address >>> 0) + length));
  }
}

/** What is in an instance until it is freed. */
interface Resource {
  readonly instance: Instance;
  readonly free: 'robomata_robots_free' | 'robomata_rules_free';
  readonly size: number;
  /** The robots.txt of rules. */
  readonly origin: Resource | undefined;
  /** The rules of a robots.txt that are not freed yet. */
  readonly rules: Set<Resource>;
  /** 0 once it is freed. */
  handle: number;
}

function release(resource: Resource): void {
  const { instance, free, size, origin, handle } = resource;
  if (handle === 0) return;
  resource.handle = 0;
  origin?.rules.delete(resource);
  if (instance.isLost) return;
  instance.used -= size;
  instance.run((exports) => exports[free](handle));
}

/** Something in the memory of an instance. It is freed by hand, or some time after the last reference to it. */
export class Handle {
  readonly instance: Instance;
  readonly #resource: Resource;

  constructor(instance: Instance, free: Resource['free'], handle: number, size: number, origin?: Handle) {
    this.instance = instance;
    this.#resource = { instance, free, handle, size, origin: origin && origin.#resource, rules: new Set() };
    this.#resource.origin?.rules.add(this.#resource);
    instance.used += size;
    // The token lets `free` take the resource back, so that freed ones do not pile up in a loop.
    instance.registry.register(this, this.#resource, this.#resource);
  }

  get address(): number {
    if (this.isFreed) throw new RobomataError('freed', 'was used after free()');
    return this.#resource.handle;
  }

  get isFreed(): boolean {
    return this.#resource.handle === 0;
  }

  get size(): number {
    return this.#resource.size;
  }

  /** Frees it. A robots.txt frees its rules, too. */
  free(): void {
    for (const resource of [...this.#resource.rules, this.#resource]) {
      this.instance.registry.unregister(resource);
      release(resource);
    }
  }
}

/** What each object counts in addition to the bytes of its file: thousands of objects with tiny files use memory, too. */
export const OBJECT_SIZE = 4096;

/**
 * Bytes that one instance holds, as `used` counts them. Then another one takes over, and an instance is collected as a whole
 * when nothing refers to it. A loop that never lets finalizers run therefore has bounded memory, too. A WeakRef would undo
 * this: what it refers to is kept until the loop ends.
 */
const INSTANCE_LIMIT = 8 * 1024 * 1024;

/** A module, and the instance that is in use. */
export class Engine {
  readonly #source: () => Uint8Array | WebAssembly.Module;
  #module: WebAssembly.Module | undefined;
  #instance: Instance | undefined;

  constructor(source: () => Uint8Array | WebAssembly.Module) {
    this.#source = source;
  }

  /** The instance for new objects. The first call compiles the module. */
  get instance(): Instance {
    if (this.#instance === undefined || this.#instance.isLost || this.#instance.used > INSTANCE_LIMIT) {
      this.#module ??= compiled(this.#source());
      this.#instance = new Instance(this.#module);
    }
    return this.#instance;
  }
}

function compiled(source: Uint8Array | WebAssembly.Module): WebAssembly.Module {
  return source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source as BufferSource);
}
