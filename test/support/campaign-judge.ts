/**
 * What a campaign has left on the bus, read once and judged from that: each stream by one reader, with a time of its
 * own, however much there is. Every checker says `pass`, `fail` with what is wrong, or `not judged` with the reason.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { readLogged } from '../../actors/run/run-log.ts';
import { readAlarmEvent } from '../../contract/alarm.ts';
import { type StreamDefinition, streams } from '../../contract/bus/streams.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { TcEvent, TcSubmission } from '../../contract/telecommand.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import type { Bus, Follower, StreamMessage } from '../../ports/bus.ts';
import { readValues } from '../../telemetry/reading/batch-shape.ts';
import { lostAnswers, type StoredAnswer } from './campaign-answers.ts';
import { FIELD, type Field, fieldFaults } from './campaign-field.ts';
import type { Load } from './campaign-load.ts';
import { runLogFaults } from './run-log-checker.ts';

export type Verdict =
  | { readonly verdict: 'pass' }
  | { readonly verdict: 'fail'; readonly faults: readonly string[] }
  | { readonly verdict: 'not judged'; readonly reason: string };

/** More of one checker is no news. */
const FAULTS_SHOWN = 20;

type Named<Event> = ReadonlyMap<string, readonly Event[]>;

/** What a stream has, or why it could not be read whole. */
export type Read<Value> = { readonly of: Value } | { readonly reason: string };

export interface CampaignRecord {
  /** By `<target>.<id>`. */
  readonly telecommands: Read<Named<TcEvent>>;
  /** Positions of their submissions, by `<target>.<id>`. */
  readonly submissions: Read<Named<number>>;
  /** By run. */
  readonly runs: Read<Named<RunEvent>>;
  /** By run. */
  readonly answers: Read<Named<StoredAnswer>>;
  /** Positions of the answers that the log of each run names. */
  readonly answersLogged: Read<Named<number>>;
  /** Numbers of the transitions of each alarm, by subject. */
  readonly alarms: Read<Named<number>>;
  /** Messages of the value stream that cannot be read: where each is stored, and its bytes in base64. */
  readonly unreadableValues: Read<readonly string[]>;
}

export type Asked = Pick<Load, 'telecommands' | 'field' | 'runs' | 'answered'>;

interface Reading {
  /** For all of it. */
  readonly withinMs: number;
  /** Whether nothing more is to come. */
  readonly isOver: (record: CampaignRecord) => boolean;
  /** Ends what does not end by itself; called again and again. */
  readonly end: (record: CampaignRecord) => Promise<void>;
}

const LOOK_EVERY_MS = 500;

/** Reads each stream once, until everything is over or the time is; what is not over by then is judged as it stands. */
export async function readCampaign(
  bus: Pick<Bus, 'follow'>,
  { withinMs, isOver: isDone, end }: Reading,
): Promise<CampaignRecord> {
  const telecommands = new Map<string, TcEvent[]>();
  const submissions = new Map<string, number[]>();
  const runs = new Map<string, RunEvent[]>();
  const answers = new Map<string, StoredAnswer[]>();
  const answersLogged = new Map<string, number[]>();
  const alarms = new Map<string, number[]>();
  const unreadable: string[] = [];
  const readers = [
    new Reader(bus, streams.telecommandEvents, ({ subject, data }) =>
      put(telecommands, subject.split('.').slice(-2).join('.'), eventIn<TcEvent>(data)),
    ),
    new Reader(bus, streams.runs, (message) => {
      const run = message.subject.split('.').at(-1)!;
      put(runs, run, eventIn<RunEvent>(message.data));
      const source = readLogged(message)?.source;
      if (source !== undefined) put(answersLogged, run, source);
    }),
    new Reader(bus, streams.alarms, ({ subject, data }) =>
      put(alarms, subject, readAlarmEvent(data)?.seq ?? -1),
    ),
    new Reader(bus, streams.telecommands, ({ seq, data }) => {
      const { target, id } = eventIn<TcSubmission>(data);
      put(submissions, `${target}.${id}`, seq);
    }),
    new Reader(bus, streams.values, ({ subject, seq, at, data }) => {
      if (readValues(data) !== undefined) return;
      const bytes = Buffer.from(data).toString('base64');
      unreadable.push(`${subject} at position ${seq}, ${new Date(at).toISOString()}: ${bytes}`);
    }),
    new Reader(bus, streams.runAnswers, ({ subject, seq, at }) =>
      put(answers, subject.split('.').at(-1)!, { position: seq, at }),
    ),
  ] as const;
  const seconds = withinMs / 1000;
  const record = (): CampaignRecord => ({
    telecommands: readers[0].read(telecommands, seconds),
    runs: readers[1].read(runs, seconds),
    answers: readers[5].read(answers, seconds),
    answersLogged: readers[1].read(answersLogged, seconds),
    alarms: readers[2].read(alarms, seconds),
    submissions: readers[3].read(submissions, seconds),
    unreadableValues: readers[4].read(unreadable, seconds),
  });
  const deadline = performance.now() + withinMs;
  for (const reader of readers) void reader.start();
  while (performance.now() < deadline && !(readers.every(({ isWhole }) => isWhole) && isDone(record()))) {
    await Promise.race([end(record()).catch(() => undefined), pause(LOOK_EVERY_MS)]);
    await pause(LOOK_EVERY_MS);
  }
  const read = record();
  await Promise.race([Promise.all(readers.map((reader) => reader.stop())), pause(STOP_MS)]);
  return read;
}

