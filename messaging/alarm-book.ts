/**
 * The alarms of a cell that are not normal, or shelved, as their bucket reports them. Mission Control Service, sections
 * 2.4 and 4.4.
 *
 * K1. An alarm that cannot be read is reported in the log and left out; it hides no other.
 * K2. A list has every write that the bus had when it was asked for. Where that is not known here, because the watch is
 *     not complete yet or the store went back, whoever asks reads the bucket.
 * K4. A removal, which only people make, comes without its revision. The last write of the bucket was one where nothing
 *     stands in it that is later than what the watch has handed over. No clock is asked: a process may have slept.
 * K3. A list costs what it lists: a mission has a hundred thousand alarms that are normal again, and keeps their
 *     records. They are watched from the first list on: many processes never make one.
 * K5. Who asks does not choose the cost of reading the bucket: those who come while it is read share the next reading
 *     (shared-question.V2), and between two slices of what was read the loop serves others.
 */

import type { StoredAlarm } from '../contract/alarm.ts';
import { type AlarmName, alarmNamed } from '../contract/alarm-name.ts';
import { buckets } from '../contract/bus/buckets.ts';
import { ALARM_SEEN_MS } from '../contract/limits/alarm.ts';
import { readStoredAlarm } from '../contract/stored-alarm.ts';
import type { Bus, Entry, Stoppable } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { SharedQuestions } from '../ports/shared-question.ts';
import { mappedInSlices, sortedInSlices } from './in-slices.ts';
import { type KeptWatch, keepWatching } from './kept-watch.ts';
import { SortedEntries } from './sorted-entries.ts';

/** The record of an alarm under its name. */
export interface RecordedAlarm {
  readonly key: string;
  readonly name: AlarmName;
  readonly stored: StoredAlarm;
  readonly revision: number;
}

/** What stood in the bucket, or the part of it that was asked for. */
interface Reading {
  readonly alarms: readonly RecordedAlarm[];
  /** Those of all entries, also of some that cannot be read (K1). */
  readonly keys: ReadonlySet<string>;
  readonly latest: number;
}

interface AlarmBookOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}

export class AlarmBook implements Stoppable {
  readonly #options: AlarmBookOptions;
  readonly #open = new SortedEntries<RecordedAlarm>(byKey);
  /** By what they ask for (K5). */
  readonly #readings = new SharedQuestions((filter) => this.#reading(filter));
  /** Who waits for a revision. */
  readonly #waiting = new Set<() => void>();
  /** Of what the watch has handed over last. */
  #reached = 0;
  /** A last write of the bucket that was a removal (K4). */
  #removal = 0;
  #watch: KeptWatch | undefined;

  constructor(options: AlarmBookOptions) {
    this.#options = options;
  }

  /** Those of a target, or all, by their keys. Throws `Outage`. */
  async open(target?: string): Promise<readonly RecordedAlarm[]> {
    const missing = await this.#missing();
    const open = missing === undefined ? this.#open.sorted() : (await this.#readUpTo(missing)).filter(isOpen);
    return target === undefined ? open : open.filter(({ name }) => name.target === target);
  }

  /** All of a target, or all there are, also those that are normal, by their keys. Throws `Outage`. */
  async recorded(target?: string): Promise<readonly RecordedAlarm[]> {
    return (await this.#readings.ask(target === undefined ? '>' : `${target}.>`)).alarms;
  }

  async stop(): Promise<void> {
    await this.#watch?.stop();
    this.#wake();
  }

  /** K2: a position that the watch has not come to; undefined: it has everything. */
  async #missing(): Promise<number | undefined> {
    const { bus, clock } = this.#options;
    this.#watch ??= keepWatching(this.#options, buckets.alarms, (key, entry) => this.#changed(key, entry));
    if (!this.#watch.live) return 0;
    const before = this.#reached;
    const position = await bus.bucket(buckets.alarms).position();
    // The store went back, and the watch may not have noticed.
    if (position < before) return 0;
    if (position === this.#removal) return undefined;
    const until = clock.now() + ALARM_SEEN_MS;
    while (this.#reached < position && clock.now() < until) await this.#next(until);
    return this.#reached >= position && this.#watch.live ? undefined : position;
  }

  async #readUpTo(missing: number): Promise<readonly RecordedAlarm[]> {
    const { alarms, keys, latest } = await this.#readings.ask('>');
    const isRemoval = missing > this.#reached && latest <= this.#reached;
    if (isRemoval && this.#watch?.live === true) await this.#removed(missing, keys);
    return alarms;
  }

  /** K4. A copy that lags may leave out what stands: so the leader is asked for each that seems to be gone. */
  async #removed(position: number, standing: ReadonlySet<string>): Promise<void> {
    this.#removal = position;
    const bucket = this.#options.bus.bucket(buckets.alarms);
    for (const alarm of this.#open.sorted()) {
      const { key, revision } = alarm;
      if (standing.has(key) || revision > position || (await bucket.get(key)) !== undefined) continue;
      // It may have been handed over again meanwhile.
      if (this.#open.get(key) === alarm) this.#open.set(key, undefined);
    }
  }

  /** K5 */
  async #reading(filter: string): Promise<Reading> {
    const keys = new Set<string>();
    let latest = 0;
    const entries = await this.#options.bus.bucket(buckets.alarms).list(filter);
    const alarms = await mappedInSlices(entries, (entry) => {
      keys.add(entry.key);
      latest = Math.max(latest, entry.revision);
      return this.#read(entry);
    });
    return { alarms: await sortedInSlices(alarms, byKey), keys, latest };
  }

  /** Something has changed, or that time is over. */
  #next(until: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const done = (): void => {
        clock.clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = clock.setTimeout(done, until - clock.now());
      this.#waiting.add(done);
    });
  }

  #changed(key: string, entry: Entry | undefined): void {
    const alarm = entry && this.#read(entry);
    this.#open.set(key, alarm !== undefined && isOpen(alarm) ? alarm : undefined);
    if (entry === undefined) return;
    this.#reached = entry.revision;
    // Of a store that went back the same position may be that of something else.
    this.#removal = 0;
    this.#wake();
  }

  #wake(): void {
    for (const done of this.#waiting) done();
  }

  /** K1 */
  #read({ key, value, revision }: Entry): RecordedAlarm | undefined {
    const name = alarmNamed(key);
    const stored = readStoredAlarm(value);
    if (name !== undefined && stored !== undefined) return { key, name, stored, revision };
    this.#options.log.warn({ alarm: key }, 'malformed alarm record skipped');
    return undefined;
  }
}

function isOpen({ stored: { record } }: RecordedAlarm): boolean {
  return record.state !== 'NORMAL' || record.shelved_until !== undefined;
}

function byKey({ key: one }: RecordedAlarm, { key: other }: RecordedAlarm): number {
  return one < other ? -1 : 1;
}
