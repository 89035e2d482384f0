/**
 * The log of telecommands in TC_EVENTS: the only truth about them. Writing it (the store of their cells) and reading it
 * back into an envelope. Mission Control Service, sections 2.1 and 6.
 *
 * G1. An event is appended only behind the last event the writer knows (O1), with the id `<tc>-<state>`.
 * G2. The body is the TcEvent; what only a new owner or a replay needs (frame, reference, gateway, epoch, what it was
 *     begun with, what the gateway said) stands in headers.
 * G3. The history alone restores a telecommand (`restored.ts`); the envelope that is kept beside it stands for the
 *     events it covers (`standing.ts`).
 * G5. What stands on the subject of a telecommand and is no event of it is left out; what followed from it nobody
 *     knows, so such a history is not gone on from.
 * Keeps append-behind.A1, A2.
 */

import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { type BusPosition, isBusPosition } from '../../contract/link.ts';
import { readSendFailure, readTcEvent, type SendFailure, type TcEvent } from '../../contract/telecommand.ts';
import { isFinalTcState, type TcState } from '../../contract/telecommand-state.ts';
import type { LoggedTelecommand } from '../../machines/telecommand/fold.ts';
import type { TelecommandInput, TelecommandRecord } from '../../machines/telecommand/telecommand.ts';
import { appendOwn } from '../../messaging/append-behind.ts';
import type { Bus, Headers, StreamMessage } from '../../ports/bus.ts';

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** One event as it stands in the log. */
export interface Recorded extends LoggedTelecommand {
  readonly seq: number;
  /** Fencing token of its writer; 0 when it named none. */
  readonly epoch: number;
  /** On SENT: where the bus stood when the frame was handed over; undefined when an earlier version wrote it. */
  readonly handed: BusPosition | undefined;
  /** On PENDING: what the chart was begun with; undefined when an earlier version wrote it. */
  readonly begun: Begun | undefined;
  /** On SEND_FAILED: what the gateway said; undefined when an earlier version wrote it. */
  readonly failure: SendFailure | undefined;
}

/** What the log must know beside the event to replay a telecommand from it alone. */
export interface Begun {
  readonly changesState: boolean;
  readonly verifyWithinMs: number | null;
  /** Refused at take-up, before anything was checked. */
  readonly refused: boolean;
}

/** Undefined where it is no event that this version knows (G5). */
export function readRecorded(message: StreamMessage): Recorded | undefined {
  const event = readTcEvent(message.data);
  if (event === undefined) return undefined;
  return {
    seq: message.seq,
    epoch: Number(message.headers[header.epoch]) || 0,
    event,
    frame: message.headers[header.frame],
    reference: message.headers[header.reference],
    gateway: message.headers[header.gateway],
    handed: readHanded(message.headers[header.handed]),
    begun: readBegun(message.headers[header.begun]),
    failure: readSendFailure(message.headers[header.outcome]),
  };
}

function readHanded(text: string | undefined): BusPosition | undefined {
  try {
    const handed: unknown = text === undefined ? undefined : JSON.parse(text);
    return isBusPosition(handed) ? handed : undefined;
  } catch {
    return undefined;
  }
}

function readBegun(text: string | undefined): Begun | undefined {
  try {
    const begun = text === undefined ? null : (JSON.parse(text) as Begun | null);
    return typeof begun === 'object' && begun !== null ? begun : undefined;
  } catch {
    return undefined;
  }
}

/** How an event of the log is known again (`LogPlace`). */
export function markOf(state: TcEvent['state'], at: string, epoch: number): string {
  return `${state} ${at} ${epoch}`;
}

/** The state a history has reached; undefined before PENDING. */
export function stateOf(history: readonly Recorded[]): TcState | undefined {
  const last = history.findLast((recorded) => recorded.event.state !== 'ECHO');
  return last?.event.state as TcState | undefined;
}

