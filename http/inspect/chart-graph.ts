/**
 * A chart as a graph for the layout algorithm: every state a box that holds its name and lines, every transition an
 * edge with its text, every initial state a dot before it. Which box goes where is decided by the algorithm.
 *
 * X1. What an event does without leaving its state is a line in the box, as in UML: an arrow from a box to itself would
 *     say that the state is left and entered again.
 * X3. A transition that is no arrow (`arrows.ts`) is a line in the box it leaves, with where it goes.
 * X4. In a large chart, and in one of regions, each state is laid out by itself: an arrow across its border begins or
 *     ends there.
 * X2. Text has the width of a fixed-pitch font, so that the boxes fit on every machine.
 */

import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { ChartEdge, ChartNode, ChartView } from '../../contract/inspection.ts';
import type { PlacedNode } from '../../contract/inspector.ts';
import { type Arrow, arrowLines, arrowsOf, grouped, isLaidOutApart, isPacked } from './arrows.ts';

/** Of a fixed-pitch font: 0.6 of its size, with a little room. */
const CHARACTER_PX = { name: 8.2, line: 6.7, label: 7.3 } as const;
export const LABEL_LINE_PX = 15;
const NAME_PX = 28;
const LINE_PX = 15;
const PADDING_PX = 12;
const DOT_PX = 10;
/**
 * Where a line is broken. A state with states inside is as wide as those and heeds no other width (elkjs 0.12 with
 * `INCLUDE_CHILDREN`), so what stands in it is kept narrow.
 */
const LINE_CHARACTERS = { leaf: 34, outer: 22 } as const;

/** Top to bottom, orthogonal; edges may cross the borders of states; coordinates are those of the whole chart. */
const ROOT_OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.spacing.nodeNodeBetweenLayers': '26',
  'elk.layered.spacing.edgeNodeBetweenLayers': '12',
  'elk.spacing.nodeNode': '20',
  'elk.spacing.edgeEdge': '14',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.edgeLabels.sideSelection': 'ALWAYS_DOWN',
  'elk.padding': '[top=12,left=12,bottom=12,right=12]',
} as const;

/** Regions side by side, or one below the other, as they fit: beside the lists of the page there is a square. */
const REGION_OPTIONS = {
  'elk.algorithm': 'rectpacking',
  'elk.hierarchyHandling': 'SEPARATE_CHILDREN',
  'elk.spacing.nodeNode': '20',
  'elk.aspectRatio': '1.1',
} as const;
/** The same of a large chart. */
const STACKED_OPTIONS = {
  'elk.algorithm': 'rectpacking',
  'elk.hierarchyHandling': 'SEPARATE_CHILDREN',
  'elk.aspectRatio': '1.8',
} as const;
const PACKED_OPTIONS = {
  'elk.algorithm': 'rectpacking',
  'elk.hierarchyHandling': 'SEPARATE_CHILDREN',
  'elk.spacing.nodeNode': '14',
  'elk.aspectRatio': '2.6',
} as const;

/** States of one level are many: texts stand where their arrows begin, and what can move closer does. */
const CLOSE_OPTIONS = {
  'elk.layered.compaction.postCompaction.strategy': 'EDGE_LENGTH',
  'elk.layered.edgeLabels.centerLabelPlacementStrategy': 'TAIL_LAYER',
  'elk.layered.spacing.nodeNodeBetweenLayers': '20',
} as const;

export const DOT = ':initial';
const ALWAYS = 'always';
/** More events than this that leave nothing are named without their guards. */
const INSIDE_LINES = 3;

/** A chart with what of it is drawn as arrows. */
export interface Drawing {
  readonly chart: ChartView;
  readonly arrows: readonly Arrow[];
}

