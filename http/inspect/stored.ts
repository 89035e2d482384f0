/**
 * What the buckets hold of entities: envelopes beside logs, and records. So an entity is shown whose process is silent,
 * and what a new owner would find of one that lives. Decision 31.
 *
 * B1. The caller does not choose the cost: what is kept is listed for everybody at once, and a list that took long is
 *     good for longer, so that listing takes a twentieth of the time at most, in slices. Of each entity a summary is
 *     made and kept, no context.
 * B2. It is what was so when it was written, and says when; nobody decides anything by it.
 * B4. Alarms are listed where something is asked for that they may be: those that wait for somebody, and where an id or
 *     a state is asked for also those that are normal, of which a mission has thousands.
 * B3. An entry that cannot be read, or is not what it should be, is left out; the others are shown.
 */

import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import type { EntityName, EntitySummary, EntityView, FindCall } from '../../contract/inspection.ts';
import { isKey } from '../../contract/token.ts';
import { mappedInSlices, sortedInSlices } from '../../messaging/in-slices.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { entityIn, type StoredEntity, type StoredSummary, shown, summaryIn } from './kept-summary.ts';
import { isRecordKind, RECORDS, type RecordReader, type ShownRecord } from './records.ts';
import { SharedList } from './shared-list.ts';

/** Envelopes of these kinds are their records, in a bucket of their own. */
const RECORDED_IN = new Map<string, BucketDefinition>([
  ['radio', buckets.benchRuns],
  ['scenario', buckets.benchRuns],
  ['campaign', buckets.benchRuns],
]);
/** No entity has a longer one. */
const KEY_CHARACTERS = 400;

export class StoredEntities {
  readonly #bus: Bus;
  readonly #kept: SharedList<StoredSummary>;
  readonly #alarms: SharedList<StoredSummary>;

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#kept = new SharedList(clock, async () => {
      const entries = await bus.bucket(buckets.actors).list('>');
      return latestOf(entries, summaryIn);
    });
    this.#alarms = new SharedList(clock, async () => {
      const entries = await bus.bucket(buckets.alarms).list('>');
      return latestOf(entries, alarmSummaryIn);
    });
  }

  /** What stands in the bucket of the entity; undefined when there is nothing that can be read. Throws `Outage`. */
  async of({ kind, id }: EntityName): Promise<StoredEntity | undefined> {
    const isRecord = isRecordKind(kind);
    const key = isRecord ? id : `${kind}.${id}`;
    if (key.length > KEY_CHARACTERS || !isKey(key)) return undefined;
    const bucket = isRecord ? RECORDS[kind].bucket : (RECORDED_IN.get(kind) ?? buckets.actors);
    const entry = await this.#bus.bucket(bucket).get(key);
    if (entry === undefined) return undefined;
    return orUndefined(() => (isRecord ? recordIn(entry, RECORDS[kind].read) : entityIn(entry)));
  }

  /** What is kept and matches, the latest first; as it was a moment ago (B1, B4). Throws `Outage`. */
  async find(call: FindCall): Promise<readonly EntitySummary[]> {
    const lists = await Promise.all([this.#kept.get(), asksForAlarms(call) ? this.#alarms.get() : []]);
    return lists
      .flat()
      .map(({ summary }) => summary)
      .filter((summary) => matches(summary, call));
  }
}

/** The entity as its store shows it, for who asks about one that no process has. */
export function storedView({ summary, stored, active, context }: StoredEntity): EntityView {
  return {
    ...summary,
    instance: '',
    chart: { kind: summary.kind, version: stored.chartVersion },
    epoch: stored.epoch,
    supervisor: '',
    active,
    context,
    effects: stored.effects.map((effect) => ({ ...effect, detail: null })),
    timers: stored.timers,
    accepts: [],
    refuses: [],
  };
}

/** What can be read of them, the latest first (B1, B3). */
async function latestOf(
  entries: readonly Entry[],
  read: (entry: Entry) => StoredSummary | undefined,
): Promise<readonly StoredSummary[]> {
  const summaries = await mappedInSlices(entries, (entry) => orUndefined(() => read(entry)));
  return sortedInSlices(summaries, latestFirst);
}

function latestFirst({ stored: one }: StoredSummary, { stored: other }: StoredSummary): number {
  return other.at - one.at;
}

function matches(summary: EntitySummary, { kind, id, target, state }: FindCall): boolean {
  return (
    (kind === undefined || summary.kind === kind) &&
    (id === undefined || summary.id.includes(id) || summary.label?.includes(id) === true) &&
    (target === undefined || summary.target?.split(', ').includes(target) === true) &&
    (state === undefined || summary.state === state || summary.state.split(/[ .]/).includes(state)) &&
    (!isCalm(summary) || (id ?? state) !== undefined)
  );
}

/** B4 */
function asksForAlarms({ kind, id, target, state }: FindCall): boolean {
  return kind === 'alarm' || (kind === undefined && (id ?? target ?? state) !== undefined);
}

/** An alarm that waits for nobody. */
function isCalm({ kind, state, stored }: EntitySummary): boolean {
  return kind === 'alarm' && state === 'NORMAL' && stored?.timers.length === 0;
}

/** B3 */
function orUndefined<Read>(read: () => Read | undefined): Read | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function recordIn(entry: Entry, read: RecordReader): StoredEntity | undefined {
  const found = read(entry);
  return found && recordEntity(found);
}

function alarmSummaryIn(entry: Entry): StoredSummary | undefined {
  const summary = RECORDS.alarm.read(entry)?.summary;
  return summary && { summary, stored: summary.stored };
}

/** A record as an entity of its store. */
export function recordEntity(record: ShownRecord): StoredEntity {
  return { ...record, stored: record.summary.stored, context: shown(record.context) };
}
