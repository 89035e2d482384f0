/**
 * What the buckets hold of entities: envelopes beside logs, and records. So an entity is shown whose process is silent,
 * and what a new owner would find of one that lives. Decision 31.
 *
 * B1. The caller does not choose the cost: what is kept is listed for everybody at once, and a list that took long is
 *     good for longer, so that listing takes a twentieth of the time at most. Of each entity a summary is made and
 *     kept, no context.
 * B2. It is what was so when it was written, and says when; nobody decides anything by it.
 * B3. An entry that cannot be read, or is not what it should be, is left out; the others are shown.
 */

import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import type {
  EntityName,
  EntitySummary,
  EntityView,
  FindCall,
  StoredView,
} from '../../contract/inspection.ts';
import {
  INSPECT_CONTEXT_CHARACTERS,
  INSPECT_LISTED,
  INSPECT_STORED_MOST_MS,
  INSPECT_STORED_MS,
  INSPECT_STORED_SHARE,
} from '../../contract/limits.ts';
import type { RunSummary } from '../../contract/run.ts';
import { isKey } from '../../contract/token.ts';
import { isKept, readEnvelope } from '../../messaging/kept-envelopes.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Envelope } from '../../ports/entity.ts';
import { isRecordKind, RECORDS, type RecordReader, type ShownRecord } from './records.ts';

/** Envelopes of these kinds are their records, in a bucket of their own. */
const RECORDED_IN = new Map<string, BucketDefinition>([
  ['radio', buckets.benchRuns],
  ['scenario', buckets.benchRuns],
  ['campaign', buckets.benchRuns],
]);
/** No entity has a longer one. */
const KEY_CHARACTERS = 400;

interface StoredSummary {
  readonly summary: EntitySummary;
  readonly stored: StoredView;
}

export interface StoredEntity extends StoredSummary {
  /** Ids of the states it is in, where its store shows all there is of it. */
  readonly active?: readonly string[];
  readonly context: unknown;
}

export class StoredEntities {
  readonly #bus: Bus;
  readonly #clock: Clock;
  #listed: Promise<readonly StoredSummary[]> | undefined;
  #goodUntil = 0;

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
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

  /** What is kept beside logs and matches, the latest first; as it was a moment ago (B1). Throws `Outage`. */
  async find(call: FindCall): Promise<readonly EntitySummary[]> {
    const all = await this.#list();
    return all.map(({ summary }) => summary).filter((summary) => matches(summary, call));
  }

  #list(): Promise<readonly StoredSummary[]> {
    const begun = this.#clock.monotonic();
    if (this.#listed !== undefined && begun < this.#goodUntil) return this.#listed;
    this.#goodUntil = Number.POSITIVE_INFINITY;
    this.#listed = this.#bus
      .bucket(buckets.actors)
      .list('>')
      .then((entries) =>
        entries.flatMap((entry) => orUndefined(() => summaryIn(entry)) ?? []).sort(latestFirst),
      )
      // Also one that failed: what cannot be listed in time is not asked for all the time.
      .finally(() => {
        const end = this.#clock.monotonic();
        const goodForMs = Math.max(INSPECT_STORED_MS, INSPECT_STORED_SHARE * (end - begun));
        this.#goodUntil = end + Math.min(goodForMs, INSPECT_STORED_MOST_MS);
      });
    return this.#listed;
  }
}

/** The entity as its store shows it, for who asks about one that no process has. */
export function storedView({ summary, stored, active = [], context }: StoredEntity): EntityView {
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

function latestFirst({ stored: one }: StoredSummary, { stored: other }: StoredSummary): number {
  return other.at - one.at;
}

function matches(summary: EntitySummary, { kind, id, target, state }: FindCall): boolean {
  return (
    (kind === undefined || summary.kind === kind) &&
    (id === undefined || summary.id.includes(id) || summary.label?.includes(id) === true) &&
    (target === undefined || summary.target?.split(', ').includes(target) === true) &&
    (state === undefined || summary.state === state || summary.state.split(/[ .]/).includes(state))
  );
}

// Envelopes -----------------------------------------------------------------------------------------------------------

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

/** A record as an entity of its store. */
export function recordEntity(record: ShownRecord): StoredEntity {
  return { ...record, stored: record.summary.stored, context: shown(record.context) };
}

function entityIn(entry: Entry): StoredEntity | undefined {
  const envelope = readEnvelope(entry);
  const found = envelope && summaryOf(entry, envelope);
  if (found === undefined) return undefined;
  const { context } = (envelope?.snapshot ?? {}) as { context?: unknown };
  return { ...found, context: shown(context) };
}

function summaryIn(entry: Entry): StoredSummary | undefined {
  const envelope = readEnvelope(entry);
  return envelope && summaryOf(entry, envelope);
}

function summaryOf(entry: Entry, envelope: Envelope): StoredSummary | undefined {
  if (typeof envelope.id !== 'string') return undefined;
  const { value } = (envelope.snapshot ?? {}) as { value?: unknown };
  const { kind, id, version, revision, epoch } = envelope;
  const state = statesIn(value).join(' ');
  const stored: StoredView = {
    at: entry.at,
    epoch,
    chartVersion: version,
    state,
    revision,
    ...(isKept(envelope) && { position: envelope.covers.position }),
    timers: (envelope.timers ?? []).map(({ event, dueAt }) => ({ event: event.type, dueAt })),
    effects: (envelope.effects ?? [])
      .slice(0, INSPECT_LISTED)
      .map(({ key, effect }) => ({ key, type: effect.type })),
  };
  const summary: EntitySummary = {
    kind,
    id,
    ...namesOf(envelope),
    status: 'loading',
    state,
    revision,
    at: entry.at,
    stored,
  };
  return { summary, stored };
}

function namesOf(envelope: Envelope): Pick<EntitySummary, 'label' | 'target'> {
  if (envelope.kind === 'telecommand') return { target: envelope.id.slice(0, envelope.id.lastIndexOf('.')) };
  const facts = isKept(envelope) ? (envelope.facts as { summary?: RunSummary } | undefined) : undefined;
  if (facts?.summary === undefined) return {};
  const { procedure, targets } = facts.summary;
  return { label: procedure, target: [...new Set(Object.values(targets))].sort().join(', ') };
}

/** `SENT.verifying` */
function statesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = statesIn(inner);
    return below.length === 0 ? [key] : below.map((each) => `${key}.${each}`);
  });
}

/** JSON of bounded length, whatever a chart keeps. */
function shown(context: unknown): unknown {
  try {
    const text = JSON.stringify(context, (_key, value: unknown) =>
      typeof value === 'bigint' || value instanceof Uint8Array ? String(value) : value,
    );
    if (text === undefined) return null;
    return text.length <= INSPECT_CONTEXT_CHARACTERS
      ? JSON.parse(text)
      : `${text.slice(0, INSPECT_CONTEXT_CHARACTERS)}…`;
  } catch {
    return null;
  }
}
