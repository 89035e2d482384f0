/**
 * The timeline of passes with the schedules in them, the same as a table, and the selected pass beside it.
 *
 * P1. Lanes and schedules by pass are put together once for each answer, not once for each drawing.
 */

import { html, nothing } from 'lit-html';
import type { Schedule } from '../../../contract/schedule.ts';
import { clockTime } from '../../moment.ts';
import { between, type HeldPass } from '../data/held-pass.ts';
import { PassWindow } from '../data/pass-window.ts';
import { ScheduleWindow } from '../data/schedule-window.ts';
import { counted } from '../parts/counted.ts';
import { refusalView } from '../parts/refusal.ts';
import { panned, type TimeRange } from '../values/plot-time.ts';
import type { Workspace } from '../workspace.ts';
import { PassDetail, whenWords } from './pass-detail.ts';
import { PassTable } from './pass-table.ts';
import { ScheduleForm } from './schedule-form.ts';
import { offsetAt } from './schedule-words.ts';
import { scopeOf, selectedOf, selectionOf } from './selection.ts';
import { Timeline } from './timeline.ts';
import { keyOnTimeline } from './timeline-keys.ts';
import { byPass, type Lane, type LaneKind, lanesOf, passName } from './timeline-layout.ts';
import { timelineRange, zoomedTimeline } from './timeline-range.ts';

const LABEL =
  'Timeline of passes: arrows select, + and - zoom, Page Up and Page Down move, Home is now, Enter schedules';

type ByPass = ReadonlyMap<string, readonly Schedule[]>;

export class PassesView {
  readonly #space: Workspace;
  readonly #passes: PassWindow;
  readonly #schedules: ScheduleWindow;
  readonly #timeline: Timeline;
  readonly #table: PassTable;
  readonly #detail: PassDetail;
  readonly #form: ScheduleForm;
  #lanes:
    | { readonly of: readonly HeldPass[]; readonly kind: LaneKind; readonly lanes: readonly Lane[] }
    | undefined;
  #byPass: { readonly of: readonly Schedule[]; readonly map: ByPass } | undefined;
  #revealed: HeldPass | undefined;

