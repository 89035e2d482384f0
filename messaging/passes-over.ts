/**
 * Passes that are long over, by the day of their AOS and their target (`aged-records.ts`, decision 36): listed, found,
 * matched against, and taken from those in use.
 *
 * O1. A pass here and one in use with its identifier, on the same day or the next to it, are copies of one: the one in
 *     use is shown, and when it comes here what each source said last counts. Further apart they are two passes.
 * O2. A pass leaves those in use when what stands here says all that it says, and has stood for `AGED_REST_MS`.
 * O3. A list reads day by day, and ends when it has enough; what is matched is bounded as those in use are.
 * O4. A search by identifier may read a year of its target: a process makes one at a time, and lets few wait.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { AGED_READS, AGED_REST_MS } from '../contract/limits/aged.ts';
import { PASS_LIVE_AFTER_LOS_MS, PASS_REACH_MS, PASSES_OF_TARGET } from '../contract/limits/pass.ts';
import { type PassOver, readPassOver, type StoredPass } from '../contract/pass.ts';
import { newestOf } from '../mission/pass/merge.ts';
import { passNamed, type Window, windowOf } from '../mission/pass/pass.ts';
import type { Bus } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import {
  type Aged,
  type AgedDay,
  AgedRecords,
  type AgedTime,
  beginOf,
  DAY_MS,
  dayOf,
} from './aged-records.ts';
import { Searches } from './searches.ts';

export interface PassesOfTime extends AgedTime {
  readonly target?: string | undefined;
}

/** A write that would leave a target with more passes than it may have, or would have to look at more. */
export class TooManyPasses extends Error {
  readonly help: string;

  constructor(message: string, help: string) {
    super(message);
    this.help = help;
  }
}

export class PassesOver {
  readonly #records: AgedRecords<PassOver>;
  readonly #searches = new Searches('passes that are long over');

  constructor(tools: { readonly bus: Bus; readonly log: Log }) {
    this.#records = new AgedRecords(tools, { bucket: buckets.passesOver, read: readPassOver });
  }

  /** Those that are wanted of the days of a time, day after day until there are more than `most` (O3); in no order. */
  list(
    { target, ...time }: PassesOfTime,
    most: number,
    wanted: (pass: StoredPass) => boolean,
  ): Promise<PassOver[]> {
    return this.#records.list(time, most, ({ pass }) => wanted(pass), target);
  }

  /**
   * The pass that somebody names by its identifier or by that of a contribution; of several the one of the last day.
   * Reads the days of a target until it is found: one search at a time (O4).
   */
  find(target: string, name: string): Promise<PassOver | undefined> {
    return this.#searches.make(() => this.#search(target, name));
  }

