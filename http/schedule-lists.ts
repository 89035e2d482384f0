/**
 * Lists of schedules: those that this process holds, and where asked for those that have long been final, which are
 * read (`messaging/schedules-over.ts`). Mission Control Service, section 4.6.
 *
 * Q1. A list that does not ask for final schedules reads nothing.
 * Q2. Those at hand are looked at first: one that leaves them meanwhile is among the others already.
 * Q3. A list of a pass or a target may read a year for the few that it has: such lists are read one at a time.
 */

import Type from 'typebox';
import { PATH_CHARACTERS } from '../contract/limits/request.ts';
import { SCHEDULE_LIST_MOST } from '../contract/limits/schedule.ts';
import type { ScheduleList } from '../contract/schedule.ts';
import { FINAL_STATES, type StoredSchedule } from '../contract/stored-schedule.ts';
import { byStart, createdOf, endOf, startOf } from '../mission/schedule/schedule.ts';
import type { RoutePorts } from './ports.ts';
import type { QueryParameter } from './route.ts';
import { scheduleView } from './schedule-view.ts';

/** Where a list goes on: behind this schedule, in the order of lists. */
interface ScheduleCursor {
  readonly start: number;
  readonly created: number;
  readonly id: string;
}

export interface ScheduleQuery {
  readonly pass?: string | undefined;
  readonly target?: string | undefined;
  readonly all?: boolean | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly after?: ScheduleCursor | undefined;
}

const CURSOR = /^(-?\d{1,16})\.(-?\d{1,16})\.([A-Za-z0-9_-]{1,300})$/;

export const cursorInQuery: QueryParameter<ScheduleCursor> = {
  schema: Type.String({
    maxLength: PATH_CHARACTERS,
    description: 'Continue behind this schedule: the `next` of a list.',
  }),
  expected: 'the next of a list',
  parse(text) {
    const [, start, created, id] = CURSOR.exec(text) ?? [];
    if (id === undefined) return undefined;
    return { start: Number(start), created: Number(created), id };
  },
};

type Ports = Pick<RoutePorts, 'passes' | 'schedules' | 'schedulesOver'>;

export async function listOfSchedules(query: ScheduleQuery, ports: Ports): Promise<ScheduleList> {
  const { schedules, schedulesOver, passes } = ports;
  const { from, to, after, all } = query;
  const isOnPass = query.pass === undefined ? undefined : namedBy(query.pass, passes);
  const matches = (schedule: StoredSchedule): boolean =>
    (all === true || !FINAL_STATES.has(schedule.state)) &&
    (query.target === undefined || schedule.target === query.target) &&
    (isOnPass === undefined || isOnPass(schedule)) &&
    (from === undefined || endOf(schedule) > from) &&
    (to === undefined || startOf(schedule) < to) &&
    (after === undefined || isBehind(schedule, after));
  const atHand = schedules.schedules().filter(matches);
  const over =
    all === true
      ? await overOf(query, schedulesOver, (each) => !schedules.get(each.id) && matches(each))
      : [];
  const matching = over.length === 0 ? atHand : [...atHand, ...over].sort(byStart);
  const listed = matching.slice(0, SCHEDULE_LIST_MOST);
  const last = matching.length > listed.length ? listed.at(-1) : undefined;
  return {
    schedules: listed.map((each) => scheduleView(each, ports)),
    ...(last !== undefined && { next: cursorOf(last) }),
  };
}

/** Those that are long final, each identifier once: as it was changed last. */
async function overOf(
  { pass, target, from, to, after }: ScheduleQuery,
  over: RoutePorts['schedulesOver'],
  wanted: (schedule: StoredSchedule) => boolean,
): Promise<StoredSchedule[]> {
  const newest = new Map<string, StoredSchedule>();
  const time = { from, to, since: after?.start };
  const isSearch = pass !== undefined || target !== undefined;
  const found = await (isSearch
    ? over.search(time, SCHEDULE_LIST_MOST, wanted)
    : over.list(time, SCHEDULE_LIST_MOST, wanted));
  for (const schedule of found) {
    const known = newest.get(schedule.id);
    if (known === undefined || Date.parse(known.updated_at) < Date.parse(schedule.updated_at))
      newest.set(schedule.id, schedule);
  }
  return [...newest.values()];
}

/** Schedules of the pass of that name, also where it is the name of a contribution. */
function namedBy(name: string, passes: RoutePorts['passes']): (schedule: StoredSchedule) => boolean {
  const ids = new Map<string, string | undefined>();
  return ({ target, pass }) => {
    if (pass === name) return true;
    if (!ids.has(target)) ids.set(target, passes.find(target, name)?.id);
    return ids.get(target) === pass;
  };
}

function cursorOf(schedule: StoredSchedule): string {
  return `${startOf(schedule)}.${createdOf(schedule)}.${schedule.id}`;
}

/** In the order of `byStart`. */
function isBehind(schedule: StoredSchedule, { start, created, id }: ScheduleCursor): boolean {
  const between = startOf(schedule) - start || createdOf(schedule) - created;
  return between === 0 ? schedule.id > id : between > 0;
}
