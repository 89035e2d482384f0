/**
 * Records that are long over, apart from those in use: a year of them, by day and group (a target), of which nobody
 * reads more than was asked for (decision 36). An entry has the records of one group of one day.
 *
 * D1. Whatever is read is read by its key, and is there: to list what matches a filter, or to ask for a key that is not
 *     there, costs nats-server 2.9 a look at every key of the bucket.
 * D2. What leads to an entry stands before it does: the list of days, the groups of the day, then the entry. A store
 *     that lost its end holds nothing that cannot be found.
 * D3. Every write is conditional on what was read; who loses reads again.
 * D4. What cannot be read is left out, with a line in the log, and is never written over.
 * D5. Entries leave by their age. What leads to one is written again when it is a day old, so that it does not leave
 *     before.
 * D6. The days and the bytes of an entry are bounded: what does not fit is not taken.
 */

import { gunzipSync, gzipSync } from 'node:zlib';
import type { BucketDefinition } from '../contract/bus/buckets.ts';
import { parseJsonBytes } from '../contract/json-bytes.ts';
import {
  AGED_DAYS,
  AGED_DAYS_AT_ONCE,
  AGED_ENTRY_BYTES,
  AGED_READ_BYTES,
  AGED_READS,
  AGED_ROUNDS,
  AGED_SAID,
} from '../contract/limits/aged.ts';
import { isToken } from '../contract/token.ts';
import type { Bucket, Bus } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';

export const DAY_MS = 24 * 3_600_000;
/** What leads to everything else. */
const DAYS = 'days';

/** How records of one kind are kept. */
export interface AgedKind<Item> {
  readonly bucket: BucketDefinition;
  /** One as it was stored; undefined where it cannot be read. */
  readonly read: (group: string, stored: unknown) => Item | undefined;
}

export interface AgedDay {
  /** `20260102`, UTC */
  readonly day: string;
  /** No record of it ends later; ms since 1970. */
  readonly until: number;
}

/** Which records a list is of. */
export interface AgedTime {
  /** Ends behind this time; ms since 1970. */
  readonly from?: number | undefined;
  /** Begins before this time. */
  readonly to?: number | undefined;
  /** Does not begin before this time. */
  readonly since?: number | undefined;
}

/** The records of a group of a day as they stand. */
export interface Aged<Item> {
  readonly items: readonly Item[];
  /** When the entry was written, ms since 1970; undefined: there is none. */
  readonly at: number | undefined;
}

/** Where a record belongs, and when it ends. */
export interface AgedPlace {
  readonly day: string;
  readonly group: string;
  readonly until: number;
}

/** As they are stored. `kept`: when it was last made sure that the day leads to its entries. */
type Days = Readonly<Record<string, { readonly until: number; readonly kept: number }>>;
interface Stored<Value> {
  readonly value: Value;
  readonly revision: number;
  readonly at: number | undefined;
}

export class AgedRecords<Item> {
  readonly #bus: Bus;
  readonly #log: Log;
  readonly #kind: AgedKind<Item>;
  readonly #said = new Set<string>();

  constructor({ bus, log }: { readonly bus: Bus; readonly log: Log }, kind: AgedKind<Item>) {
    this.#bus = bus;
    this.#log = log;
    this.#kind = kind;
  }

  /** The days there are records of, the first one first. */
  async days(): Promise<AgedDay[]> {
    const stored = await this.#get(DAYS, readDays);
    const days = Object.entries(stored?.value ?? {}).map(([day, { until }]) => ({ day, until }));
    return days.sort((one, other) => (one.day < other.day ? -1 : 1));
  }