/** The graph; ids of its nodes and edges are those of the chart, dots have the id of their state with `DOT`. */
export function graphOf(chart: ChartView): ElkNode {
  const arrows = arrowsOf(chart);
  const drawing = { chart, arrows };
  return {
    id: 'chart',
    layoutOptions: ROOT_OPTIONS,
    children: isFrame(drawing) ? innerNodes(chart.root, drawing) : [nodeOf(chart.root, drawing)],
    ...(isLaidOutApart(chart.root)
      ? { layoutOptions: { ...ROOT_OPTIONS, ...STACKED_OPTIONS }, edges: [] }
      : { edges: [...arrows.map(edgeOf), ...initialEdges(chart.root)] }),
  };
}

/** X1 */
export function leavesItsState({ source, target }: Pick<ChartEdge, 'source' | 'target'>): boolean {
  return source !== target;
}

/** What stands under the name of a state. */
export function linesOf(node: ChartNode, { chart, arrows }: Drawing): PlacedNode['lines'] {
  const { id, entry, exit, children } = node;
  const width = children.length === 0 ? LINE_CHARACTERS.leaf : LINE_CHARACTERS.outer;
  const drawn = new Set(arrows.flatMap(({ edges }) => edges));
  const own = chart.edges.filter((edge) => edge.source === id && !drawn.has(edge));
  return [
    ...broken('entry / ', entry, width).map((text) => ({ text })),
    ...insideLines(
      own.filter((edge) => !leavesItsState(edge)),
      width,
    ),
    ...wayLines(own.filter(leavesItsState)),
    ...broken('exit / ', exit, width).map((text) => ({ text })),
  ];
}

/** X1: where there are many, their events alone. */
function insideLines(edges: readonly ChartEdge[], width: number): PlacedNode['lines'] {
  if (edges.length <= INSIDE_LINES)
    return edges.flatMap((edge) =>
      broken('', labelLines(edge), width, ' ').map((text) => ({ text, edge: edge.id })),
    );
  const events = [...grouped(edges, ({ event }) => event)];
  return events.flatMap(([event, [first]], n) => {
    if (n % 2 === 1) return [];
    const next = events[n + 1]?.[0];
    return [{ text: next === undefined ? event : `${event}, ${next}`, edge: first!.id }];
  });
}

/** X3: `judged [doesHold] → choosing`; the event once where it has several ways. */
function wayLines(edges: readonly ChartEdge[]): PlacedNode['lines'] {
  const byEvent = grouped(edges, ({ event }) => event);
  return [...byEvent].flatMap(([event, ways]) => {
    const shown = event === ALWAYS ? '' : event;
    const [only, ...others] = ways;
    if (others.length === 0) return [{ text: `${shown} ${wayText(only!)}`.trim(), edge: only!.id }];
    const heading = shown === '' ? [] : [{ text: shown }];
    const indent = shown === '' ? '' : '  ';
    return [...heading, ...ways.map((way) => ({ text: indent + wayText(way), edge: way.id }))];
  });
}

function wayText({ guard, target }: ChartEdge): string {
  const when = guard === undefined ? '' : `[${guard}] `;
  return `${when}→ ${target.slice(target.lastIndexOf('.') + 1)}`;
}

/** The words after the heading, in lines of at most `width` characters where a word allows. */
function broken(heading: string, words: readonly string[], width: number, between = ', '): string[] {
  const lines: string[] = [];
  for (const [index, word] of words.entries()) {
    const joined = index === 0 ? `${heading}${word}` : `${lines.at(-1)}${between}${word}`;
    if (index > 0 && joined.length <= width) lines[lines.length - 1] = joined;
    else lines.push(index === 0 ? joined : `  ${word}`);
  }
  return lines;
}

/** The text of a transition: its event, then its guard. */
export function labelLines({ event, guard }: Pick<ChartEdge, 'event' | 'guard'>): string[] {
  return [event, ...(guard === undefined ? [] : [`[${guard}]`])];
}