const STOP_MS = 5_000;

/** One stream, from its beginning on. */
class Reader {
  readonly #bus: Pick<Bus, 'follow'>;
  readonly #stream: StreamDefinition;
  readonly #take: (message: StreamMessage) => void;
  #follower: Follower | undefined;
  #count = 0;
  #trouble: string | undefined;
  isWhole = false;

  constructor(bus: Pick<Bus, 'follow'>, stream: StreamDefinition, take: (message: StreamMessage) => void) {
    this.#bus = bus;
    this.#stream = stream;
    this.#take = take;
  }

  async start(): Promise<void> {
    try {
      this.#follower = await this.#bus.follow(
        this.#stream,
        this.#stream.subjects[0]!,
        { from: 'start' },
        (message) => {
          this.#count += 1;
          this.#take(message);
        },
      );
      await this.#follower.caughtUp;
      this.isWhole = true;
    } catch (error) {
      this.#trouble = String(error);
    }
  }

  /** `of`, where the stream was read to what was its end when the reader began. */
  read<Value>(of: Value, seconds: number): Read<Value> {
    if (this.isWhole) return { of };
    const { name } = this.#stream;
    if (this.#trouble !== undefined) return { reason: `${name} cannot be read: ${this.#trouble}` };
    return { reason: `${name} was not read whole within ${seconds} s: ${this.#count} messages were` };
  }

  async stop(): Promise<void> {
    await this.#follower?.stop();
  }
}

/** Whether everything that was asked for is over. */
export function isOver({ telecommands, field, runs }: Asked, record: CampaignRecord): boolean {
  if (!('of' in record.telecommands) || !('of' in record.runs)) return false;
  const { of: histories } = record.telecommands;
  const { of: logs } = record.runs;
  const ended = (target: string) => (id: string) => isFinal(histories.get(`${target}.${id}`));
  return (
    telecommands.every(ended('sat2')) &&
    field.every(ended(FIELD)) &&
    runs.every((run) => logs.get(run)?.at(-1)?.event === 'finished')
  );
}

/** A verdict of each checker. */
export function judge(asked: Asked, record: CampaignRecord, field: Field): Record<string, Verdict> {
  const { telecommands, runs, alarms, unreadableValues } = record;
  return {
    'every telecommand ends': verdict(telecommands, (histories) => [
      ...openOnes('sat2', asked.telecommands, histories, record.submissions),
      ...openOnes(FIELD, asked.field, histories, record.submissions),
    ]),
    'every state once': verdict(telecommands, (histories) => [...histories].flatMap(repeated)),
    'once at the spacecraft': verdict(telecommands, (histories) => {
      // One whose request was answered 503 may have been stored: it leaves as well, and once.
      const stored = [...histories.keys()].filter((key) => key.startsWith(`${FIELD}.`));
      const all = [...new Set([...asked.field, ...stored.map((key) => key.slice(FIELD.length + 1))])];
      const ends = endsOf(FIELD, all, histories);
      const none = (ends.REJECTED ?? 0) + (ends.ENCODE_FAILED ?? 0);
      const unsure = (ends.SEND_FAILED ?? 0) + (ends.open ?? 0);
      return fieldFaults(field, { sent: all.length - unsure - none, unsure });
    }),
    'sound logs of runs': verdict(runs, (logs) =>
      asked.runs.flatMap((run) => {
        const log = logs.get(run) ?? [];
        const faults = log.length === 0 ? ['has no log'] : runLogFaults(log);
        return faults.map((fault) => `${run}: ${fault}`);
      }),
    ),
    'answers are kept': verdict(keptAnswers(record), ({ logs, answers, logged }) =>
      asked.runs.flatMap((run) => {
        const last = logs.get(run)?.at(-1);
        return lostAnswers({
          run,
          acknowledged: asked.answered.filter((each) => each.run === run).length,
          stored: answers.get(run) ?? [],
          logged: new Set(logged.get(run)),
          finishedAt: last?.event === 'finished' ? Date.parse(last.at) : undefined,
        });
      }),
    ),
    'values can be read': verdict(unreadableValues, (unreadable) => unreadable),
    'alarms without gaps': verdict(alarms, (numbers) => [...numbers].flatMap(gaps)),
  };
}

