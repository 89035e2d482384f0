/**
 * Schedules that have long been final, by the day of their start (`aged-records.ts`, decision 36): listed, found, and
 * taken from those that every process holds. They are spread over groups by their identifiers, so that one is found
 * without its day being known, and a day is listed in few reads.
 *
 * O1. Of two records of one identifier the one that was changed last counts; one that every process holds goes before
 *     all that stand here.
 * O2. A schedule leaves those that every process holds when what stands here is the same, and has stood for
 *     `AGED_REST_MS`.
 * O3. Whatever may read a year waits for its turn: one search at a time.
 */

import { createHash } from 'node:crypto';
import { buckets } from '../contract/bus/buckets.ts';
import { AGED_READS, AGED_REST_MS } from '../contract/limits/aged.ts';
import { SCHEDULE_GROUPS, SCHEDULE_LIVE_AFTER_END_MS } from '../contract/limits/schedule.ts';
import type { StoredSchedule } from '../contract/stored-schedule.ts';
import { endOf, startOf } from '../mission/schedule/schedule.ts';
import type { Bus } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import { type AgedPlace, AgedRecords, type AgedTime, dayOf } from './aged-records.ts';
import { isOpen, readSchedule } from './schedule-book.ts';
import { Searches } from './searches.ts';

export class SchedulesOver {
  readonly #bus: Bus;
  readonly #records: AgedRecords<StoredSchedule>;
  readonly #searches = new Searches('schedules that have long been final');

  constructor(tools: { readonly bus: Bus; readonly log: Log }) {
    this.#bus = tools.bus;
    this.#records = new AgedRecords(tools, { bucket: buckets.schedulesOver, read: readOver });
  }

  /** Those that are wanted of the days of a time, day after day until there are more than `most`; in no order. */
  list(
    time: AgedTime,
    most: number,
    wanted: (schedule: StoredSchedule) => boolean,
  ): Promise<StoredSchedule[]> {
    return this.#records.list(time, most, wanted);
  }

  /** The same where most of a day may not be wanted, so that a year may be read (O3). */
  search(
    time: AgedTime,
    most: number,
    wanted: (schedule: StoredSchedule) => boolean,
  ): Promise<StoredSchedule[]> {
    return this.#searches.make(() => this.list(time, most, wanted));
  }

  /** The one of that identifier that was changed last. Reads an entry of each day (O3). */
  find(id: string): Promise<StoredSchedule | undefined> {
    return this.#searches.make(() => this.#search(id));
  }

  async #search(id: string): Promise<StoredSchedule | undefined> {
    const days = (await this.#records.days()).reverse();
    const group = groupOf(id);
    for (let next = 0; next < days.length; next += AGED_READS) {
      const some = days.slice(next, next + AGED_READS);
      const read = await Promise.all(some.map(({ day }) => this.#records.readIfThere(day, group)));
      const found = read.flatMap(({ items }) => items).filter((schedule) => schedule.id === id);
      if (found.length > 0) return found.sort(byChange).at(-1);
    }
    return undefined;
  }

  /** Keeps schedules; those of them that may leave the ones that every process holds (O2). */
  async keep(schedules: readonly StoredSchedule[], now: number): Promise<StoredSchedule[]> {
    const places = new Map<string, { place: AgedPlace; those: StoredSchedule[] }>();
    for (const schedule of schedules) {
      const [day, group] = [dayOf(startOf(schedule)), groupOf(schedule.id)];
      const known = places.get(`${day}.${group}`);
      const until = Math.max(known?.place.until ?? 0, endOf(schedule));
      places.set(`${day}.${group}`, {
        place: { day, group, until },
        those: [...(known?.those ?? []), schedule],
      });
    }
    const rested: StoredSchedule[] = [];
    for (const { place, those } of places.values()) rested.push(...(await this.#keepIn(place, those, now)));
    return rested;
  }

  /** Takes a schedule from those that every process holds, if it is there as it was kept. */
  async leave(schedule: StoredSchedule): Promise<void> {
    const bucket = this.#bus.bucket(buckets.schedules);
    const entry = await bucket.get(schedule.id);
    const standing = entry && readSchedule(schedule.id, entry.value);
    if (entry === undefined || standing === undefined || !isSame(standing, schedule)) return;
    await bucket.remove(schedule.id, entry.revision);
  }

  async #keepIn(
    place: AgedPlace,
    schedules: readonly StoredSchedule[],
    now: number,
  ): Promise<StoredSchedule[]> {
    const { items, at } = await this.#records.readIfThere(place.day, place.group);
    const standing = new Map(items.map((each) => [each.id, each]));
    const missing = schedules.filter((each) => !isSame(standing.get(each.id), each));
    if (missing.length > 0) await this.#records.change(place, now, (known) => withNewest(known, missing));
    const hasRested = at !== undefined && at <= now - AGED_REST_MS;
    return hasRested ? schedules.filter((each) => isSame(standing.get(each.id), each)) : [];
  }
}

/** Whether a schedule is one that is moved here. */
export function isLongFinal(schedule: StoredSchedule, now: number): boolean {
  const changed = Date.parse(schedule.updated_at);
  return !isOpen(schedule) && Math.max(changed, endOf(schedule)) < now - SCHEDULE_LIVE_AFTER_END_MS;
}

/** O1 */
function withNewest(known: readonly StoredSchedule[], more: readonly StoredSchedule[]): StoredSchedule[] {
  const newest = new Map(known.map((each) => [each.id, each]));
  for (const each of more) {
    const before = newest.get(each.id);
    if (before === undefined || byChange(before, each) <= 0) newest.set(each.id, each);
  }
  return [...newest.values()];
}

function byChange(one: StoredSchedule, other: StoredSchedule): number {
  return Date.parse(one.updated_at) - Date.parse(other.updated_at);
}

function isSame(one: StoredSchedule | undefined, other: StoredSchedule): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other);
}

function groupOf(id: string): string {
  const [first = 0] = createHash('sha256').update(id).digest();
  return `g${first % SCHEDULE_GROUPS}`;
}

function readOver(group: string, stored: unknown): StoredSchedule | undefined {
  const id = (stored as { id?: unknown } | null)?.id;
  if (typeof id !== 'string' || groupOf(id) !== group) return undefined;
  const read = readSchedule(id, Buffer.from(JSON.stringify(stored)));
  return read !== undefined && !isOpen(read) ? read : undefined;
}
