/**
 * A chart as a graph for the layout algorithm: every state a box that holds its name and lines, every transition an edge
 * with its text, every initial state a dot before it. Which box goes where is decided by the algorithm.
 *
 * X1. What an event does without leaving its state is a line in the box, as in UML: an arrow from a box to itself would
 *     say that the state is left and entered again.
 * X2. Text has the width of a fixed-pitch font, so that the boxes fit on every machine.
 */

import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { ChartEdge, ChartNode, ChartView } from '../../contract/inspection.ts';
import type { PlacedNode } from '../../contract/inspector.ts';

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

export const DOT = ':initial';

/** The graph; ids of its nodes and edges are those of the chart, dots have the id of their state with `DOT`. */
export function graphOf(chart: ChartView): ElkNode {
  return {
    id: 'chart',
    layoutOptions: ROOT_OPTIONS,
    children: isFrame(chart) ? innerNodes(chart.root, chart) : [nodeOf(chart.root, chart)],
    edges: [...chart.edges.filter(leavesItsState).map(edgeOf), ...initialEdges(chart.root)],
  };
}

/** X1 */
export function leavesItsState({ source, target }: Pick<ChartEdge, 'source' | 'target'>): boolean {
  return source !== target;
}

/** What stands under the name of a state. */
export function linesOf({ id, entry, exit, children }: ChartNode, chart: ChartView): PlacedNode['lines'] {
  const width = children.length === 0 ? LINE_CHARACTERS.leaf : LINE_CHARACTERS.outer;
  const inner = chart.edges.filter((edge) => edge.source === id && !leavesItsState(edge));
  return [
    ...broken('entry / ', entry, width).map((text) => ({ text })),
    ...inner.flatMap((edge) =>
      broken('', labelLines(edge), width, ' ').map((text) => ({ text, edge: edge.id })),
    ),
    ...broken('exit / ', exit, width).map((text) => ({ text })),
  ];
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

function nodeOf(node: ChartNode, chart: ChartView): ElkNode {
  const lines = linesOf(node, chart);
  const width = Math.ceil(
    Math.max(
      72,
      node.key.length * CHARACTER_PX.name + 2 * PADDING_PX + 14,
      ...lines.map(({ text }) => text.length * CHARACTER_PX.line + 2 * PADDING_PX),
    ),
  );
  const height = NAME_PX + lines.length * LINE_PX + (lines.length > 0 ? 8 : 4);
  if (node.children.length === 0) return { id: node.id, width, height };
  return {
    id: node.id,
    layoutOptions: {
      'elk.padding': `[top=${height + 4},left=14,bottom=14,right=14]`,
    },
    children: innerNodes(node, chart),
  };
}

function innerNodes(node: ChartNode, chart: ChartView): ElkNode[] {
  return [
    ...node.children.filter(({ initial }) => initial).map(dotOf),
    ...node.children.map((child) => nodeOf(child, chart)),
  ];
}

/** Whether the outermost state is only the frame of the others: a box around everything would say nothing. */
function isFrame({ root, edges }: ChartView): boolean {
  const isEnd = edges.some(({ source, target }) => source === root.id || target === root.id);
  return root.type === 'compound' && !isEnd && root.entry.length + root.exit.length === 0;
}

function dotOf({ id }: ChartNode): ElkNode {
  return { id: `${id}${DOT}`, width: DOT_PX, height: DOT_PX };
}

function edgeOf(edge: ChartEdge): ElkExtendedEdge {
  const lines = labelLines(edge);
  const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * CHARACTER_PX.label + 8);
  return {
    id: edge.id,
    sources: [edge.source],
    targets: [edge.target],
    labels: [
      { id: `${edge.id}:label`, text: lines.join('\n'), width, height: lines.length * LABEL_LINE_PX + 2 },
    ],
  };
}

/** A parallel state begins in all its children: dots there would say nothing. */
function initialEdges(node: ChartNode): ElkExtendedEdge[] {
  const own = node.children.filter(({ initial }) => initial);
  return [
    ...own.map(({ id }) => ({ id: `${id}${DOT}:edge`, sources: [`${id}${DOT}`], targets: [id] })),
    ...node.children.flatMap(initialEdges),
  ];
}
