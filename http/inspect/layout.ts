/**
 * The layout of a chart by elkjs, in a thread of its own: it computes for a third of a second, and meanwhile this
 * process answers telecommands.
 *
 * Y1. The thread ends with the layout, also when it fails or takes longer than `CHART_LAYOUT_MS`.
 */

import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import elkjs from 'elkjs/lib/elk-api.js';
import type { ChartEdge, ChartNode, ChartView } from '../../contract/inspection.ts';
import type { ChartLayout, PlacedEdge, PlacedNode } from '../../contract/inspector.ts';
import { CHART_LAYOUT_MS } from '../../contract/limits/inspect.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Arrow, arrowLines, arrowsOf } from './arrows.ts';
import { DOT, type Drawing, graphOf, LABEL_LINE_PX, linesOf } from './chart-graph.ts';

/** The script of elkjs expects the globals of a browser's worker. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
globalThis.self = { postMessage: (message) => parentPort.postMessage(message) };
require(workerData);
parentPort.on('message', (data) => self.onmessage({ data }));
`;

/** A module of the older kind: its class is a property of what is imported. */
const Elk = elkjs.default;

const script = createRequire(import.meta.url).resolve('elkjs/lib/elk-worker.min.js');

/** A busy machine, and no defect: the next question begins again. */
export class LayoutLate extends Error {}

/** The chart with the places of its states and transitions; rejects when the algorithm fails, or with `LayoutLate`. */
export async function layOut(chart: ChartView, clock: Clock): Promise<ChartLayout> {
  const thread = new Worker(THREAD, { eval: true, workerData: script, execArgv: [] });
  // A process may end while it is at work.
  thread.unref();
  const elk = new Elk({ workerFactory: () => asBrowserWorker(thread) });
  let timer: ReturnType<Clock['setTimeout']> | undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    thread.once('error', reject);
    const late = () => reject(new LayoutLate(`the chart of ${chart.kind} was not laid out in time`));
    timer = clock.setTimeout(late, CHART_LAYOUT_MS);
  });
  try {
    return placed(chart, await Promise.race([elk.layout(graphOf(chart)), failed]));
  } finally {
    clock.clearTimeout(timer!);
    await thread.terminate();
  }
}

type BrowserWorker = ReturnType<
  NonNullable<NonNullable<ConstructorParameters<typeof Elk>[0]>['workerFactory']>
>;

function asBrowserWorker(thread: Worker): BrowserWorker {
  const worker = {
    onmessage: (_event: { data: unknown }): void => undefined,
    postMessage: (data: unknown): void => thread.postMessage(data),
    terminate: (): void => undefined,
  };
  thread.on('message', (data) => worker.onmessage({ data }));
  // elkjs uses these three of a browser's worker and nothing else.
  return worker as unknown as BrowserWorker;
}

interface Boxes {
  readonly nodes: ReadonlyMap<string, ElkNode>;
  readonly edges: ReadonlyMap<string, ElkExtendedEdge>;
}

function placed(chart: ChartView, graph: ElkNode): ChartLayout {
  const boxes = collect(graph);
  const arrows = arrowsOf(chart);
  const { kind, version, digest, definition } = chart;
  return {
    kind,
    version,
    digest,
    width: graph.width ?? 0,
    height: graph.height ?? 0,
    nodes: placedNodes(chart.root, null, { chart, arrows }, boxes),
    edges: chart.edges.map((edge) => placedEdge(edge, arrows, boxes)),
    initials: [...boxes.nodes.values()]
      .filter(({ id }) => id.endsWith(DOT))
      .map((dot) => initialOf(dot, boxes)),
    definition,
  };
}

function collect(graph: ElkNode): Boxes {
  const nodes = new Map<string, ElkNode>();
  const edges = new Map<string, ElkExtendedEdge>();
  const open = [graph];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.set(node.id, node);
    for (const edge of node.edges ?? []) edges.set(edge.id, edge as ElkExtendedEdge);
    open.push(...(node.children ?? []));
  }
  return { nodes, edges };
}

function placedNodes(node: ChartNode, parent: string | null, drawing: Drawing, boxes: Boxes): PlacedNode[] {
  const { x = 0, y = 0, width = 0, height = 0 } = boxes.nodes.get(node.id) ?? {};
  const { id, key, type, description } = node;
  return [
    {
      id,
      key,
      parent,
      type,
      x,
      y,
      width,
      height,
      ...(description !== undefined && { description }),
      lines: linesOf(node, drawing),
    },
    ...node.children.flatMap((child) => placedNodes(child, id, drawing, boxes)),
  ];
}

function placedEdge(edge: ChartEdge, arrows: readonly Arrow[], boxes: Boxes): PlacedEdge {
  const arrow = arrows.find(({ edges }) => edges.includes(edge));
  const box = arrow && boxes.edges.get(arrow.id);
  const label = arrow && labelOf(edge, arrow, box);
  const { id, source, target, event, guard, actions } = edge;
  return {
    id,
    source,
    target,
    event,
    actions: [...actions],
    ...(guard !== undefined && { guard }),
    points: pointsOf(box),
    ...(label !== undefined && { label }),
  };
}

/** The part of the label of an arrow that is of this transition. */
function labelOf(edge: ChartEdge, { edges }: Arrow, box: ElkExtendedEdge | undefined): PlacedEdge['label'] {
  const [label] = box?.labels ?? [];
  if (label === undefined) return undefined;
  const { x = 0, y = 0, width = 0 } = label;
  const place = edges.indexOf(edge);
  const above = edges
    .slice(0, place)
    .reduce((sum, each, n) => sum + arrowLines(each, edges[n - 1]).length, 0);
  const lines = arrowLines(edge, edges[place - 1]);
  return { x, y: y + above * LABEL_LINE_PX, width, height: lines.length * LABEL_LINE_PX, lines };
}

function initialOf(dot: ElkNode, { edges }: Boxes): ChartLayout['initials'][number] {
  const { x = 0, y = 0, width = 0, height = 0, id } = dot;
  const points = pointsOf(edges.get(`${id}:edge`));
  return { of: id.slice(0, -DOT.length), x: x + width / 2, y: y + height / 2, points };
}

function pointsOf(edge: ElkExtendedEdge | undefined): { x: number; y: number }[] {
  return (edge?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
    [startPoint, ...bendPoints, endPoint].map(({ x, y }) => ({ x, y })),
  );
}
