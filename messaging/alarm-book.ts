/**
 * The alarms of a cell that are not normal, or shelved, as their bucket reports them. Mission Control Service, sections
 * 2.4 and 4.4.
 *
 * K1. An alarm that cannot be read is reported in the log and left out; it hides no other.
 * K2. A list has every write that the bus had when it was asked for. Where that is not known here, because the watch is
 *     not complete yet or the store went back, whoever asks reads the bucket.
 * K4. A removal, which only people make, comes without its revision. Where the watch has had `ALARM_REMOVED_MS` for the
 *     last write of the bucket and has not handed it over, it was one.
 * K3. A list costs what it lists: a mission has a hundred thousand alarms that are normal again, and keeps their
 *     records. They are watched from the first list on: many processes never make one.
 */

import type { StoredAlarm } from '../contract/alarm.ts';
import { type AlarmName, alarmNamed } from '../contract/alarm-name.ts';
import { buckets } from '../contract/bus/buckets.ts';
import { ALARM_REMOVED_MS, ALARM_SEEN_MS } from '../contract/limits/alarm.ts';
import { readStoredAlarm } from '../contract/stored-alarm.ts';
import type { Bus, Entry, Stoppable } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type KeptWatch, keepWatching } from './kept-watch.ts';
import { SortedEntries } from './sorted-entries.ts';

/** The record of an alarm under its name. */
export interface RecordedAlarm {
  readonly key: string;
  readonly name: AlarmName;
  readonly stored: StoredAlarm;
}

interface AlarmBookOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}

export class AlarmBook implements Stoppable {
  readonly #options: AlarmBookOptions;
  readonly #open = new SortedEntries<RecordedAlarm>(byKey);
  /** Who waits for a revision. */
  readonly #waiting = new Set<() => void>();
  /** Of what the watch has handed over last. */
  #reached = 0;
  /** A last write of the bucket that was not handed over when it was waited for, ms since 1970 (K4). */
  #unseen: { readonly position: number; readonly since: number } | undefined;
  #watch: KeptWatch | undefined;

  constructor(options: AlarmBookOptions) {
    this.#options = options;
  }

  /** Those of a target, or all, by their keys. Throws `Outage`. */
  async open(target?: string): Promise<readonly RecordedAlarm[]> {
    if (!(await this.#isUpToDate())) return (await this.recorded(target)).filter(isOpen);
    const open = this.#open.sorted();
    return target === undefined ? open : open.filter(({ name }) => name.target === target);
  }

  /** All of a target, or all there are, also those that are normal, by their keys; read from the bucket. Throws `Outage`. */
  async recorded(target?: string): Promise<readonly RecordedAlarm[]> {
    const { bus } = this.#options;
    const entries = await bus.bucket(buckets.alarms).list(target === undefined ? '>' : `${target}.>`);
    return entries.flatMap((entry) => this.#read(entry) ?? []).sort(byKey);
  }

  async stop(): Promise<void> {
    await this.#watch?.stop();
    this.#wake();
  }

  /** K2 */
  async #isUpToDate(): Promise<boolean> {
    const { bus, clock } = this.#options;
    this.#watch ??= keepWatching(this.#options, buckets.alarms, (key, entry) => this.#changed(key, entry));
    if (!this.#watch.live) return false;
    const before = this.#reached;
    const position = await bus.bucket(buckets.alarms).position();
    // Otherwise the store went back, and the watch may not have noticed.
    if (position < before) return false;
    if (this.#reached < position && this.#unseen?.position === position)
      return clock.now() - this.#unseen.since >= ALARM_REMOVED_MS;
    const until = clock.now() + ALARM_SEEN_MS;
    while (this.#reached < position && clock.now() < until) await this.#next(until);
    if (this.#reached < position) this.#unseen = { position, since: clock.now() };
    return this.#reached >= position && this.#watch.live;
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
    this.#wake();
  }

  #wake(): void {
    for (const done of this.#waiting) done();
  }

  /** K1 */
  #read({ key, value }: Entry): RecordedAlarm | undefined {
    const name = alarmNamed(key);
    const stored = readStoredAlarm(value);
    if (name !== undefined && stored !== undefined) return { key, name, stored };
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
