/**
 * What a run leaves behind, for the checkers: what the streams hold, which answers the clients got, what the
 * spacecraft were sent. Nothing here is judged.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import type { TcEvent } from '../../contract/telecommand.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import type { CurrentSample } from '../../telemetry/current-sample.ts';
import type { AlarmHistory } from './alarm-history.ts';
import type { ArchiveHistory } from './archive/history.ts';
import type { Published } from './mission.ts';
import type { RunHistory } from './run-history.ts';
import type { PlanHistory } from './schedules/history.ts';
import type { Uplink } from './space.ts';
import type { FileHistory } from './transfers/history.ts';
import type { KnownState } from './transfers/known-files.ts';
import type { TwinServer } from './twin/server.ts';
import { type Held, kept, type StoredMessage } from './twin/stored-stream.ts';

export interface RecordedEvent {
  readonly message: StoredMessage;
  readonly target: string;
  readonly id: string;
  readonly event: TcEvent;
  readonly epoch: number;
  readonly frame: string | undefined;
}

export interface Acknowledged {
  readonly at: number;
  readonly id: string;
  readonly target: string;
  readonly duplicate: boolean;
  /** The process that answered. */
  readonly by: string;
}

export interface Asked {
  readonly id: string;
  readonly target: string;
  readonly changesState: boolean;
}

/** What one process says at the end is the current value of a measure. */
export interface KnownValue {
  readonly by: string;
  readonly target: string;
  readonly key: string;
  readonly sample: CurrentSample;
}

export interface History {
  /** What was flown. */
  readonly mission: Published;
  readonly submissions: readonly StoredMessage[];
  readonly events: readonly RecordedEvent[];
  readonly frames: readonly StoredMessage[];
  readonly decoded: readonly StoredMessage[];
  readonly values: readonly StoredMessage[];
  readonly members: readonly StoredMessage[];
  /** What was kept beside logs, removals among it. */
  readonly kept: readonly StoredMessage[];
  readonly runs: RunHistory;
  readonly alarms: AlarmHistory;
  /** Of passes, schedules and rules, where they are what it is about. */
  readonly plans?: PlanHistory;
  /** Of files, where they are what it is about. */
  readonly files?: FileHistory & { readonly known: readonly KnownState[] };
  /** Of the past that is kept, where that is what it is about. */
  readonly archives?: ArchiveHistory;
  /** By clients, and by runs in their logs. */
  readonly asked: ReadonlyMap<string, Asked>;
  readonly acknowledged: readonly Acknowledged[];
  readonly uplinks: readonly Uplink[];
  readonly known: readonly KnownValue[];
  /** Where the store went back: the same with everything that was ever stored, also what was lost. */
  readonly complete?: History;
  /** Its streams went back to different moments. */
  readonly isUneven?: boolean;
  /**
   * Telecommands, as `<target>.<id>`, and runs of which acknowledged events went and newer ones stayed; whether they
   * were over by then.
   */
  readonly holes?: ReadonlyMap<string, 'over' | 'open'>;
  /** Nothing but clocks went wrong. */
  readonly onlyClocks?: true;
  /** Identifiers of telecommands submitted when everything was up again. */
  readonly last: readonly string[];
  /** Rejections that nobody handled: they would have ended the process. */
  readonly defects: readonly string[];
}

/** What the logs of runs announce. */
export function announced({ events }: Pick<RunHistory, 'events'>): Map<string, Asked> {
  const asked = new Map<string, Asked>();
  for (const { event } of events) {
    if (event.event !== 'telecommand_sent') continue;
    const { tc, target, changes_state: changesState } = event;
    asked.set(tc, { id: tc, target, changesState });
  }
  return asked;
}

/** The part of a history that the server holds. */
export function storedHistory(
  server: TwinServer,
  held: Held = kept,
): Pick<History, 'submissions' | 'events' | 'frames' | 'decoded' | 'values' | 'members' | 'kept'> {
  return {
    submissions: held(server.stream(streams.telecommands)),
    events: held(server.stream(streams.telecommandEvents)).map(recorded),
    frames: held(server.stream(streams.frames)),
    decoded: held(server.stream(streams.decoded)),
    values: held(server.stream(streams.values)),
    members: held(server.bucket(buckets.members)),
    kept: held(server.bucket(buckets.actors)),
  };
}

export function holesIn({ events, runs }: Pick<History, 'events' | 'runs'>): NonNullable<History['holes']> {
  const telecommands = events.map(({ message, target, id, event }) => ({
    message,
    key: `${target}.${id}`,
    isEnd: isFinalTcState(event.state),
  }));
  const ofRuns = runs.events.map(({ message, run, event }) => ({
    message,
    key: run,
    isEnd: event.event === 'finished',
  }));
  const holes = new Map<string, 'over' | 'open'>();
  for (const { message, key } of [...telecommands, ...ofRuns]) {
    const { isHole, lostAt = 0 } = message;
    if (isHole !== true) continue;
    const wasOver = [...telecommands, ...ofRuns].some(
      (each) => each.key === key && each.message.order < lostAt && each.isEnd,
    );
    holes.set(key, wasOver || holes.get(key) === 'over' ? 'over' : 'open');
  }
  return holes;
}

export function recorded(message: StoredMessage): RecordedEvent {
  const [, , , target = '', id = ''] = message.subject.split('.');
  return {
    message,
    target,
    id,
    event: JSON.parse(Buffer.from(message.data).toString()) as TcEvent,
    epoch: Number(message.headers[header.epoch]),
    frame: message.headers[header.frame],
  };
}