  /** The groups that have records of a day; D4 of what can be the name of none. */
  async groups(day: string): Promise<readonly string[]> {
    const stored = (await this.#get(day, readGroups))?.value ?? [];
    const groups = stored.filter(isToken);
    if (groups.length < stored.length)
      this.#say('error', day, 'malformed group name in a day of finished records: ignored');
    return groups;
  }

  /** Of a group that the day has: to ask for a key that is not there is a search through the bucket (D1). */
  async read(day: string, group: string): Promise<Aged<Item>> {
    const key = `${day}.${group}`;
    const stored = await this.#get(key, readRecords);
    return { items: this.#items(key, group, stored?.value ?? []).map(({ item }) => item), at: stored?.at };
  }

  /** The same of a group that the day may not have. */
  async readIfThere(day: string, group: string): Promise<Aged<Item>> {
    return (await this.groups(day)).includes(group) ? this.read(day, group) : { items: [], at: undefined };
  }

  /** Those of a day, of every group or of one. */
  async ofDay(day: string, group?: string): Promise<Item[]> {
    const groups = await this.groups(day);
    const wanted = group === undefined ? groups : groups.filter((each) => each === group);
    const found: Item[] = [];
    for (let next = 0; next < wanted.length; next += AGED_READS) {
      const some = wanted.slice(next, next + AGED_READS);
      const read = await Promise.all(some.map((each) => this.read(day, each)));
      for (const { items } of read) found.push(...items);
    }
    return found;
  }

  /** Those that are wanted of the days of a time, day after day until there are more than `most`; in no order. */
  async list(
    { from, to, since }: AgedTime,
    most: number,
    wanted: (item: Item) => boolean,
    group?: string,
  ): Promise<Item[]> {
    const days = (await this.days()).filter(
      ({ day, until }) =>
        (from === undefined || until > from) &&
        (to === undefined || beginOf(day) < to) &&
        (since === undefined || beginOf(day) + DAY_MS > since),
    );
    const found: Item[] = [];
    for (let [next, count] = [0, 1]; next < days.length && found.length <= most; ) {
      const some = days.slice(next, next + count);
      const read = await Promise.all(some.map(({ day }) => this.ofDay(day, group)));
      for (const item of read.flat()) if (wanted(item)) found.push(item);
      next += count;
      count = Math.min(2 * count, AGED_DAYS_AT_ONCE);
    }
    return found;
  }

  /**
   * Changes the records of a group of a day: `change` is given those that stand, and again when others wrote meanwhile.
   * False where they could not be written, as they cannot be read, do not fit, or others are faster.
   */
  async change(
    { day, group, until }: AgedPlace,
    now: number,
    change: (items: readonly Item[]) => readonly Item[],
  ): Promise<boolean> {
    const key = `${day}.${group}`;
    let [isNewDay, isNew] = [false, false];
    const isLedTo =
      (await this.#rewrite(DAYS, readDays, (days, at) => {
        isNewDay = days[day] === undefined;
        return daysWith(days, { day, until, at, now });
      })) &&
      (await this.#rewrite(
        day,
        readGroups,
        (groups, at) => {
          isNew = !groups.includes(group);
          return groupsWith(groups, group, { at, now });
        },
        isNewDay,
      ));
    if (!isLedTo) return false;
    const changed = (stored: readonly unknown[]): readonly unknown[] => {
      const known = this.#items(key, group, stored);
      const strangers = stored.filter((each) => !known.some(({ raw }) => raw === each));
      return [...change(known.map(({ item }) => item)), ...strangers];
    };
    return this.#rewrite(key, readRecords, changed, isNew);
  }

  /**
   * D3: false where it cannot be written. `next` gives back what it was given where nothing is to be written, and
   * nothing where there is no room; one that is new is asked for only when it turns out not to be.
   */
  async #rewrite<Value>(
    key: string,
    read: (stored: unknown) => Value | undefined,
    next: (value: Value, at: number | undefined) => Value | undefined,
    isNew = false,
  ): Promise<boolean> {
    for (let round = 0; round < AGED_ROUNDS; round += 1) {
      const none = { value: read(undefined)!, revision: 0, at: undefined };
      const stored = isNew && round === 0 ? none : await this.#get(key, read);
      if (stored === undefined) return false;
      const value = next(stored.value, stored.at);
      if (value === stored.value && stored.revision !== 0) return true;
      const bytes = value === undefined ? undefined : gzipSync(JSON.stringify(value), { level: 1 });
      if (bytes === undefined || bytes.length > AGED_ENTRY_BYTES) {
        this.#say('warn', key, 'no room for what is over: it stays in use');
        return false;
      }
      const written = await this.#bucket.put(key, bytes, stored.revision);
      if (written.outcome === 'written') return true;
    }
    return false;
  }

  /** Revision 0 and nothing where there is none; undefined where it cannot be read (D4). */
  async #get<Value>(
    key: string,
    read: (stored: unknown) => Value | undefined,
  ): Promise<Stored<Value> | undefined> {
    const entry = await this.#bucket.get(key);
    if (entry === undefined) return { value: read(undefined)!, revision: 0, at: undefined };
    const value = read(unpacked(entry.value));
    if (value !== undefined) return { value, revision: entry.revision, at: entry.at };
    this.#say('error', key, 'malformed entry of what is over: left out');
    return undefined;
  }

  /** D4 */
  #items(
    key: string,
    group: string,
    stored: readonly unknown[],
  ): { readonly item: Item; readonly raw: unknown }[] {
    return stored.flatMap((raw) => {
      const item = this.#kind.read(group, raw);
      if (item !== undefined) return { item, raw };
      this.#say('error', key, 'malformed record of what is over: left out');
      return [];
    });
  }

  /** Once of an entry: those that cannot be read or written are met again and again. */
  #say(level: 'warn' | 'error', key: string, what: string): void {
    const about = `${key} ${what}`;
    if (this.#said.has(about)) return;
    if (this.#said.size >= AGED_SAID) this.#said.clear();
    this.#said.add(about);
    this.#log[level]({ key, bucket: this.#kind.bucket.name }, what);
  }

  get #bucket(): Bucket {
    return this.#bus.bucket(this.#kind.bucket);
  }
}

