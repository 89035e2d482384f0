/**
 * Launches the reaction of an alarm, and reports how it ended. Mission Control Service, section 4.4 reaction rules 3
 * and 4. Whether an activation has one, and what follows from its end, is decided by the alarm.
 *
 * X1. One run for each activation: its identifier is made from the key and the number of the transition, and so is the
 *     message id of its submission. Whichever process submits it, and however often, every caller gets the same run.
 * X2. It runs in the environment of the run that holds the target, else in the last one declared for it.
 * X3. What cannot be resolved is logged and reported; nothing is stored of it.
 * X4. While the bus is away it waits.
 * X5. What is not readable on the bus is skipped, and logged once where it is followed: it neither ends a reaction nor
 *     keeps one from being launched.
 */

import { createHash } from 'node:crypto';
import { type AlarmName, alarmKey, reactionBy } from '../../contract/alarm-name.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { type StreamDefinition, streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { RunSummary } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import { readHolds } from '../../contract/target-holds.ts';
import { ulidOf } from '../../contract/telecommand-id.ts';
import {
  announceRun,
  isLaunched,
  storeProgram,
  submissionAt,
  submitRun,
} from '../../messaging/run-launch.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Mission } from '../../mission/mission.ts';
import { resolveReaction } from '../../mission/procedure/reaction.ts';
import { submittedRun } from '../../mission/procedure/run-status.ts';
import type { Bus, Entry, FollowFrom, StreamMessage } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';

export interface WantedReaction {
  readonly name: AlarmName;
  /** Number of the transition that asks for it. */
  readonly seq: number;
  /** When the alarm was raised, ms since 1970. */
  readonly at: number;
  readonly procedure: string;
}

export type Launched = { readonly run: string } | { readonly refused: string };

export interface ReactionEnd {
  readonly ok: boolean;
  readonly reason?: string;
}

export interface Reactions {
  /** Submits the run of an activation, once however often it is asked; undefined when `signal` ended the wait. */
  launch(wanted: WantedReaction, signal: AbortSignal): Promise<Launched | undefined>;
  /** How the run ended, once it has; undefined when `signal` ended the wait. */
  ended(run: string, signal: AbortSignal): Promise<ReactionEnd | undefined>;
}

interface ReactionsOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
}

export function createReactions(options: ReactionsOptions): Reactions {
  const { clock } = options;
  return {
    launch: async (wanted, signal) =>
      (await retryWhileBusIsAway({ clock, signal }, () => launch(wanted, options)))?.value,
    ended: async (run, signal) =>
      (await retryWhileBusIsAway({ clock, signal }, () => followToEnd(run, signal, options)))?.value,
  };
}

/** The identifier of the run of an activation (X1). */
export function reactionRun({ name, seq, at }: Omit<WantedReaction, 'procedure'>): string {
  return ulidOf(
    at,
    createHash('sha256')
      .update(`${alarmKey(name)}-${seq}`)
      .digest(),
  );
}

async function launch(wanted: WantedReaction, options: ReactionsOptions): Promise<Launched> {
  const { bus, clock, log, missions } = options;
  const { name, seq, procedure } = wanted;
  const alarm = alarmKey(name);
  const run = reactionRun(wanted);
  // It may not resolve any more, and runs all the same.
  if (await isLaunched(bus, run)) return { run };
  const resolved = await resolve(name, procedure, bus, missions.current);
  if (!resolved.ok) {
    const reason = resolved.faults.map(({ message }) => message).join('; ');
    log.error({ alarm, procedure, reason }, 'the reaction of an alarm is not launched');
    return { refused: reason };
  }
  const by = reactionBy(alarm);
  const { program, ir } = resolved.value;
  await storeProgram(bus, clock, resolved.value);
  const submitted = await submitRun(bus, { run, ir, by }, { id: `${alarm}-${seq}`, config: program.config });
  if (submitted.outcome === 'duplicate') return { run: (await submissionAt(bus, submitted.seq))?.run ?? run };
  await announceRun(bus, log, submittedRun(run, program, by));
  return { run };
}

async function resolve(
  alarm: AlarmName,
  procedure: string,
  bus: Bus,
  mission: Mission | undefined,
): Promise<ReturnType<typeof resolveReaction>> {
  if (mission === undefined) {
    const fault = { code: 'api::no-configuration', message: 'no configuration is published' } as const;
    return { ok: false, faults: [fault] };
  }
  const environment = await environmentInUse(bus, alarm.target);
  return resolveReaction(mission, { alarm, procedure, environment });
}

/** X2 */
async function environmentInUse(bus: Bus, target: string): Promise<string | undefined> {
  const { holders } = readHolds((await bus.bucket(buckets.leases).get(target))?.value);
  for (const { run } of holders) {
    const listed = read<RunSummary>(await bus.bucket(buckets.runs).get(run));
    const environment = listed?.environment ?? (await begunIn(bus, run));
    if (environment !== undefined) return environment;
  }
  return undefined;
}

/** The environment that the log of a run begins with; undefined when it has none. */
async function begunIn(bus: Bus, run: string): Promise<string | undefined> {
  const first = await firstFrom(bus, streams.runs, subject.runEvents(run), { from: 'start' });
  const event = first && bodyOf<RunEvent>(first);
  return event?.event === 'started' ? event.environment : undefined;
}

async function firstFrom(
  bus: Bus,
  stream: StreamDefinition,
  about: string,
  from: FollowFrom,
): Promise<StreamMessage | undefined> {
  let first: StreamMessage | undefined;
  const follower = await bus.follow(stream, about, from, (message) => {
    first ??= message;
  });
  await follower.caughtUp;
  await follower.stop();
  return first;
}

/** Follows the log of a run to its end; undefined when `signal` ended it first. */
async function followToEnd(
  run: string,
  signal: AbortSignal,
  { bus, log }: ReactionsOptions,
): Promise<ReactionEnd | undefined> {
  let told = (_end: ReactionEnd | undefined): void => undefined;
  const end = new Promise<ReactionEnd | undefined>((resolve) => {
    told = resolve;
  });
  const over = (): void => told(undefined);
  signal.addEventListener('abort', over, { once: true });
  const follower = await bus.follow(streams.runs, subject.runEvents(run), { from: 'start' }, (message) => {
    const event = bodyOf<RunEvent>(message);
    // X5: thrown, it would be handed over again for ever, and nothing behind it would be seen.
    if (event === undefined) log.error({ run, position: message.seq }, 'not an event of a run: skipped');
    if (event?.event !== 'finished') return;
    told({ ok: event.ok, ...(event.reason !== undefined && { reason: event.reason }) });
  });
  if (signal.aborted) over();
  try {
    return await end;
  } finally {
    signal.removeEventListener('abort', over);
    await follower.stop();
  }
}

function read<Body extends object>(entry: Entry | undefined): Body | undefined {
  return entry === undefined || entry.value.length === 0 ? undefined : bodyOf<Body>({ data: entry.value });
}

/** The JSON object in a message; undefined where there is none (X5). */
function bodyOf<Body extends object>({ data }: Pick<StreamMessage, 'data'>): Body | undefined {
  try {
    const body = JSON.parse(Buffer.from(data).toString()) as Body | null;
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}