  async #search(target: string, name: string): Promise<PassOver | undefined> {
    const days = (await this.#records.days()).reverse();
    for (let next = 0; next < days.length; next += AGED_READS) {
      const some = days.slice(next, next + AGED_READS);
      for (const ofDay of await Promise.all(some.map(({ day }) => this.#records.ofDay(day, target)))) {
        const pass = passNamed(
          ofDay.map((over) => over.pass),
          name,
        );
        if (pass !== undefined) return ofDay.find((over) => over.pass === pass);
      }
    }
    return undefined;
  }

  /** What a contribution of that time is matched against. Throws `TooManyPasses`. */
  async reached(target: string, { aos, los }: Window): Promise<StoredPass[]> {
    const days = (await this.#records.days()).filter(
      ({ day, until }) => until > aos - DAY_MS && beginOf(day) < los + DAY_MS,
    );
    const found: StoredPass[] = [];
    for (let next = 0; next < days.length; next += AGED_READS) {
      const some = days.slice(next, next + AGED_READS);
      const read = await Promise.all(some.map(({ day }) => this.#records.ofDay(day, target)));
      found.push(...read.flat().map(({ pass }) => pass));
      if (found.length > PASSES_OF_TARGET) {
        const message = `the interval has more than ${PASSES_OF_TARGET} passes of ${target} that are long over`;
        throw new TooManyPasses(message, 'Choose a shorter interval.');
      }
    }
    return found;
  }

  /** Keeps passes of a target; those of them that may leave the ones in use (O1, O2). */
  async keep(target: string, passes: readonly PassOver[], now: number): Promise<StoredPass[]> {
    const days = await this.#records.days();
    const byDay = new Map<string, PassOver[]>();
    for (const over of passes) addTo(byDay, dayOf(windowOf(over.pass).aos), over);
    const rested: StoredPass[] = [];
    for (const [day, ofDay] of byDay) rested.push(...(await this.#keepOf({ target, day, days, now }, ofDay)));
    return rested;
  }

  async #keepOf(
    { target, day, days, now }: { target: string; day: string; days: readonly AgedDay[]; now: number },
    passes: readonly PassOver[],
  ): Promise<StoredPass[]> {
    const near = neighbours(day).filter((each) => days.some((known) => known.day === each));
    const standing = new Map<string, Aged<PassOver>>();
    for (const each of near)
      if ((await this.#records.groups(each)).includes(target))
        standing.set(each, await this.#records.read(each, target));
    const rested: StoredPass[] = [];
    const moved = new Map<string, PassOver[]>();
    for (const over of passes) {
      const { whole, at } = wholeOf(over, standing);
      if (at === undefined) addTo(moved, dayOf(windowOf(whole.pass).aos), whole);
      else if (at <= now - AGED_REST_MS) rested.push(over.pass);
    }
    for (const [place, ofPlace] of moved) await this.#put(target, place, ofPlace, { standing, now });
    return rested;
  }

  /**
   * Writes them, and takes their copies out of the days next to it; where that is not done it is done the next time.
   */
  async #put(
    target: string,
    day: string,
    passes: readonly PassOver[],
    { standing, now }: { standing: ReadonlyMap<string, { items: readonly PassOver[] }>; now: number },
  ): Promise<void> {
    const ids = new Set(passes.map(({ pass }) => pass.id));
    const without = (items: readonly PassOver[]): PassOver[] => items.filter(({ pass }) => !ids.has(pass.id));
    const until = Math.max(...passes.map(({ pass }) => windowOf(pass).los));
    const place = { day, group: target, until };
    const isKept = await this.#records.change(place, now, (items) => [...without(items), ...passes]);
    if (!isKept) return;
    for (const [other, { items }] of standing)
      if (other !== day && without(items).length < items.length)
        await this.#records.change({ day: other, group: target, until: 0 }, now, without);
  }
}

/** What a contribution to these times reaches of the passes that are long over; undefined: nothing. */
export function reachOf(windows: readonly Window[], now: number): Window | undefined {
  const aos = windows.reduce((least, window) => Math.min(least, window.aos), Number.POSITIVE_INFINITY);
  const los = windows.reduce((most, window) => Math.max(most, window.los), 0);
  return aos < now - PASS_REACH_MS ? { aos, los } : undefined;
}

/** Whether a pass is one that is moved here. */
export function isLongOver(pass: StoredPass, now: number): boolean {
  return windowOf(pass).los < now - PASS_LIVE_AFTER_LOS_MS;
}

/** Whether two passes of one target and identifier are copies of one (O1). */
export function isCopy(one: StoredPass, other: StoredPass): boolean {
  const days = [one, other].map((pass) => beginOf(dayOf(windowOf(pass).aos)));
  return Math.abs(days[0]! - days[1]!) <= DAY_MS;
}

function addTo<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function neighbours(day: string): string[] {
  return [-1, 0, 1].map((days) => dayOf(beginOf(day) + days * DAY_MS));
}

/**
 * O1: what is to stand of a pass; `at` when it was written, where it stands so already and nowhere else. An entry of a
 * pass that differs in its check alone is left as it is.
 */
function wholeOf(
  over: PassOver,
  standing: ReadonlyMap<string, { readonly items: readonly PassOver[]; readonly at: number | undefined }>,
): { whole: PassOver; at: number | undefined } {
  const copies = [...standing].flatMap(([day, { items, at }]) =>
    items.filter(({ pass }) => pass.id === over.pass.id).map((copy) => ({ day, at, copy })),
  );
  let { pass, gateway } = over;
  for (const { copy } of copies) {
    pass = newestOf(pass, copy.pass);
    gateway ??= copy.gateway;
  }
  const whole: PassOver = { pass, ...(gateway !== undefined && { gateway }) };
  const [only] = copies;
  const stands =
    copies.length === 1 &&
    only!.day === dayOf(windowOf(pass).aos) &&
    JSON.stringify(only!.copy.pass) === JSON.stringify(pass);
  return { whole, at: stands ? only!.at : undefined };
}