  constructor(space: Workspace) {
    this.#space = space;
    this.#passes = new PassWindow(space.calmly);
    this.#schedules = new ScheduleWindow(space.calmly);
    this.#table = new PassTable(space);
    this.#detail = new PassDetail(space, () => this.#schedules.list.soon());
    this.#form = new ScheduleForm(space, () => this.#schedules.list.soon());
    this.#timeline = new Timeline({
      changed: space.soon,
      selected: (held) => this.#go(held, {}),
      panned: (share) => space.select(panned(this.range, share)),
      zoomed: (factor, at) => space.select(zoomedTimeline(this.range, factor, at)),
      key: (key) => this.#key(key),
      dropped: (run, held, at) => this.#go(held, { form: 'yes', run, offset: offsetAt(at, held) }),
    });
    space.whenRecovered(() => {
      this.#passes.list.soon();
      this.#schedules.reopen();
    });
  }

  get range(): TimeRange {
    return timelineRange(this.#space.address.query, this.#space.clock.now());
  }

  leave(): void {
    this.#passes.list.leave();
    this.#schedules.leave();
  }

  view(): unknown {
    const { range } = this;
    const all = this.#held(range);
    const selected = selectedOf(this.#space.address, this.#space.target, all);
    const schedules = this.#schedulesOf(range, selected);
    const inSight = between(all, range.from, range.to);
    this.#draw(range, all, schedules, selected);
    return html`${refusalView(this.#passes.list.refusal)} ${refusalView(this.#schedules.list.refusal)}
      ${this.#staleWords()}
      ${this.#timeline.element}
      <p class="muted" role="status" id="pass-words">${this.#statusWords(inSight, selected)}</p>
      <div class="columns pass-columns"><div>${this.#table.view(inSight, schedules, selected, scopeOf(this.#space) === '')}</div>
      <div>${this.#right(selected, schedules)}</div></div>`;
  }

  #staleWords(): unknown {
    const { passes } = this.#space;
    const notLive = [
      passes === undefined || passes.isLive ? [] : 'passes',
      this.#schedules.isLive ? [] : 'schedules',
    ].flat();
    if (notLive.length === 0) return nothing;
    return html`<p class="warn" role="status">Not live at the moment: ${notLive.join(', ')}. Trying again…</p>`;
  }

  #draw(
    { from, to }: TimeRange,
    all: readonly HeldPass[],
    schedules: ReadonlyMap<string, readonly Schedule[]>,
    selected: HeldPass | undefined,
  ): void {
    const isAll = scopeOf(this.#space) === '';
    const byStation = this.#space.address.query['rows'] !== 'target';
    const words = ({ view: { pass } }: HeldPass): string =>
      `${isAll || !byStation ? `${byStation ? pass.target : pass.station} ` : ''}${pass.max_elevation}`;
    const shown = {
      from,
      to,
      lanes: this.#lanesOf(all),
      schedules,
      selected,
      now: this.#space.clock.now(),
      words,
    };
    this.#timeline.draw(shown, LABEL);
    if (selected !== undefined && selected !== this.#revealed) this.#timeline.reveal(selected);
    this.#revealed = selected;
  }

  #statusWords(inSight: readonly HeldPass[], selected: HeldPass | undefined): string {
    const booked = inSight.filter(({ view }) => view.pass.status === 'booked').length;
    const { isCut, ageMs } = this.#passes.list;
    const cut = isCut ? '; more match than are shown: choose a shorter time or one target' : '';
    const at =
      scopeOf(this.#space) === '' && ageMs !== undefined
        ? `; of other targets as of ${clockTime(this.#space.clock.now() - ageMs).slice(0, 8)}Z`
        : '';
    const cutSchedules = this.#schedules.list.isCut ? '; not all schedules are shown' : '';
    const chosen =
      selected === undefined
        ? ''
        : `. Selected: ${selected.view.pass.target} over ${selected.view.pass.station}, ${whenWords(selected, this.#space.clock.now())}`;
    return `${counted(inSight.length, 'pass', 'passes')} in sight, ${booked} booked${cut}${cutSchedules}${at}${chosen}`;
  }

  #right(selected: HeldPass | undefined, schedules: ReadonlyMap<string, readonly Schedule[]>): unknown {
    const { mission, address } = this.#space;
    if (selected === undefined) {
      return address.selected === ''
        ? html`<p class="empty">Select a pass on the timeline or in the table; drag a procedure into one to schedule it.</p>`
        : html`<p class="empty">Pass ${address.selected} is not in the time that is shown.</p>`;
    }
    const { pass } = selected.view;
    const own = schedules.get(passName(pass.target, pass.id)) ?? [];
    const taken = new Set(own.map(({ id }) => id));
    return html`${address.query['form'] === 'yes' && mission.answer !== undefined ? this.#form.view(selected, mission.answer, taken) : nothing}
      ${this.#detail.view(selected, own)}`;
  }

  #held(range: TimeRange): readonly HeldPass[] {
    const { passes, clock } = this.#space;
    return this.#passes.of(
      { target: scopeOf(this.#space), from: range.from, to: range.to, now: clock.now() },
      passes,
    );
  }

  #lanesOf(passes: readonly HeldPass[]): readonly Lane[] {
    const kind = this.#space.address.query['rows'] === 'target' ? 'target' : 'station';
    if (this.#lanes?.of !== passes || this.#lanes.kind !== kind)
      this.#lanes = { of: passes, kind, lanes: lanesOf(passes, kind) };
    return this.#lanes.lanes;
  }

  #schedulesOf(range: TimeRange, selected: HeldPass | undefined): ReadonlyMap<string, readonly Schedule[]> {
    const [from, to] = [
      Math.min(range.from, selected?.aos ?? range.from),
      Math.max(range.to, selected?.los ?? range.to),
    ];
    this.#schedules.want(scopeOf(this.#space), from, to);
    const { items } = this.#schedules.list;
    if (this.#byPass?.of !== items) this.#byPass = { of: items, map: byPass(items) };
    return this.#byPass.map;
  }

  #go(held: HeldPass, more: Readonly<Record<string, string>>): void {
    const { selected, query } = selectionOf(this.#space, held);
    this.#space.go({ ...this.#space.address, selected, query: { ...query, ...more } });
  }

  #key(key: string): boolean {
    const { range } = this;
    const all = this.#held(range);
    const selected = selectedOf(this.#space.address, this.#space.target, all);
    return keyOnTimeline(this.#space, key, { range, lanes: this.#lanesOf(all), selected });
  }
}