/** How many telecommands ended in which state. */
export function endsOf(
  target: string,
  ids: readonly string[],
  histories: Named<TcEvent>,
): Readonly<Record<string, number>> {
  const ends: Record<string, number> = {};
  for (const id of ids) {
    const history = histories.get(`${target}.${id}`);
    const end = isFinal(history) ? lastState(history)! : 'open';
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}

/** By the minute in which they were taken up and by pair of states: how many telecommands, and the longest time in s. */
export function stagesIn(target: string, histories: Named<TcEvent>): Readonly<Record<string, string>> {
  const longest = new Map<string, { count: number; ms: number }>();
  for (const [name, history] of histories) {
    if (!name.startsWith(`${target}.`)) continue;
    const minute = history[0]!.at.slice(11, 16);
    for (const [n, { state, at }] of history.entries()) {
      const next = history[n + 1];
      if (next === undefined || next.state === 'ECHO') continue;
      const key = `${minute} ${state} to ${next.state}`;
      const known = longest.get(key) ?? { count: 0, ms: 0 };
      const ms = Math.max(known.ms, Date.parse(next.at) - Date.parse(at));
      longest.set(key, { count: known.count + 1, ms });
    }
  }
  const inOrder = [...longest].toSorted(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(inOrder.map(([key, { count, ms }]) => [key, `${count}, ${ms / 1000} s`]));
}

/** Why telecommands did not leave, and of how many each was said; numbers are left out. */
export function reasonsIn(histories: Named<TcEvent>): Readonly<Record<string, number>> {
  const reasons: Record<string, number> = {};
  for (const history of histories.values()) {
    const failed = history.find(({ state }) => state === 'SEND_FAILED' || state === 'REJECTED');
    if (failed === undefined) continue;
    const why = `${failed.state}: ${(failed.detail ?? '').replaceAll(/\d[\d:.TZ-]*/g, 'n')}`;
    reasons[why] = (reasons[why] ?? 0) + 1;
  }
  return reasons;
}

function verdict<Value>(read: Read<Value>, faultsIn: (value: Value) => readonly string[]): Verdict {
  if (!('of' in read)) return { verdict: 'not judged', reason: read.reason };
  const faults = faultsIn(read.of);
  if (faults.length === 0) return { verdict: 'pass' };
  const more = faults.length > FAULTS_SHOWN ? [`and ${faults.length - FAULTS_SHOWN} more`] : [];
  return { verdict: 'fail', faults: [...faults.slice(0, FAULTS_SHOWN), ...more] };
}

/** With what the stream has of their submissions: one that the bus lost nobody can take up. */
function openOnes(
  target: string,
  ids: readonly string[],
  histories: Named<TcEvent>,
  submissions: CampaignRecord['submissions'],
): string[] {
  return ids.flatMap((id) => {
    const name = `${target}.${id}`;
    const history = histories.get(name);
    if (isFinal(history)) return [];
    const stands = `${name} stands at ${lastState(history) ?? 'nothing'}`;
    if (!('of' in submissions)) return [stands];
    const places = submissions.of.get(name)?.join(' and ') ?? 'nowhere';
    return [`${stands}; submitted at ${places}`];
  });
}

function repeated([name, history]: readonly [string, readonly TcEvent[]]): string[] {
  const states = history.map(({ state }) => state).filter((state) => state !== 'ECHO');
  return new Set(states).size === states.length ? [] : [`${name}: ${states.join(', ')}`];
}

function keptAnswers({ runs, answers, answersLogged }: CampaignRecord): Read<{
  readonly logs: Named<RunEvent>;
  readonly answers: Named<StoredAnswer>;
  readonly logged: Named<number>;
}> {
  if (!('of' in runs)) return runs;
  if (!('of' in answers)) return answers;
  if (!('of' in answersLogged)) return answersLogged;
  return { of: { logs: runs.of, answers: answers.of, logged: answersLogged.of } };
}

function gaps([name, numbers]: readonly [string, readonly number[]]): string[] {
  return numbers.flatMap((seq, n) =>
    seq === n + 1 ? [] : [`${name}: ${seq} behind ${numbers[n - 1] ?? 0}`],
  );
}

function lastState(history: readonly TcEvent[] | undefined): string | undefined {
  return history?.findLast(({ state }) => state !== 'ECHO')?.state;
}

function isFinal(history: readonly TcEvent[] | undefined): boolean {
  return isFinalTcState(lastState(history) ?? '');
}

function eventIn<Event>(data: Uint8Array): Event {
  return JSON.parse(Buffer.from(data).toString()) as Event;
}

function put<Item>(map: Map<string, Item[]>, key: string, item: Item): void {
  const items = map.get(key);
  if (items === undefined) map.set(key, [item]);
  else items.push(item);
}
