/**
 * The store of schedule cells: the record in bucket `mcs_schedules` is the snapshot. Mission Control Service, section
 * 4.6 (evaluation, firing).
 *
 * R1. Every write is conditional on the revision that was read: of several schedulers, and of commands of people, one
 *     wins, and the others read again.
 * R2. A schedule is fired, missed or cancelled only if that is so at the moment of the write, by its pass as the bus
 *     has it then: a watch may be late, and an attempt that met an outage is not made good by what was so before.
 * R3. What became of a schedule is counted by who wrote it.
 * R4. A commit that met an outage is asked for again as a whole: what of it is done is not done again.
 * R5. What was found of another revision of the record than the one it replaces is not written: a validation that was
 *     given meanwhile would be lost, one that fell would be back, and a schedule that was replaced had its old start.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { SCHEDULE_FRESH_MS } from '../../contract/limits/schedule.ts';
import { FINAL_STATES, type StoredSchedule } from '../../contract/stored-schedule.ts';
import { openEffects, type ScheduleItem } from '../../machines/schedule/protocol.ts';
import { scheduleMachine } from '../../machines/schedule/schedule.ts';
import { snapshotOf } from '../../machines/schedule/step.ts';
import { readSchedule } from '../../messaging/schedule-book.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Commit, Committed, Store, Stored } from '../../ports/entity.ts';

export const SCHEDULE_VERSION = 1;

export interface ScheduleStoreOptions {
  readonly bus: Bus;
  /** Whether a schedule still ends as this record says (R2). Throws `Outage`. */
  readonly endsSo: (ended: StoredSchedule) => Promise<boolean>;
  /** Called once for each change of state that was written here (R3). */
  readonly transition: (stored: StoredSchedule) => void;
}

/** How far a commit that met an outage had come (R4). */
interface Progress {
  done: number;
  position: number;
}

export function createScheduleStore(options: ScheduleStoreOptions): Store<ScheduleItem> {
  const begun = new WeakMap<Commit, Progress>();
  return {
    load: (id) => load(options, id),
    commit: (wanted) => {
      const progress = begun.get(wanted) ?? { done: 0, position: wanted.position };
      begun.set(wanted, progress);
      return commit(options, wanted, progress);
    },
  };
}

async function load({ bus }: ScheduleStoreOptions, id: string): Promise<Stored | undefined> {
  const entry = await bus.bucket(buckets.schedules).get(id);
  if (entry === undefined) return undefined;
  const record = readSchedule(id, entry.value);
  if (record === undefined)
    throw new Error(`the record ${id} in ${buckets.schedules.name} cannot be read: correct or remove it`);
  return {
    position: entry.revision,
    envelope: {
      kind: 'schedule',
      id,
      version: SCHEDULE_VERSION,
      revision: record.changes.length,
      epoch: 0,
      snapshot: scheduleMachine.getPersistedSnapshot(snapshotOf(record)),
      timers: [],
      effects: openEffects(record).map((effect, n) => ({
        key: `schedule:${id}:${record.run_id}:${n}`,
        effect,
      })),
    },
  };
}

async function commit(
  options: ScheduleStoreOptions,
  { id, records }: Commit<ScheduleItem>,
  progress: Progress,
): Promise<Committed> {
  for (const item of records.slice(progress.done)) {
    const revision = await write(options, id, item, progress.position);
    if (revision === undefined) return { outcome: 'fenced' };
    progress.position = revision;
    progress.done += 1;
    if (item.transition) options.transition(item.stored);
  }
  return { outcome: 'committed', position: progress.position };
}

/**
 * The revision of the record; undefined where somebody else has written, or it does not end so any more (R1, R2, R5).
 */
async function write(
  { bus, endsSo }: ScheduleStoreOptions,
  id: string,
  { transition, stored, seen }: ScheduleItem,
  position: number,
): Promise<number | undefined> {
  if (seen !== undefined && seen !== position) return undefined;
  const bucket = bus.bucket(buckets.schedules);
  const bytes = Buffer.from(JSON.stringify(stored));
  const isEnd = transition && FINAL_STATES.has(stored.state);
  if (!isEnd || (await endsSo(stored))) {
    // An end is not sent for long: what it was decided by would not be so any more (R2).
    const written = await bucket.put(id, bytes, position, isEnd ? { deadlineMs: SCHEDULE_FRESH_MS } : {});
    if (written.outcome === 'written') return written.revision;
  }
  // One's own write whose answer an outage took (R4): it is done, whatever would be so by now.
  const entry = await bucket.get(id);
  const isOwn = entry !== undefined && entry.revision > position && Buffer.compare(entry.value, bytes) === 0;
  return isOwn ? entry.revision : undefined;
}
