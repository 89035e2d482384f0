/**
 * Where the readers of connectors stand, asked of the bus. Mission Control Service, section 2.11.
 *
 * A1. Of a durable consumer the bus knows all; of a position, what stands behind it in the stream.
 * A2. A position says nothing of subjects that it is not about: what a reader of some targets has before it is looked
 *     for target by target, up to `CONNECTOR_FILTERS` of them. Of more targets, and where messages are counted, all of
 *     the stream behind the position is what it may still have to read.
 */

import type { StreamDefinition } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import type { ConnectorDataKind } from '../contract/connector-wire.ts';
import { CONNECTOR_FILTERS } from '../contract/limits/connector.ts';
import type { StreamLevel, StreamLevels } from '../ports/stream-levels.ts';
import type { ReaderLevel } from './connector-lag.ts';

/** Messages of one target; undefined for data that has no target in its subject. */
const SUBJECT_OF: Readonly<Record<ConnectorDataKind, ((target: string) => string) | undefined>> = {
  frames: undefined,
  samples: (target) => subject.decoded(target),
  values: (target) => subject.values(target),
  telecommands: (target) => subject.tcEvents(target),
  runs: undefined,
  alarms: (target) => subject.alarmEvents(target),
  files: (target) => subject.fileChunks(target),
  events: undefined,
};

export interface ReaderState extends ReaderLevel {
  /** Whether the bus has somebody waiting for messages of it; undefined where it cannot know. */
  readonly awaited: boolean | undefined;
}

/** Undefined where the stream has no such consumer. Throws `Outage`. */
export async function consumerState(
  levels: StreamLevels,
  { name, subjects }: StreamDefinition,
  level: StreamLevel,
  consumer: string,
): Promise<ReaderState | undefined> {
  const stands = await levels.consumer(name, consumer);
  if (stands === undefined) return undefined;
  const { ackFloor, acked, filter, pending, unacked, awaited } = stands;
  const isWhole = filter === undefined || subjects.includes(filter);
  const first = Math.max(ackFloor + 1, level.firstSeq);
  const hasMore = pending + unacked > 0 && first <= level.lastSeq;
  const oldest = hasMore ? await levels.next(name, filter ?? subjects[0]!, first) : undefined;
  return { floor: ackFloor, isWhole, acked, pending, unacked, oldest, awaited };
}

/** A2. Throws `Outage`. */
export async function positionState(
  levels: StreamLevels,
  kind: ConnectorDataKind,
  { name, subjects }: StreamDefinition,
  level: StreamLevel,
  { seq, targets }: { readonly seq: number; readonly targets: readonly string[] | undefined },
): Promise<ReaderState> {
  const of = SUBJECT_OF[kind];
  const isSome = targets !== undefined && of !== undefined && targets.length <= CONNECTOR_FILTERS;
  const filters = isSome ? targets.map(of) : [subjects[0]!];
  const first = Math.max(seq + 1, level.firstSeq);
  const found =
    first > level.lastSeq ? [] : await Promise.all(filters.map((filter) => levels.next(name, filter, first)));
  const oldest = found
    .filter((message) => message !== undefined)
    .reduce<ReaderLevel['oldest']>(
      (least, each) => (least === undefined || each.seq < least.seq ? each : least),
      undefined,
    );
  const isWhole = targets === undefined || of === undefined;
  return {
    // Nothing of it stands behind its position: it has read whatever else was stored meanwhile (A2).
    floor: isSome && oldest === undefined ? Math.max(seq, level.lastSeq) : seq,
    isWhole,
    acked: undefined,
    pending: oldest === undefined ? 0 : level.lastSeq - oldest.seq + 1,
    unacked: 0,
    oldest,
    awaited: undefined,
  };
}
