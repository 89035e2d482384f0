/** The streams that are stored, and what a message of each becomes. */

import { readAlarmEvent } from '../../contract/alarm.ts';
import { header } from '../../contract/bus/headers.ts';
import { type StreamDefinition, streams } from '../../contract/bus/streams.ts';
import type { ConnectorDataKind } from '../../contract/connector-wire.ts';
import { POSTGRES_CATALOGUE_MS } from '../../contract/limits/postgres.ts';
import { readRunEvent } from '../../contract/run-event.ts';
import { readTcEvent } from '../../contract/telecommand.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import { readValues } from '../../telemetry/reading/batch-shape.ts';
import type { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import { CopyBytes } from './copy-bytes.ts';
import { writeAlarmEvent, writeRunEvent, writeTelecommandEvent } from './event-rows.ts';
import type { ValueMessage } from './sample-rows.ts';
import type { TableName } from './schema.ts';

export type EventTable = Extract<TableName, 'alarm_events' | 'telecommand_events' | 'run_events'>;

/** What is stored of a message. */
export type Content =
  | { readonly kind: 'values'; readonly message: ValueMessage }
  | { readonly kind: 'event'; readonly table: EventTable; readonly row: Uint8Array }
  | { readonly kind: 'unreadable'; readonly reason: string; readonly message: StreamMessage }
  /** Of a target that is not stored here. */
  | { readonly kind: 'left' };

export interface Source {
  readonly kind: ConnectorDataKind;
  readonly stream: StreamDefinition;
  readonly read: (message: StreamMessage, platforms: KnownPlatforms) => Content | Promise<Content>;
}

const scratch = new CopyBytes('part');

/** The row of an event, or why there is none. */
function eventRow<Event>(
  table: EventTable,
  message: StreamMessage,
  read: (data: Uint8Array) => Event | undefined,
  write: (bytes: CopyBytes, event: Event) => void,
): Content {
  try {
    const event = read(message.data);
    if (event === undefined) return { kind: 'unreadable', reason: 'not an event of its kind', message };
    write(scratch, event);
    return { kind: 'event', table, row: scratch.cut() };
  } catch (error) {
    scratch.cut();
    return { kind: 'unreadable', reason: error instanceof Error ? error.message : String(error), message };
  }
}

/** All streams here name their target as the fourth word of the subject, except the logs of runs. */
function targetOf({ subject }: StreamMessage): string {
  return subject.split('.')[3] ?? '';
}

function values(message: StreamMessage, platforms: KnownPlatforms): Content | Promise<Content> {
  const batch = readValues(message.data);
  if (batch === undefined) return { kind: 'unreadable', reason: 'not a batch of values', message };
  const content = (platform: ValueMessage['platform']): Content => ({
    kind: 'values',
    message: { target: targetOf(message), storedMs: message.at, batch, platform },
  });
  const known = platforms.get(batch.platform);
  if (known !== undefined) return content(known);
  return platforms
    .find(batch.platform, message.headers[header.config], POSTGRES_CATALOGUE_MS)
    .then((found) => content(found));
}

const SOURCES: readonly Source[] = [
  { kind: 'values', stream: streams.values, read: values },
  {
    kind: 'alarms',
    stream: streams.alarms,
    read: (message) =>
      eventRow('alarm_events', message, readAlarmEvent, (bytes, event) =>
        writeAlarmEvent(bytes, event, message.at),
      ),
  },
  {
    kind: 'telecommands',
    stream: streams.telecommandEvents,
    read: (message) =>
      eventRow('telecommand_events', message, readTcEvent, (bytes, event) =>
        writeTelecommandEvent(bytes, targetOf(message), event, message.at),
      ),
  },
  {
    kind: 'runs',
    stream: streams.runs,
    read: (message) =>
      eventRow('run_events', message, readRunEvent, (bytes, event) =>
        writeRunEvent(bytes, event, message.at),
      ),
  },
];

export const POSTGRES_KINDS = ['values', 'alarms', 'telecommands', 'runs'] as const;
export type PostgresKind = (typeof POSTGRES_KINDS)[number];

/** Those of the kinds; `targets` absent: of every target. Runs have several, and are stored all. */
export function sourcesOf(
  kinds: readonly PostgresKind[],
  targets: readonly string[] | undefined,
): readonly Source[] {
  const chosen = SOURCES.filter(({ kind }) => (kinds as readonly string[]).includes(kind));
  if (targets === undefined) return chosen;
  const wanted = new Set(targets);
  return chosen.map((source) => {
    if (source.kind === 'runs') return source;
    const read: Source['read'] = (message, platforms) =>
      wanted.has(targetOf(message)) ? source.read(message, platforms) : { kind: 'left' };
    return { kind: source.kind, stream: source.stream, read };
  });
}
