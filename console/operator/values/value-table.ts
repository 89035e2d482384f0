/** The table of values, of which only the rows in sight are in the document. */

import { html, nothing, svg } from 'lit-html';
import { dateTime, duration } from '../../moment.ts';
import { counted } from '../parts/counted.ts';
import { intervalWords, valueText } from '../parts/limits.ts';
import { RowsInSight } from '../parts/rows-in-sight.ts';
import type { Workspace } from '../workspace.ts';
import { sparkPoints, type ValueRow } from './value-rows.ts';

const HEAD = ['plot', 'measure', 'value', 'state', 'trend', 'soft limits', 'hard limits', 'received'];
const SPARK_WIDTH = 90;
const SPARK_HEIGHT = 18;

export class ValueTable {
  readonly #space: Workspace;
  readonly #toggle: (name: string) => void;
  readonly #inSight: RowsInSight;

  constructor(space: Workspace, toggle: (name: string) => void) {
    this.#space = space;
    this.#toggle = toggle;
    this.#inSight = new RowsInSight(space.soon);
  }

  view(rows: readonly ValueRow[], plotted: ReadonlySet<string>, isFull: boolean): unknown {
    const abnormal = rows.filter(({ standing }) => standing.level !== 'normal').length;
    const stale = rows.filter(({ isStale }) => isStale).length;
    return html`<p class="muted" role="status">${counted(rows.length, 'measure')}, ${abnormal} out of limits, ${stale} stale</p>
      ${this.#inSight.view({
        label: 'Table of values',
        kind: 'values',
        head: HEAD,
        rows,
        keyOf: ({ name }) => name,
        rowView: (row, index) => this.#row(row, index, plotted, isFull),
      })}`;
  }

  #row(
    { name, measure, live, standing, isStale }: ValueRow,
    index: number,
    plotted: ReadonlySet<string>,
    isFull: boolean,
  ): unknown {
    const isPlotted = plotted.has(name);
    return html`<tr class="${standing.level} ${isStale || live === undefined ? 'stale' : ''}" aria-rowindex=${index}>
      <td><input type="checkbox" aria-label="Plot ${name}" .checked=${isPlotted} ?disabled=${isFull && !isPlotted} @change=${() => this.#toggle(name)} /></td>
      <th scope="row" class="mono" title=${measure?.description ?? ''}>${name}</th>
      <td class="num mono">${live === undefined ? html`<span class="muted">–</span>` : shown(valueText(live.sample.value))} <span class="unit">${measure?.unit ?? ''}</span></td>
      <td>${this.#state({ standing, isStale, live })}</td>
      <td>${spark(live?.spark ?? [])}</td>
      <td class="num muted">${intervalWords(measure?.soft, measure?.unit)}</td>
      <td class="num muted">${intervalWords(measure?.hard, measure?.unit)}</td>
      <td class="num">${live === undefined ? html`<span class="muted">never</span>` : html`<span title=${dateTime(live.groundAt)}>${duration(Math.max(0, this.#space.clock.now() - live.groundAt))} ago</span>`}</td></tr>`;
  }

  #state({ standing, isStale, live }: Pick<ValueRow, 'standing' | 'isStale' | 'live'>): unknown {
    const badge =
      standing.level === 'normal'
        ? nothing
        : html`<span class="badge ${standing.level === 'critical' ? 'bad' : 'warn'}">${standing.level === 'critical' ? '▲' : '△'} ${standing.crossed}</span>`;
    return html`${badge} ${isStale ? html`<span class="badge">stale</span>` : nothing} ${live?.sample.delivery === 'deferred' ? html`<span class="badge accent">deferred</span>` : nothing}`;
  }
}

/** A text may be wider than its column. */
function shown(text: string): unknown {
  return html`<strong title=${text}>${text}</strong>`;
}

function spark(values: readonly number[]): unknown {
  if (values.length < 2) return nothing;
  return html`<svg class="spark" width=${SPARK_WIDTH} height=${SPARK_HEIGHT} viewBox="0 -1 ${SPARK_WIDTH} ${SPARK_HEIGHT + 2}" aria-hidden="true">${svg`<polyline points=${sparkPoints(values, SPARK_WIDTH, SPARK_HEIGHT)}></polyline>`}</svg>`;
}