/** The day of a moment, UTC; of years that have four digits, as those of RFC 3339 have. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');
}

/** When a day begins, ms since 1970. */
export function beginOf(day: string): number {
  return Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`);
}

/**
 * D2, D5, D6. Ages are taken at the last write, by the clock of the bus: a process whose clock is years off removes
 * nothing.
 */
function daysWith(
  days: Days,
  { day, until, at, now }: { day: string; until: number; at: number | undefined; now: number },
): Days | undefined {
  const known = days[day];
  if (known !== undefined && known.until >= until && known.kept > now - DAY_MS) return days;
  const living = Object.entries(days).filter(([, { kept }]) => at === undefined || kept > at - FORGOTTEN_MS);
  const kept = { until: Math.max(until, known?.until ?? until), kept: Math.max(now, at ?? now) };
  const all = { ...Object.fromEntries(living), [day]: kept };
  return Object.keys(all).length > AGED_DAYS ? undefined : all;
}

/** A day whose last record came longer ago leads to nothing any more: buckets of what is over keep a year. */
const FORGOTTEN_MS = 370 * DAY_MS;

function groupsWith(
  groups: readonly string[],
  group: string,
  { at, now }: { at: number | undefined; now: number },
): readonly string[] {
  const isKnown = groups.includes(group);
  if (isKnown && at !== undefined && at > now - DAY_MS) return groups;
  return isKnown ? [...groups] : [...groups, group].sort();
}

function unpacked(bytes: Uint8Array): unknown {
  try {
    return parseJsonBytes(gunzipSync(bytes, { maxOutputLength: AGED_READ_BYTES }));
  } catch {
    return null;
  }
}

/** Each reads what is not there (undefined) as empty, and gives undefined for anything else. */
function readDays(stored: unknown): Days | undefined {
  if (stored === undefined) return {};
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return undefined;
  const isWhole = Object.entries(stored).every(
    ([day, kept]) => /^\d{8}$/.test(day) && Number.isFinite(kept?.until) && Number.isFinite(kept?.kept),
  );
  return isWhole ? (stored as Days) : undefined;
}

function readGroups(stored: unknown): readonly string[] | undefined {
  if (stored === undefined) return [];
  return Array.isArray(stored) && stored.every((group) => typeof group === 'string') ? stored : undefined;
}

function readRecords(stored: unknown): readonly unknown[] | undefined {
  if (stored === undefined) return [];
  return Array.isArray(stored) ? stored : undefined;
}
