/** The passes of the timeline as a table, by AOS: for the keyboard and screen readers too. */

import { html, nothing } from 'lit-html';
import type { Schedule } from '../../../contract/schedule.ts';
import { dateTime, duration } from '../../moment.ts';
import { fragmentOf } from '../address.ts';
import type { HeldPass } from '../data/held-pass.ts';
import { RowsInSight } from '../parts/rows-in-sight.ts';
import type { Workspace } from '../workspace.ts';
import { gatewayWords, statusBadge } from './pass-detail.ts';
import { SCHEDULE_LOOK } from './schedule-words.ts';
import { selectionOf } from './selection.ts';
import { passName } from './timeline-layout.ts';

const HEAD = [
  'AOS',
  'until AOS',
  'lasts',
  'target',
  'station',
  'elevation',
  'status',
  'schedules',
  'gateway',
];

export class PassTable {
  readonly #space: Workspace;
  readonly #inSight: RowsInSight;

  constructor(space: Workspace) {
    this.#space = space;
    this.#inSight = new RowsInSight(space.soon);
  }

  view(
    passes: readonly HeldPass[],
    schedules: ReadonlyMap<string, readonly Schedule[]>,
    selected: HeldPass | undefined,
    isAll: boolean,
  ): unknown {
    return this.#inSight.view({
      label: 'Table of passes',
      kind: 'passes',
      // The heading says whose they are where they are of one.
      head: isAll ? HEAD : HEAD.filter((name) => name !== 'target'),
      rows: passes,
      keyOf: ({ view: { pass } }) => passName(pass.target, pass.id),
      rowView: (held, index) => {
        const { pass } = held.view;
        return this.#row(
          held,
          index,
          schedules.get(passName(pass.target, pass.id)) ?? [],
          held === selected,
          isAll,
        );
      },
    });
  }

  #row(
    held: HeldPass,
    index: number,
    schedules: readonly Schedule[],
    isSelected: boolean,
    isAll: boolean,
  ): unknown {
    const { pass, gateway } = held.view;
    const in_ = held.aos - this.#space.clock.now();
    const link = fragmentOf({ ...this.#space.address, ...selectionOf(this.#space, held) });
    return html`<tr aria-rowindex=${index} aria-current=${isSelected ? 'true' : nothing} class=${pass.status}>
      <th scope="row" class="mono"><a href=${link} title=${pass.id}>${dateTime(held.aos)}</a></th>
      <td class="num">${in_ > 0 ? duration(in_) : held.los - held.aos + in_ > 0 ? 'in progress' : html`<span class="muted">over</span>`}</td>
      <td class="num">${duration(held.los - held.aos)}</td>${isAll ? html`<td>${pass.target}</td>` : nothing}<td>${pass.station}</td><td class="num">${pass.max_elevation}</td>
      <td>${statusBadge(pass.status)}</td>
      <td>${schedules.map(({ state, id }) => html`<span class="badge ${SCHEDULE_LOOK[state].tone}" title=${id}>${SCHEDULE_LOOK[state].sign} ${SCHEDULE_LOOK[state].word}</span> `)}</td><td>${gatewayWords(gateway)}</td></tr>`;
  }
}
