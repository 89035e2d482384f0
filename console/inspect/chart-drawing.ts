/**
 * A chart as SVG: drawn once from the layout of the service, then only classes change. Active states are lit and carry
 * a lamp, the transition just taken is thick and fades; both are reported in words elsewhere (`state-list.ts`, the name
 * of the state).
 */

import type { ChartLayout, PlacedEdge, PlacedNode } from '../../contract/inspector.ts';
import { drawn, setAttribute } from '../element.ts';
import { innermost } from './innermost.ts';
import { Viewport } from './viewport.ts';

const RADIUS = 7;
const LINE_PX = 15;
const NAME_PX = 19;
const FIRST_LINE_PX = 35;

interface EdgeParts {
  readonly group: SVGElement;
  readonly path: SVGElement | undefined;
}

export class ChartDrawing {
  readonly #svg = drawn('svg', { role: 'img', 'aria-label': 'Chart' });
  readonly #viewport: Viewport;
  readonly #states = new Map<string, SVGElement>();
  readonly #edges = new Map<string, EdgeParts[]>();
  #chart: ChartLayout | undefined;
  #active: readonly string[] = [];
  #last: readonly string[] = [];

  constructor(update: HTMLElement) {
    update.tabIndex = 0;
    update.append(this.#svg);
    this.#viewport = new Viewport(update, this.#svg);
  }

  get viewport(): Viewport {
    return this.#viewport;
  }

  /** Draws another chart. */
  draw(chart: ChartLayout): void {
    this.#chart = chart;
    this.#states.clear();
    this.#edges.clear();
    this.#active = [];
    this.#last = [];
    this.#svg.replaceChildren(
      arrows(),
      ...chart.nodes.filter(({ width }) => width > 0).map((node) => this.#node(node, chart)),
      ...chart.initials.map(({ x, y, points }) => initial(x, y, points)),
      ...chart.edges.filter(({ points }) => points.length > 0).map((edge) => this.#edge(edge)),
    );
    this.#viewport.content(chart.width, chart.height);
  }

  /** Draws nothing. */
  clear(): void {
    this.#chart = undefined;
    this.#states.clear();
    this.#edges.clear();
    this.#active = [];
    this.#last = [];
    this.#svg.replaceChildren();
    setAttribute(this.#svg, 'aria-label', 'Chart');
  }

  /** Lights the states, and the transitions by which they were reached; `fresh` lets those light up. */
  light(active: readonly string[], taken: readonly string[], fresh: boolean): void {
    if (this.#chart === undefined) return;
    this.#lightStates(active);
    if (taken.length > 0 || !fresh) this.#lightEdges(taken, fresh);
  }

  #lightStates(active: readonly string[]): void {
    if (active.join() === this.#active.join()) return;
    for (const id of this.#active) this.#states.get(id)?.classList.remove('active');
    for (const id of active) this.#states.get(id)?.classList.add('active');
    this.#active = active;
    const leaves = innermost(active);
    // The deepest is what happens; regions beside it are quiet.
    const [deepest] = leaves.toSorted((one, other) => other.split('.').length - one.split('.').length);
    this.#viewport.follow(this.#chart!.nodes.find(({ id }) => id === deepest));
    const words = leaves.map((id) => id.split('.').slice(1).join(', then inside it '));
    setAttribute(
      this.#svg,
      'aria-label',
      `Chart of ${this.#chart!.kind}. Active: ${words.join('; beside it ') || 'nothing'}`,
    );
  }

  #lightEdges(taken: readonly string[], fresh: boolean): void {
    for (const id of this.#last) for (const parts of this.#partsOf(id)) unlight(parts);
    this.#last = taken;
    for (const id of taken) for (const parts of this.#partsOf(id)) lightUp(parts, fresh);
  }

  #node(node: PlacedNode, chart: ChartLayout): SVGElement {
    const { id, key, type, x, y, width, height, lines, description } = node;
    const isOuter = chart.nodes.some(({ parent }) => parent === id);
    const box = { x, y, width, height, rx: RADIUS };
    const group = drawn(
      'g',
      { class: isOuter ? 'state outer' : 'state', 'data-state': id },
      drawn('rect', { ...box, class: 'box' }),
    );
    if (type === 'final') {
      const inner = { x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: RADIUS - 2 };
      group.append(drawn('rect', { ...inner, class: 'inner-box' }));
    }
    group.append(
      drawn('text', { class: 'name', x: x + 12, y: y + NAME_PX }, key),
      drawn('circle', { class: 'lamp', cx: x + width - 12, cy: y + 14, r: 4 }),
      ...lines.map(({ text, edge }, n) => this.#line(text, edge, x + 12, y + FIRST_LINE_PX + n * LINE_PX)),
    );
    if (description !== undefined) group.append(drawn('title', {}, description));
    this.#states.set(id, group);
    return group;
  }

  /** An event handled inside its state lights its line. */
  #line(text: string, edge: string | undefined, x: number, y: number): SVGElement {
    const line = drawn('text', { class: 'line', x, y }, text);
    if (edge !== undefined) this.#keep(edge, { group: line, path: undefined });
    return line;
  }

  #edge({ id, points, label, actions }: PlacedEdge): SVGElement {
    const path = drawn('path', { d: lineThrough(points), 'marker-end': 'url(#arrow)' });
    const group = drawn('g', { class: 'edge', 'data-edge': id }, path);
    if (label !== undefined) {
      const { x, y, width, height, lines } = label;
      const texts = lines.map((text, n) => drawn('text', { x: x + 4, y: y + 12 + n * LINE_PX }, text));
      group.append(drawn('g', { class: 'label' }, drawn('rect', { x, y, width, height }), ...texts));
    }
    if (actions.length > 0) group.append(drawn('title', {}, `does ${actions.join(', ')}`));
    this.#keep(id, { group, path });
    return group;
  }

  /** Where several of one event share a line, that of the first of them. */
  #partsOf(id: string): readonly EdgeParts[] {
    return this.#edges.get(id) ?? this.#edges.get(id.replace(/\|\d+$/, '|0')) ?? [];
  }

  #keep(id: string, parts: EdgeParts): void {
    this.#edges.set(id, [...(this.#edges.get(id) ?? []), parts]);
  }
}

function unlight({ group, path }: EdgeParts): void {
  group.classList.remove('last', 'flash');
  if (path !== undefined) setAttribute(path, 'marker-end', 'url(#arrow)');
}

function lightUp({ group, path }: EdgeParts, fresh: boolean): void {
  group.classList.add('last');
  // Drawn last, so that its text lies over the lines of the others.
  if (path !== undefined) {
    setAttribute(path, 'marker-end', 'url(#arrow-lit)');
    group.parentNode?.append(group);
  }
  if (fresh) requestAnimationFrame(() => group.classList.add('flash'));
}

function lineThrough(points: readonly { x: number; y: number }[]): string {
  return `M${points.map(({ x, y }) => `${x},${y}`).join('L')}`;
}

function initial(x: number, y: number, points: readonly { x: number; y: number }[]): SVGElement {
  const dot = drawn('circle', { class: 'dot', cx: x, cy: y, r: 5 });
  if (points.length === 0) return dot;
  return drawn(
    'g',
    { class: 'edge' },
    dot,
    drawn('path', { d: lineThrough(points), 'marker-end': 'url(#arrow)' }),
  );
}

/** Heads in user units: they do not grow with the line they end. */
function arrows(): SVGElement {
  const head = (id: string, kind: string): SVGElement =>
    drawn(
      'marker',
      {
        id,
        viewBox: '0 0 8 8',
        refX: 7,
        refY: 4,
        orient: 'auto-start-reverse',
        markerUnits: 'userSpaceOnUse',
        markerWidth: 9,
        markerHeight: 9,
      },
      drawn('path', { class: `arrow ${kind}`, d: 'M0,0L8,4L0,8z' }),
    );
  return drawn('defs', {}, head('arrow', ''), head('arrow-lit', 'lit'));
}
