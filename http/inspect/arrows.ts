/**
 * Which transitions of a chart are drawn as arrows. Thirty arrows are followed by the eye, a hundred are not: the
 * others are lines in the box they leave (`chart-graph.ts`).
 *
 * A1. Transitions between the same two states are one arrow with all their texts.
 * A2. A state leaves an arrow away that the state around it has.
 * A3. Where `HUB_ARROWS` or more arrows come to one state, or leave it, none of these is drawn: it is what the others
 *     pass through, and every box says where it goes. The arrow of a state that is packed (A4) stays.
 * A4. What many states are inside is packed like a page, and its boxes have no arrows, only lines.
 */

import type { ChartEdge, ChartNode, ChartView } from '../../contract/inspection.ts';

export interface Arrow {
  /** Of its first transition. */
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly edges: readonly ChartEdge[];
}

const HUB_ARROWS = 6;
const PACKED_FROM = 11;
const LARGE_FROM = 20;

export function arrowsOf({ root, edges }: ChartView): Arrow[] {
  const packed = packedIn(root);
  const leaving = edges.filter(
    ({ source, target }) => source !== target && !isInside(packed, source) && !isInside(packed, target),
  );
  // Laid out one by one, a state has no arrow to what is inside it.
  const apart = isLaidOutApart(root)
    ? leaving.filter(({ source, target }) => !isInside([source], target))
    : leaving;
  const joined = [...grouped(apart, ({ source, target }) => `${source}>${target}`).values()];
  const arrows = joined.map((group): Arrow => {
    const [{ id, source, target }] = group as [ChartEdge];
    return { id, source, target, edges: group };
  });
  return withoutHubs(withoutInherited(arrows, parentsOf(root)), new Set(packed));
}

/** What a transition says at its arrow; the event once where the one above it in the same arrow has it too. */
export function arrowLines({ event, guard }: ChartEdge, above: ChartEdge | undefined): string[] {
  const when = guard === undefined ? [] : [`[${guard}]`];
  return above?.event === event && guard !== undefined ? when : [event, ...when];
}

/** Whether it has regions, or so many states that its arrows would not find a way across their borders. */
export function isLaidOutApart(root: ChartNode): boolean {
  const count = (node: ChartNode): number => 1 + node.children.reduce((sum, child) => sum + count(child), 0);
  return root.type === 'parallel' || count(root) > LARGE_FROM;
}

/** A4 */
export function isPacked({ children }: ChartNode): boolean {
  return children.length > PACKED_FROM;
}

function packedIn(node: ChartNode): string[] {
  return [...(isPacked(node) ? [node.id] : []), ...node.children.flatMap(packedIn)];
}

function isInside(outer: readonly string[], id: string): boolean {
  return outer.some((each) => id.startsWith(`${each}.`));
}

/** A2 */
function withoutInherited(arrows: readonly Arrow[], parents: ReadonlyMap<string, string>): Arrow[] {
  const known = new Set(arrows.map(({ source, target }) => `${source}>${target}`));
  return arrows.filter(({ source, target }) => {
    for (let outer = parents.get(source); outer !== undefined; outer = parents.get(outer))
      if (known.has(`${outer}>${target}`)) return false;
    return true;
  });
}

/** A3 */
function withoutHubs(arrows: readonly Arrow[], packed: ReadonlySet<string>): Arrow[] {
  for (const end of ['source', 'target'] as const) {
    const own = arrows.filter(({ source }) => !packed.has(source));
    const counts = [...grouped(own, (arrow) => arrow[end])];
    const [hub] = counts.sort(([, one], [, other]) => other.length - one.length);
    if (hub !== undefined && hub[1].length >= HUB_ARROWS)
      return withoutHubs(
        arrows.filter((arrow) => !hub[1].includes(arrow)),
        packed,
      );
  }
  return [...arrows];
}

function parentsOf(node: ChartNode): Map<string, string> {
  const parents = new Map<string, string>();
  for (const child of node.children) {
    parents.set(child.id, node.id);
    for (const [id, parent] of parentsOf(child)) parents.set(id, parent);
  }
  return parents;
}

/** In the order in which the first of each group comes. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
