// A table of which only the rows in view are elements.

import { fill, h } from './dom.js';

const ROW = 26;
const EXTRA = 8;
/** Widths of columns and the gaps between them, in pixels. */
const [FIRST, OTHER, GAP] = [200, 146, 12];

export interface GridOptions {
  element: HTMLElement;
  /** The cells of a row. */
  cells(index: number): Node[];
  /** A row is hovered or reached by key. */
  reached(index: number): void;
}

/** Shows rows by their index. The element has the role grid, takes the focus and scrolls. */
export class Grid {
  readonly #options: GridOptions;
  readonly #head = h('div', { role: 'rowgroup', class: 'head' });
  readonly #body = h('div', { role: 'rowgroup', class: 'rows' });
  /** The rows to show; null for all, in order. */
  #rows: Uint32Array | null = null;
  #length = 0;
  #active = -1;

  constructor(options: GridOptions) {
    this.#options = options;
    const { element } = options;
    fill(element, this.#head, this.#body);
    let isPlanned = false;
    element.addEventListener('scroll', () => {
      if (isPlanned) return;
      isPlanned = true;
      requestAnimationFrame(() => {
        isPlanned = false;
        this.#render();
      });
    });
    new ResizeObserver(() => this.#render()).observe(element);
    element.addEventListener('keydown', (event) => this.#key(event));
    element.addEventListener('focus', () => this.#active < 0 && this.length > 0 && this.#reach(0));
    let last = '';
    this.#body.addEventListener('pointermove', ({ target, screenX, screenY }) => {
      // Rows also move below a pointer that rests, and then nothing is hovered.
      const place = `${screenX} ${screenY}`;
      if (place === last) return;
      last = place;
      const row = (target as Element).closest<HTMLElement>('[data-row]');
      if (row) this.#reach(Number(row.dataset['row']), false);
    });
  }

  get length(): number {
    return this.#rows?.length ?? this.#length;
  }

  /** The titles of the columns: a wide one, and others. */
  columns(titles: readonly Node[], others: number): void {
    const { style } = this.#options.element;
    style.setProperty('--columns', `minmax(0, 1fr) repeat(${others}, ${OTHER}px)`);
    style.setProperty('--least', `${FIRST + others * (OTHER + GAP) + 2 * GAP}px`);
    const cells = titles.map((title) => h('div', { role: 'columnheader' }, title));
    fill(this.#head, h('div', { role: 'row', 'aria-rowindex': 1 }, ...cells));
  }

  rows(length: number, rows: Uint32Array | null): void {
    this.#length = length;
    this.#rows = rows;
    const { element } = this.#options;
    element.setAttribute('aria-rowcount', String(this.length + 1));
    this.#body.style.height = `${this.length * ROW}px`;
    if (this.#active >= this.length) this.#active = -1;
    this.#render();
  }

  #render(): void {
    const { element, cells } = this.#options;
    const first = Math.max(0, Math.floor(element.scrollTop / ROW) - EXTRA);
    const last = Math.min(this.length, Math.ceil((element.scrollTop + element.clientHeight) / ROW) + EXTRA);
    const rows = [];
    for (let row = first; row < last; row += 1) {
      const attributes = {
        role: 'row',
        id: `row-${row}`,
        'data-row': row,
        'aria-rowindex': row + 2,
        'aria-selected': String(row === this.#active),
      };
      const element = h('div', attributes, ...cells(this.#at(row)).map((cell) => h('div', { role: 'gridcell' }, cell)));
      element.style.top = `${row * ROW}px`;
      rows.push(element);
    }
    fill(this.#body, ...rows);
    this.#describe();
  }

  #at(row: number): number {
    return this.#rows?.[row] ?? row;
  }

  #describe(): void {
    const { element } = this.#options;
    if (document.getElementById(`row-${this.#active}`))
      element.setAttribute('aria-activedescendant', `row-${this.#active}`);
    else element.removeAttribute('aria-activedescendant');
  }

  #reach(row: number, scrolls = true): void {
    if (row === this.#active) return;
    document.getElementById(`row-${this.#active}`)?.setAttribute('aria-selected', 'false');
    this.#active = row;
    const { element } = this.#options;
    if (scrolls) {
      const [top, room] = [row * ROW, element.clientHeight - this.#head.offsetHeight - ROW];
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top > element.scrollTop + room) element.scrollTop = top - room;
      this.#render();
    }
    document.getElementById(`row-${row}`)?.setAttribute('aria-selected', 'true');
    this.#describe();
    this.#options.reached(this.#at(row));
  }

  #key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.#options.element.clientHeight / ROW) - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || this.length === 0) return;
    event.preventDefault();
    this.#reach(Math.min(this.length - 1, Math.max(0, this.#active + step)));
  }
}
