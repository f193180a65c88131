// The editor of a robots.txt: colours, counts in the gutter, findings and their fixes. It shows; it decides nothing.

import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { nextDiagnostic, previousDiagnostic, setDiagnostics } from '@codemirror/lint';
import type { Diagnostic } from '@codemirror/lint';
import { EditorState, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  GutterMarker,
  ViewPlugin,
  drawSelection,
  gutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { DecorationSet, KeyBinding, ViewUpdate } from '@codemirror/view';
import { data, h, plural } from './dom.js';

/** What the page knows of the lines, by their number. */
interface Facts {
  /** How many URLs each line decides. */
  counts: Uint32Array;
  /** The lines that are proved never to decide. */
  idle: ReadonlySet<number>;
  /** The lines that decide the URL at hand. */
  marked: ReadonlySet<number>;
}

const change = StateEffect.define<Partial<Facts>>();

const facts = StateField.define<Facts>({
  create: () => ({ counts: new Uint32Array(0), idle: new Set(), marked: new Set() }),
  update: (value, transaction) =>
    transaction.effects.reduce((known, effect) => (effect.is(change) ? { ...known, ...effect.value } : known), value),
});

class Count extends GutterMarker {
  constructor(
    readonly text: string,
    override readonly elementClass: string,
  ) {
    super();
  }

  override eq(other: Count): boolean {
    return other.text === this.text;
  }

  override toDOM(): Node {
    return document.createTextNode(this.text);
  }
}

const counts = gutter({
  class: 'counts',
  renderEmptyElements: true,
  lineMarker: (view, block) => {
    const { number } = view.state.doc.lineAt(block.from);
    const known = view.state.field(facts);
    if (known.idle.has(number)) return new Count('never', 'never');
    const count = known.counts[number] ?? 0;
    return count > 0 ? new Count(count.toLocaleString('en'), '') : null;
  },
  lineMarkerChange: ({ startState, state }) => startState.field(facts) !== state.field(facts),
  initialSpacer: () => new Count('10,000', ''),
});

const KINDS: Record<string, string> = { 'user-agent': 'agent', allow: 'allow', disallow: 'disallow' };
/** Longer lines stay plain. */
const LONGEST = 5000;
const mark = (name: string): Decoration => Decoration.mark({ class: name });
const [comment, key] = [mark('comment'), mark('key')];
const values: Record<string, Decoration> = { agent: mark('agent'), allow: mark('allow'), disallow: mark('disallow') };
const other = mark('value');
const [idleLine, markedLine] = ['idle', 'marked'].map((name) => Decoration.line({ class: name })) as [
  Decoration,
  Decoration,
];

/** Keys for findings, besides those of every editor. The tabulator moves the focus. */
const keys: readonly KeyBinding[] = [
  { key: 'F8', run: nextDiagnostic },
  { key: 'Shift-F8', run: previousDiagnostic },
  ...standardKeymap,
  ...historyKeymap,
];

/** Colours the lines that are in view. */
function colours(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const known = view.state.field(facts);
  /** Marks a part of a line, without the space around it. */
  const add = (start: number, text: string, from: number, to: number, decoration: Decoration): void => {
    const part = text.slice(from, to);
    const first = from + part.length - part.trimStart().length;
    const last = from + part.trimEnd().length;
    if (first < last) builder.add(start + first, start + last, decoration);
  };
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      at = line.to + 1;
      const isIdle = known.idle.has(line.number);
      if (known.marked.has(line.number)) builder.add(line.from, line.from, markedLine);
      if (isIdle) builder.add(line.from, line.from, idleLine);
      if (isIdle || line.length > LONGEST) continue;
      const { text } = line;
      const hash = text.indexOf('#');
      const end = hash < 0 ? text.length : hash;
      const colon = text.slice(0, end).indexOf(':');
      if (colon >= 0) {
        add(line.from, text, 0, colon, key);
        const name = text.slice(0, colon).trim().toLowerCase();
        add(line.from, text, colon + 1, end, values[KINDS[name] ?? ''] ?? other);
      }
      if (hash >= 0) builder.add(line.from + hash, line.to, comment);
    }
  }
  return builder.finish();
}

const colouring = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = colours(view);
    }

    update(update: ViewUpdate): void {
      const isOther = update.startState.field(facts) !== update.state.field(facts);
      if (update.docChanged || update.viewportChanged || isOther) this.decorations = colours(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

export interface EditorOptions {
  parent: HTMLElement;
  label: string;
  /** The nonce of the style sheet that the editor adds. */
  nonce: string;
  changed(text: string): void;
  /** The cursor is on another line. */
  moved?(line: number): void;
  /** The first URLs that a line decides, and how many they are. */
  urlsOf?(line: number): { urls: string[]; count: number };
}

const MOST_DIAGNOSTICS = 1000;

export class Editor {
  readonly view: EditorView;

  constructor(readonly options: EditorOptions) {
    const { parent, moved, urlsOf } = options;
    let line = 0;
    const listener = EditorView.updateListener.of((update) => {
      if (update.docChanged) options.changed(this.text);
      const { number } = update.state.doc.lineAt(update.state.selection.main.head);
      if (number !== line || update.docChanged) moved?.((line = number));
    });
    const hover =
      urlsOf &&
      hoverTooltip((view, position) => {
        const { from, number } = view.state.doc.lineAt(position);
        const { urls, count } = urlsOf(number);
        if (count === 0) return null;
        const items = urls.map((url) => h('li', {}, data(url)));
        const rest = count > urls.length && h('p', {}, `and ${(count - urls.length).toLocaleString('en')} more`);
        const dom = h(
          'div',
          { class: 'urls-of-line' },
          h('p', {}, `Decides ${plural(count, 'URL')}`),
          h('ul', {}, ...items),
          rest,
        );
        return { pos: from, above: false, create: () => ({ dom }) };
      });
    const extensions: Extension[] = [
      facts,
      lineNumbers(),
      urlsOf ? counts : [],
      colouring,
      history(),
      drawSelection(),
      highlightSpecialChars(),
      hover ?? [],
      keymap.of(keys),
      EditorView.contentAttributes.of({
        'aria-label': options.label,
        spellcheck: 'false',
        autocapitalize: 'off',
        tabindex: '0',
      }),
      EditorView.cspNonce.of(options.nonce),
      EditorView.perLineTextDirection.of(false),
      listener,
    ];
    this.view = new EditorView({ parent, state: EditorState.create({ extensions }) });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  show(known: Partial<Facts>): void {
    this.view.dispatch({ effects: change.of(known) });
  }

  /** Underlines findings. */
  underline(diagnostics: readonly Diagnostic[]): void {
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics.slice(0, MOST_DIAGNOSTICS)));
  }

  goTo(line: number): void {
    const { doc } = this.view.state;
    if (line < 1 || line > doc.lines) return;
    const { from } = doc.line(line);
    this.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    this.view.focus();
  }
}
