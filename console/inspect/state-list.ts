/** The chart in words: every state with its transitions, the active ones named as such. The equal of the drawing. */

import type { ChartLayout, PlacedEdge, PlacedNode } from '../../contract/inspector.ts';
import { element, setAttribute, setText } from '../element.ts';

interface Drawn {
  readonly item: HTMLElement;
  readonly word: HTMLElement;
}

export class StateList {
  readonly #frame: HTMLElement;
  readonly #states = new Map<string, Drawn>();

  constructor(update: HTMLElement) {
    this.#frame = update;
    update.tabIndex = 0;
  }

  draw(chart: ChartLayout): void {
    this.#states.clear();
    const tops = chart.nodes.filter(({ parent }) => parent === null);
    this.#frame.replaceChildren(element('ul', {}, ...tops.map((node) => this.#state(node, chart))));
  }

  /** Shows nothing. */
  clear(): void {
    this.#states.clear();
    this.#frame.replaceChildren();
  }

  light(active: readonly string[]): void {
    for (const [id, { item, word }] of this.#states) {
      const isActive = active.includes(id);
      item.classList.toggle('active', isActive);
      setAttribute(item, 'aria-current', isActive ? 'true' : undefined);
      setText(word, isActive ? ' ◀ active' : '');
    }
  }

  #state(node: PlacedNode, chart: ChartLayout): HTMLElement {
    const word = element('span', { class: 'ok' });
    const kind = node.type === 'atomic' || node.type === 'compound' ? '' : ` (${node.type})`;
    const name = element('span', { class: 'state-line mono' }, `${node.key}${kind}`, word);
    const inside = chart.nodes.filter(({ parent }) => parent === node.id);
    const edges = chart.edges.filter(({ source }) => source === node.id);
    const item = element('li', { 'data-state': node.id }, name);
    if (node.description !== undefined) item.append(element('div', { class: 'muted' }, node.description));
    const parts = [
      ...edges.map((edge) => edgeItem(edge)),
      ...inside.map((child) => this.#state(child, chart)),
    ];
    if (parts.length > 0) item.append(element('ul', {}, ...parts));
    this.#states.set(node.id, { item, word });
    return item;
  }
}

function edgeItem({ event, guard, target, source, actions }: PlacedEdge): HTMLElement {
  const when = guard === undefined ? '' : ` when ${guard}`;
  const does = actions.length > 0 ? `, does ${actions.join(', ')}` : '';
  const goes = target === source ? ', stays' : ` → ${target.split('.').slice(1).join(' › ')}`;
  return element('li', { class: 'muted mono' }, `${event}${when}${goes}${does}`);
}
