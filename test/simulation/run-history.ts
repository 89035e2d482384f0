/**
 * What runs leave behind, for the checkers: their streams and buckets, and the answers people got. Nothing here is
 * judged.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import type { Program } from '../../contract/program.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { TwinServer } from './twin/server.ts';
import { everStored, type Held, kept, type StoredMessage } from './twin/stored-stream.ts';

export interface RecordedRunEvent {
  readonly message: StoredMessage;
  readonly run: string;
  readonly event: RunEvent;
  readonly epoch: number;
  /** Position of the answer that caused it. */
  readonly source: number | undefined;
}

/** A command that an executor has accepted. */
export interface AcceptedCommand {
  readonly run: string;
  readonly action: 'suspend' | 'resume' | 'abort' | 'preempt';
  readonly by: string;
  /** Places among what was stored: when it was asked, and when the answer had come. */
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** A command that was answered with a refusal: none of that name is carried out. */
export type RefusedCommand = Pick<AcceptedCommand, 'run' | 'action' | 'by'>;

export interface RunHistory {
  /** Acknowledged launches, with the process that answered. */
  readonly launched: readonly { readonly run: string; readonly by: string }[];
  readonly accepted: readonly AcceptedCommand[];
  readonly refused: readonly RefusedCommand[];
  /** Faults of spacecraft that are on when everything is over, `<gateway> <fault>`. */
  readonly lit: readonly string[];
  readonly submissions: readonly StoredMessage[];
  readonly events: readonly RecordedRunEvent[];
  readonly answers: readonly StoredMessage[];
  readonly leases: readonly StoredMessage[];
  /** The last value of each key, markers of removals left out. */
  readonly openRuns: readonly StoredMessage[];
  readonly index: readonly StoredMessage[];
  readonly reports: readonly StoredMessage[];
  /** By their hash; also those that a store that went back has lost, since logs of other moments may name them. */
  readonly programs: ReadonlyMap<string, Program>;
}

/** The part that the server holds. */
export function storedRuns(
  server: TwinServer,
  held: Held = kept,
): Omit<RunHistory, 'launched' | 'accepted' | 'refused' | 'lit'> {
  const last = (bucket: { readonly name: string }): StoredMessage[] =>
    server
      .bucket(bucket)
      .lasts()
      .filter(({ removal }) => !removal);
  return {
    submissions: held(server.stream(streams.runSubmissions)),
    events: held(server.stream(streams.runs)).map(recordedRun),
    answers: held(server.stream(streams.runAnswers)),
    leases: held(server.bucket(buckets.leases)),
    openRuns: last(buckets.openRuns),
    index: last(buckets.runs),
    reports: last(buckets.runReports),
    programs: new Map(programsOf(server).map((each) => [keyOf(each), bodyOf<Program>(each)])),
  };
}

function programsOf(server: TwinServer): StoredMessage[] {
  return everStored(server.bucket(buckets.programs)).filter(({ removal }) => !removal);
}

export function recordedRun(message: StoredMessage): RecordedRunEvent {
  const source = message.headers[header.source];
  return {
    message,
    run: lastToken(message),
    event: bodyOf<RunEvent>(message),
    epoch: Number(message.headers[header.epoch]),
    source: source === undefined ? undefined : Number(source),
  };
}

/** The events of each run, in their order. */
export function byRun(events: readonly RecordedRunEvent[]): Map<string, RecordedRunEvent[]> {
  const runs = new Map<string, RecordedRunEvent[]>();
  for (const each of events) {
    const log = runs.get(each.run);
    if (log === undefined) runs.set(each.run, [each]);
    else log.push(each);
  }
  return runs;
}

export function bodyOf<Body>({ data }: StoredMessage): Body {
  return JSON.parse(Buffer.from(data).toString()) as Body;
}

/** The key of an entry of a bucket. */
export function keyOf({ subject }: StoredMessage): string {
  return subject.split('.').slice(2).join('.');
}

export function lastToken({ subject }: StoredMessage): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}