function nodeOf(node: ChartNode, drawing: Drawing): ElkNode {
  const lines = linesOf(node, drawing);
  const width = Math.ceil(
    Math.max(
      72,
      node.key.length * CHARACTER_PX.name + 2 * PADDING_PX + 14,
      ...lines.map(({ text }) => text.length * CHARACTER_PX.line + 2 * PADDING_PX),
    ),
  );
  const height = NAME_PX + lines.length * LINE_PX + (lines.length > 0 ? 8 : 4);
  if (node.children.length === 0) return { id: node.id, width, height };
  const padding = `[top=${height + 4},left=14,bottom=14,right=14]`;
  if (isPacked(node)) return packedNode(node, drawing, padding);
  if (isLaidOutApart(drawing.chart.root)) return separateNode(node, drawing, padding);
  return {
    id: node.id,
    layoutOptions: { 'elk.padding': padding },
    children: innerNodes(node, drawing),
  };
}

/** X4 */
function separateNode(node: ChartNode, drawing: Drawing, padding: string): ElkNode {
  const own = node.children.filter(({ initial }) => initial);
  const edges = [...drawing.arrows.flatMap((arrow) => liftedInto(node, arrow)), ...own.map(initialEdge)];
  if (node.type === 'parallel' && edges.length === 0)
    return {
      id: node.id,
      layoutOptions: { ...REGION_OPTIONS, 'elk.padding': padding },
      children: innerNodes(node, drawing),
    };
  // A row inside takes the least of the height, of which a screen has less.
  const isRegion = drawing.chart.root.children.some(({ id }) => id === node.id);
  return {
    id: node.id,
    layoutOptions: {
      ...ROOT_OPTIONS,
      'elk.direction': isRegion ? 'DOWN' : 'RIGHT',
      'elk.hierarchyHandling': 'SEPARATE_CHILDREN',
      ...CLOSE_OPTIONS,
      'elk.padding': padding,
    },
    children: innerNodes(node, drawing),
    edges,
  };
}

/** The arrow between the children of the node that its ends are in; none where they are in one, or not in it. */
function liftedInto({ children }: ChartNode, arrow: Arrow): ElkExtendedEdge[] {
  const within = (end: string) => children.find(({ id }) => end === id || end.startsWith(`${id}.`))?.id;
  const [source, target] = [within(arrow.source), within(arrow.target)];
  if (source === undefined || target === undefined || source === target) return [];
  return [edgeOf({ ...arrow, source, target })];
}

function packedNode(node: ChartNode, drawing: Drawing, padding: string): ElkNode {
  return {
    id: node.id,
    layoutOptions: { ...PACKED_OPTIONS, 'elk.padding': padding },
    children: node.children.map((child) => nodeOf(child, drawing)),
  };
}

function innerNodes(node: ChartNode, drawing: Drawing): ElkNode[] {
  return [
    ...node.children.filter(({ initial }) => initial).map(dotOf),
    ...node.children.map((child) => nodeOf(child, drawing)),
  ];
}

/** Whether the outermost state is only the frame of the others: a box around everything would say nothing. */
function isFrame({ chart: { root, edges } }: Drawing): boolean {
  const isEnd = edges.some(({ source, target }) => source === root.id || target === root.id);
  return !isEnd && root.entry.length + root.exit.length === 0;
}

function dotOf({ id }: ChartNode): ElkNode {
  return { id: `${id}${DOT}`, width: DOT_PX, height: DOT_PX };
}

function edgeOf({ id, source, target, edges }: Arrow): ElkExtendedEdge {
  const lines = edges.flatMap((edge, n) => arrowLines(edge, edges[n - 1]));
  const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * CHARACTER_PX.label + 8);
  const height = lines.length * LABEL_LINE_PX + 2;
  return {
    id,
    sources: [source],
    targets: [target],
    labels: [{ id: `${id}:label`, text: lines.join('\n'), width, height }],
  };
}

/** A parallel state begins in all its children: dots there would say nothing. */
function initialEdges(node: ChartNode): ElkExtendedEdge[] {
  const own = isPacked(node) ? [] : node.children.filter(({ initial }) => initial);
  return [...own.map(initialEdge), ...node.children.flatMap(initialEdges)];
}

function initialEdge({ id }: ChartNode): ElkExtendedEdge {
  return { id: `${id}${DOT}:edge`, sources: [`${id}${DOT}`], targets: [id] };
}
