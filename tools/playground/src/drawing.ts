// Draws the automaton of a crawler as SVG, and the walk of a URL through it.

import type { Drawing } from './engine.js';
import { shown } from './dom.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Pixels of a row, of a character, of what a label needs besides its text, and of the margin. */
const [ROW, CHARACTER, ROOM, MARGIN] = [32, 7.3, 32, 18];
const LONGEST = 28;
const RADIUS = 5;

type Attributes = Record<string, string | number>;

function s(tag: string, attributes: Attributes, ...children: (Node | string)[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

function cut(text: string): string {
  const clean = shown(text);
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST - 1)}…` : clean;
}

interface Place {
  depth: number;
  row: number;
}

type Edge = Drawing['edges'][number];

/** Places the nodes: each below the first that leads to it, as a tree. Returns the places and the edges of the tree. */
function layOut({ nodes, edges }: Drawing): { places: Map<string, Place>; tree: Set<Edge> } {
  const out = new Map<string, Edge[]>();
  const reached = new Set<string>();
  for (const edge of edges) {
    if (edge.kind === 'fails') continue;
    const all = out.get(edge.from);
    if (all) all.push(edge);
    else out.set(edge.from, [edge]);
    if (edge.from !== edge.to) reached.add(edge.to);
  }
  const places = new Map<string, Place>();
  const tree = new Set<Edge>();
  let row = 0;
  // Without recursion: files decide how deep the tree is.
  const place = (root: string): void => {
    if (places.has(root)) return;
    const stack = [{ id: root, depth: 0, edge: undefined as Edge | undefined }];
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { id, depth, edge } = next;
      if (places.has(id)) continue;
      if (edge) tree.add(edge);
      places.set(id, { depth, row });
      const children = (out.get(id) ?? []).filter(({ to }) => !places.has(to));
      if (children.length === 0) row += 1;
      for (const child of children.toReversed()) stack.push({ id: child.to, depth: depth + 1, edge: child });
    }
  };
  for (const { id } of nodes) if (!reached.has(id)) place(id);
  for (const { id } of nodes) place(id);
  return { places, tree };
}

type DrawnNode = Drawing['nodes'][number];

/** The rules of a node, and what else it says. */
function labelOf({ rule, end_rule, label }: DrawnNode, lineName: (line: number) => string): string {
  const parts = [rule && lineName(rule.line), end_rule && `$ ${lineName(end_rule.line)}`, label.replace(/\n/g, ' ')];
  return parts.filter((part) => part !== null && part !== '').join(', ');
}

/** The picture of an automaton, as a tree from left to right. Nodes and edges of the walk are marked. */
export function picture(drawing: Drawing, label: string, lineName: (line: number) => string): SVGElement {
  const { places, tree } = layOut(drawing);
  const depthOf = (id: string): number => places.get(id)?.depth ?? 0;
  // The room between a column and the next: for labels of edges to the next, and of nodes.
  const rooms: number[] = [];
  const widen = (depth: number, text: string): void => {
    rooms[depth] = Math.max(rooms[depth] ?? ROOM, cut(text).length * CHARACTER + ROOM);
  };
  for (const edge of tree) widen(depthOf(edge.from), edge.label);
  const labels = new Map(drawing.nodes.map((node) => [node.id, labelOf(node, lineName)]));
  for (const [id, text] of labels) widen(depthOf(id), text);
  const left = [MARGIN];
  rooms.forEach((room, depth) => (left[depth + 1] = (left[depth] ?? MARGIN) + room));
  const x = (id: string): number => left[depthOf(id)] ?? MARGIN;
  const y = (id: string): number => MARGIN + (places.get(id)?.row ?? 0) * ROW;
  const visited = new Set(drawing.walk.map(({ node }) => node));
  const steps = new Set(drawing.walk.slice(1).map(({ node }, index) => `${drawing.walk[index]?.node} ${node}`));

  const [plain, walked]: [SVGElement[], SVGElement[]] = [[], []];
  for (const edge of drawing.edges) {
    if (edge.kind === 'fails') continue;
    const isTree = tree.has(edge);
    // In the tree of prefixes, a URL that was at both ends went along the edge.
    const isWalked =
      edge.kind === 'bytes' && isTree
        ? visited.has(edge.from) && visited.has(edge.to)
        : steps.has(`${edge.from} ${edge.to}`);
    const [fromX, fromY, toX, toY] = [x(edge.from), y(edge.from), x(edge.to), y(edge.to)];
    const path = isTree
      ? `M${fromX} ${fromY} V${toY} H${toX}`
      : `M${fromX} ${fromY} Q${(fromX + toX) / 2} ${Math.max(fromY, toY) + ROW} ${toX} ${toY}`;
    const parts = isWalked ? walked : plain;
    const names = ['edge', edge.kind, isWalked && 'walked', isTree || 'other'].filter(
      (name) => typeof name === 'string',
    );
    parts.push(s('path', { d: path, class: names.join(' ') }));
    if (isTree && edge.label !== '') {
      const title = s('title', {}, shown(edge.label));
      parts.push(s('text', { x: fromX + 9, y: toY - 4, class: isWalked ? 'walked' : '' }, cut(edge.label), title));
    }
  }
  for (const node of drawing.nodes) {
    const access = (node.rule ?? node.end_rule)?.access ?? '';
    const name = `node ${access}${visited.has(node.id) ? ' walked' : ''}`;
    const parts = [s('circle', { cx: x(node.id), cy: y(node.id), r: RADIUS, class: name })];
    const text = labels.get(node.id) ?? '';
    if (text !== '') {
      const title = s('title', {}, shown(text));
      parts.push(s('text', { x: x(node.id) + 9, y: y(node.id) + 13, class: `label ${access}` }, cut(text), title));
    }
    walked.push(...parts);
  }
  const width = (left.at(-1) ?? 0) + MARGIN;
  const height = MARGIN + ROW * (Math.max(0, ...[...places.values()].map(({ row }) => row)) + 1);
  return s(
    'svg',
    { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
    ...plain,
    ...walked,
  );
}