export function isOver(history: readonly Recorded[]): boolean {
  const state = stateOf(history);
  return state !== undefined && isFinalTcState(state);
}

/** Position of the event, or undefined when somebody else wrote first (G1). */
export async function appendEvent(
  bus: Bus,
  input: TelecommandInput,
  record: TelecommandRecord,
  epoch: number,
  expected: number,
): Promise<number | undefined> {
  const body = Buffer.from(JSON.stringify(tcEvent(input, record)));
  const headers = ownerHeaders(input, record, epoch);
  const to = subject.tcEvent(input.target, input.id);
  const id = `${input.id}-${record.state}${record.state === 'ECHO' ? `-${expected}` : ''}`;
  const appended = await appendOwn(bus, streams.telecommandEvents, to, body, { id, expected, headers });
  return appended.outcome === 'stored' ? appended.seq : undefined;
}

/** A time as the log has it. */
export function loggedTime(at: number): string {
  return new Date(at).toISOString();
}

function tcEvent(input: TelecommandInput, record: TelecommandRecord): TcEvent {
  const { run, step } = input;
  // Field by field: this runs for every transition of every telecommand, and spreads of what may be absent cost more
  // than everything else here.
  const event: Mutable<TcEvent> = {
    tc: input.id,
    state: record.state,
    at: loggedTime(record.at),
  };
  if (record.detail !== undefined) event.detail = record.detail;
  if (record.conforming !== undefined) event.conforming = record.conforming;
  if (record.state === 'PENDING') {
    event.telecommand = telecommandOf(input);
    if (input.by !== undefined) event.by = input.by;
  }
  if (run !== undefined) event.run = run;
  if (step !== undefined) event.step = step;
  return event;
}

function telecommandOf({
  component,
  instance,
  telecommand,
}: TelecommandInput): NonNullable<TcEvent['telecommand']> {
  return instance === undefined ? { component, telecommand } : { component, instance, telecommand };
}

function ownerHeaders(input: TelecommandInput, record: TelecommandRecord, epoch: number): Headers {
  const headers: Record<string, string> = { [header.epoch]: String(epoch) };
  if (record.state === 'PENDING') headers[header.begun] = JSON.stringify(begunWith(input));
  if (record.frame !== undefined) headers[header.frame] = record.frame;
  if (record.handed !== undefined) headers[header.handed] = JSON.stringify(record.handed);
  if (record.reference !== undefined) headers[header.reference] = record.reference;
  if (record.gateway !== undefined) headers[header.gateway] = record.gateway;
  if (record.failure !== undefined) headers[header.outcome] = JSON.stringify(record.failure);
  return headers;
}

function begunWith({ changesState, verifyWithinMs, refusal }: TelecommandInput): Begun {
  return { changesState, verifyWithinMs, refused: refusal !== undefined };
}

/** What is stored of a telecommand. */
export interface History {
  /** Its events, in order. */
  readonly recorded: readonly Recorded[];
  /** Position of the last message, readable or not; 0 when there is none. */
  readonly last: number;
  /** Position of the first message that is no event (G5). */
  readonly unreadable: number | undefined;
}

export const NO_HISTORY: History = { recorded: [], last: 0, unreadable: undefined };

/** Everything recorded of a telecommand so far, or from a position of the stream on. Throws `Outage`. */
export async function readHistory(bus: Bus, target: string, id: string, position = 1): Promise<History> {
  const recorded: Recorded[] = [];
  let last = 0;
  let unreadable: number | undefined;
  const take = (message: StreamMessage): void => {
    last = message.seq;
    const read = readRecorded(message);
    if (read !== undefined) recorded.push(read);
    else unreadable ??= message.seq;
  };
  const about = subject.tcEvent(target, id);
  const from = { from: 'seq', seq: position } as const;
  const follower = await bus.follow(streams.telecommandEvents, about, from, take);
  await follower.caughtUp;
  await follower.stop();
  return { recorded, last, unreadable };
}
