/**
 * The log of a run in stream RUNS: its only truth. Appending an event to it and reading it back. Mission Control
 * Service, sections 2.3 and 6.
 *
 * G1. An event is appended only behind the last event its writer knows, with the message id `<run>-<seq>`: two writers
 *     never both go on (O1).
 * G2. The body is the log event; what only a new owner needs (epoch, the answer it came from) stands in headers.
 * G6. Events are numbered without a gap. Where some are missing, or the list knows one that is not there, they were
 *     acknowledged and are lost: nothing is carried on from such a log, since what it did is not known. Keeps
 *     append-behind.A2.
 * G5. What stands on the subject of a run and is no event of it makes its log one that nothing is carried on from; it
 *     is ended all the same.
 */

import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { RUN_EVENT_KINDS, type RunEvent, readRunEvent, runEventId } from '../../contract/run-event.ts';
import type { RunRecord } from '../../machines/run/protocol.ts';
import { appendOwn } from '../../messaging/append-behind.ts';
import type { Bus, FollowFrom, Headers, StreamMessage } from '../../ports/bus.ts';

/** One event as it stands in the log. */
export interface LoggedEvent {
  readonly event: RunEvent;
  /** Position in RUNS. */
  readonly position: number;
  /** Fencing token of its writer; 0 when it named none. */
  readonly epoch: number;
  /** Position in the stream of answers of the approval it logs. */
  readonly source: number | undefined;
}

/**
 * Every event of a run so far, or from a position of the stream on, in order; empty when it has none. Throws `Outage`,
 * and where something else stands in it.
 */
export async function readRunLog(bus: Bus, run: string, position = 1): Promise<LoggedEvent[]> {
  return (await storedLog(bus, run, { from: 'seq', seq: position })).map((message) => {
    const logged = readLogged(message);
    if (logged === undefined)
      throw new Error(`what stands at ${message.seq} of the log of run ${run} is no event`);
    return logged;
  });
}

/** What can be read of a log that is to be ended, whatever else stands in it (G5). */
export interface Remains {
  readonly log: LoggedEvent[];
  /** Position of its last message. */
  readonly last: number;
  /** Number of the next event. */
  readonly next: number;
}

export async function readRemains(bus: Bus, run: string): Promise<Remains> {
  const messages = await storedLog(bus, run);
  const log = messages.flatMap((message) => readLogged(message) ?? []);
  const next = Math.max(messages.length, log.at(-1)?.event.seq ?? 0) + 1;
  return { log, last: messages.at(-1)?.seq ?? 0, next };
}

async function storedLog(
  bus: Bus,
  run: string,
  from: FollowFrom = { from: 'start' },
): Promise<StreamMessage[]> {
  const messages: StreamMessage[] = [];
  const keep = (message: StreamMessage): void => void messages.push(message);
  const follower = await bus.follow(streams.runs, subject.runEvents(run), from, keep);
  await follower.caughtUp;
  await follower.stop();
  return messages;
}

/** Undefined where it is no event of a run. */
export function readLogged({ data, headers, seq }: StreamMessage): LoggedEvent | undefined {
  const event = readRunEvent(data);
  const source = Number(headers[header.source] ?? Number.NaN);
  if (event === undefined || !(RUN_EVENT_KINDS as readonly string[]).includes(event.event)) return undefined;
  return {
    event,
    position: seq,
    epoch: Number(headers[header.epoch]) || 0,
    source: Number.isNaN(source) ? undefined : source,
  };
}

/** How an event of the log is known again (`LogPlace`). */
export function markOf({ seq, at }: Pick<RunEvent, 'seq' | 'at'>, epoch: number): string {
  return `${seq} ${at} ${epoch}`;
}

/**
 * Number of the last event that the bus had stored before this moment of its own clock; 0 for none. Only what was
 * stored since is read. Throws `Outage`.
 */
export async function lastEventBefore(bus: Bus, run: string, at: number): Promise<number> {
  const last = await bus.last(streams.runs, subject.runEvents(run));
  if (last === undefined || last.at < at) return numberOf(last);
  const [first] = await storedLog(bus, run, { from: 'time', at });
  return first === undefined ? numberOf(last) : Math.max(0, numberOf(first) - 1);
}

/** Number of the event; 0 for none, and where something else stands. */
function numberOf(message: StreamMessage | undefined): number {
  return (message && readLogged(message)?.event.seq) ?? 0;
}

/** What is lost of a log behind its first so many events, in words; undefined when nothing is (G6). */
export function gapIn(log: readonly LoggedEvent[], before = 0): string | undefined {
  let last = before;
  for (const { event } of log) {
    if (event.seq > last + 1) return `events ${last + 1} to ${event.seq - 1} of its log are lost`;
    last = event.seq;
  }
  return undefined;
}

export function isOver(log: readonly LoggedEvent[]): boolean {
  return log.at(-1)?.event.event === 'finished';
}

interface AppendRunEvent {
  readonly epoch: number;
  /** Position of the last event known; 0 for none. */
  readonly expected: number;
  /** An event that ends a log of which events are lost (append-behind.A1). */
  readonly endsCut?: boolean;
}

/**
 * Position of the event; a text when it is not stored: somebody else wrote first (G1), or the log has lost an event of
 * that number (G6). Throws `Outage`; asked again it goes on.
 */
export async function appendRunEvent(
  bus: Bus,
  { event, source }: Pick<RunRecord, 'event' | 'source'>,
  { epoch, expected, endsCut = false }: AppendRunEvent,
): Promise<number | 'refused' | 'lost'> {
  const to = subject.runEvents(event.run);
  const headers: Headers = {
    [header.epoch]: String(epoch),
    ...(source !== undefined && { [header.source]: String(source) }),
  };
  const how = { id: runEventId(event.run, event.seq), expected, headers, stopsAtLoss: !endsCut };
  const appended = await appendOwn(bus, streams.runs, to, Buffer.from(JSON.stringify(event)), how);
  return appended.outcome === 'stored' ? appended.seq : appended.outcome;
}
