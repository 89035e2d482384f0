/**
 * The stored schedules of a cell as their bucket reports them, by their passes and by their starts, and their changes.
 * Mission Control Service, sections 2.7 and 4.6.
 *
 * K1. A schedule that cannot be read is reported in the log and left out; it hides no other.
 * K2. Who wrote a schedule here sees it here: `seen` waits until the watch has it.
 * K3. What is final stays for as long as it is in the bucket: who evaluates looks at `open` alone.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { SCHEDULE_SEEN_MS } from '../contract/limits/schedule.ts';
import { passKey } from '../contract/pass.ts';
import { FINAL_STATES, readStoredSchedule, type StoredSchedule } from '../contract/stored-schedule.ts';
import { byStart, isReadable, takesPlace } from '../mission/schedule/schedule.ts';
import type { Bus, Entry, Stoppable } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type KeptWatch, keepWatching } from './kept-watch.ts';
import { SeenRevisions } from './seen-revisions.ts';
import { SortedEntries } from './sorted-entries.ts';

export interface ScheduleBookOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}

type Listener = (id: string, now: StoredSchedule | undefined, before: StoredSchedule | undefined) => void;

export class ScheduleBook implements Stoppable {
  readonly #options: ScheduleBookOptions;
  readonly #entries = new SortedEntries<StoredSchedule>(byStart);
  readonly #open = new Map<string, StoredSchedule>();
  readonly #revisions = new Map<string, number>();
  readonly #byPass = new Map<string, Map<string, StoredSchedule>>();
  /** Those that take their place, by each target that their runs have. */
  readonly #byTarget = new Map<string, SortedEntries<StoredSchedule>>();
  readonly #listeners = new Set<Listener>();
  readonly #seen: SeenRevisions;
  readonly #watch: KeptWatch;

  constructor(options: ScheduleBookOptions) {
    this.#options = options;
    this.#seen = new SeenRevisions(options.clock, SCHEDULE_SEEN_MS);
    this.#watch = keepWatching(options, buckets.schedules, (key, entry) => this.#changed(key, entry));
  }

  /** Whether it holds every schedule there is (kept-watch.W1). */
  get live(): boolean {
    return this.#watch.live;
  }

  /** Resolves when every schedule there was at the beginning was seen, or it is stopped. */
  get ready(): Promise<void> {
    return this.#watch.ready;
  }

  get(id: string): StoredSchedule | undefined {
    return this.#entries.get(id);
  }

  /** Revision of its record as it is known here. */
  revisionOf(id: string): number | undefined {
    return this.#revisions.get(id);
  }

  /** By start. */
  schedules(): readonly StoredSchedule[] {
    return this.#entries.sorted();
  }

  /** Those that are not final, and fired ones whose run is not known to be submitted (K3). */
  get open(): ReadonlyMap<string, StoredSchedule> {
    return this.#open;
  }

  /** Those of a pass, also final ones. */
  onPass(target: string, pass: string): readonly StoredSchedule[] {
    return [...(this.#byPass.get(passKey(target, pass))?.values() ?? [])];
  }

  /** Those that are not cancelled or missed whose runs have that target, by start. */
  ofTarget(target: string): readonly StoredSchedule[] {
    return this.#byTarget.get(target)?.sorted() ?? [];
  }

  /** Calls the listener at each change from now on. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** K2 */
  seen(revision: number | undefined): Promise<void> {
    return this.#seen.seen(revision);
  }

  stop(): Promise<void> {
    return this.#watch.stop();
  }

  #changed(key: string, entry: Entry | undefined): void {
    const now = this.#read(key, entry);
    const before = this.#entries.set(key, now);
    if (now === undefined || entry === undefined) this.#revisions.delete(key);
    else this.#revisions.set(key, entry.revision);
    if (before !== undefined) this.#leavePass(before);
    if (now !== undefined) this.#enterPass(now);
    if (before !== undefined) this.#leaveTargets(before);
    if (now !== undefined && takesPlace(now)) this.#enterTargets(now);
    if (now !== undefined && isOpen(now)) this.#open.set(key, now);
    else this.#open.delete(key);
    for (const listener of this.#listeners) listener(key, now, before);
    if (entry !== undefined) this.#seen.note(entry.revision);
  }

  #read(key: string, entry: Entry | undefined): StoredSchedule | undefined {
    if (entry === undefined) return undefined;
    const read = readSchedule(key, entry.value);
    if (read === undefined)
      this.#options.log.error({ key, bucket: buckets.schedules.name }, 'malformed schedule: left out');
    return read;
  }

  #leavePass({ target, pass, id }: StoredSchedule): void {
    const key = passKey(target, pass);
    const onPass = this.#byPass.get(key);
    onPass?.delete(id);
    if (onPass?.size === 0) this.#byPass.delete(key);
  }

  #leaveTargets({ id, targets }: StoredSchedule): void {
    for (const target of new Set(Object.values(targets))) {
      const ofTarget = this.#byTarget.get(target);
      ofTarget?.set(id, undefined);
      if (ofTarget?.size === 0) this.#byTarget.delete(target);
    }
  }

  #enterTargets(schedule: StoredSchedule): void {
    for (const target of new Set(Object.values(schedule.targets))) {
      const ofTarget = this.#byTarget.get(target) ?? new SortedEntries<StoredSchedule>(byStart);
      ofTarget.set(schedule.id, schedule);
      this.#byTarget.set(target, ofTarget);
    }
  }

  #enterPass(schedule: StoredSchedule): void {
    const key = passKey(schedule.target, schedule.pass);
    const onPass = this.#byPass.get(key) ?? new Map<string, StoredSchedule>();
    onPass.set(schedule.id, schedule);
    this.#byPass.set(key, onPass);
  }
}

/** The schedule of an entry; undefined where it cannot be read. */
export function readSchedule(key: string, bytes: Uint8Array): StoredSchedule | undefined {
  const read = readStoredSchedule(key, bytes);
  return read !== undefined && isReadable(read) ? read : undefined;
}

/** Whether anything may still become of it. */
export function isOpen({ state, submitted }: Pick<StoredSchedule, 'state' | 'submitted'>): boolean {
  return !FINAL_STATES.has(state) || (state === 'fired' && submitted !== true);
}
