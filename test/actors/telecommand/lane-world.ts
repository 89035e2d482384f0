/** One target with its lane, cells, driver and gateway on a bus in memory, for the tests of lanes. */

import { createTelecommandBinding } from '../../../actors/telecommand/binding.ts';
import type { FinishedBefore } from '../../../actors/telecommand/finished-before.ts';
import { createHistoryStore } from '../../../actors/telecommand/history-store.ts';
import type { Holds } from '../../../actors/telecommand/holds.ts';
import { Lane } from '../../../actors/telecommand/lane.ts';
import type { LaneOptions } from '../../../actors/telecommand/open-lane.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { SendCall } from '../../../contract/link.ts';
import type { TcEvent } from '../../../contract/telecommand.ts';
import { TELECOMMAND_VERSION } from '../../../machines/telecommand/fold.ts';
import { HandOvers } from '../../../messaging/hand-overs.ts';
import { KeptEnvelopes } from '../../../messaging/kept-envelopes.ts';
import type { Mission } from '../../../mission/mission.ts';
import { type CurrentPasses, NO_PASSES } from '../../../mission/pass/serving-gateway.ts';
import type { Requirement, Verification } from '../../../mission/platform.ts';
import type { MissionSource } from '../../../ports/mission-source.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { cellsOf } from '../../../supervision/cells/host.ts';
import { Kind } from '../../../supervision/cells/kind.ts';
import { KnownPlatforms } from '../../../telemetry/reading/known-platforms.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { type KeptLog, keptLog } from '../../support/silent-log.ts';
import { LogBus } from './log-bus.ts';

export const idOf = (n: number): string => `01J${String(n).padStart(23, '0')}`;

/** A mission with one target, link, driver and gateway and the telecommand `obc.act`. */
export function missionOf(
  verify: Verification | undefined,
  revision = 'one',
  changesState = true,
  requires: readonly Requirement[] = [],
): Mission {
  const telecommand = { component: 'obc', name: 'act', changesState, requires, verify };
  const platform = {
    digest: revision,
    measures: [],
    ordinal: () => undefined,
    components: new Map([['obc', { telecommands: new Map([['act', telecommand]]) }]]),
  };
  const link = { name: 'main', driver: 'drv', parameters: () => ({ gateway: 'gw', tags: [] }) };
  const target = { name: 'sat1', platform, environments: [], links: new Map([['main', link]]) };
  return {
    revision,
    settings: { maxSubmissionAgeMs: 300_000 },
    platforms: new Map([['p', platform]]),
    targets: new Map([['sat1', target]]),
    environments: new Map(),
    gateways: new Map([['gw', { name: 'gw', kind: 'external', echo: true, settings: {} }]]),
  } as unknown as Mission;
}

/** The missions that a test publishes, and what it says of each revision. */
class Published implements MissionSource {
  current: Mission | undefined;
  readonly at: (revision: string) => Promise<Mission | undefined>;
  readonly #listeners = new Set<(mission: Mission) => void>();

  constructor(current: Mission | undefined, at: (revision: string) => Mission | undefined) {
    this.current = current;
    this.at = async (revision) => at(revision);
  }

  publish(mission: Mission): void {
    this.current = mission;
    for (const listener of this.#listeners) listener(mission);
  }

  onChange(listener: (mission: Mission) => void): () => void {
    this.#listeners.add(listener);
    if (this.current !== undefined) listener(this.current);
    return () => this.#listeners.delete(listener);
  }
}

export interface LaneWorld {
  readonly bus: LogBus;
  readonly clock: ManualClock;
  readonly lane: Lane;
  readonly kind: Kind;
  readonly failures: unknown[];
  readonly said: KeptLog['said'];
  readonly sent: SendCall[];
  /** Another mission is in force from now on. */
  publish(mission: Mission): void;
  states(n: number): string[];
  run(ms: number): Promise<void>;
}

interface WorldOptions {
  readonly bus?: LogBus;
  readonly clock?: ManualClock;
  readonly epoch?: number;
  readonly mission?: Mission | undefined;
  /** Missions by revision; default: the current one whatever is asked. */
  readonly at?: (revision: string) => Mission | undefined;
  readonly holds?: Holds;
  /** The current values of the target; default: none is known. */
  readonly values?: LaneOptions['values'];
  /** Default: none is known. */
  readonly passes?: CurrentPasses;
  /** What is over, as it is read for all lanes; default: the lane asks for itself. */
  readonly finished?: FinishedBefore;
  /** Envelopes are kept beside the logs. */
  readonly isKept?: boolean;
  readonly isOwner?: () => boolean;
}

const WINDOW: Verification = { expect: undefined, fail: undefined, reports: 'completion', withinMs: 60_000 };
export const verified: Mission = missionOf(WINDOW);

/** A gateway and a driver that do what they are asked. */
export function obliging(bus: LogBus, clock: ManualClock): void {
  bus.answer = (to) =>
    to.endsWith('.encode')
      ? { ok: true, value: { frame: 'c0ffee', reference: 'ref' } }
      : { outcome: 'sent', at: clock.now() };
}

/** A lane whose driver and gateway do what they are asked. */
export function obligingWorld(options: WorldOptions = {}): LaneWorld {
  const one = laneWorld(options);
  obliging(one.bus, one.clock);
  return one;
}

/** Of one that left and waits for its verification. */
export const SENT = ['PENDING', 'ENCODED', 'SENT'];

/** The submission that the next owner of the lane begins with. */
export function markOf(bus: LogBus): number {
  const entry = bus.bucket(buckets.members).entries.get('checkpoint.lane.sat1');
  return (JSON.parse(Buffer.from(entry!.value).toString()) as { submission: number }).submission;
}

/** Holds that do not answer before `look` is called. */
export function heldUp(): { readonly holds: Holds; readonly look: () => void } {
  let look = (): void => undefined;
  const looking = new Promise<undefined>((resolve) => {
    look = () => resolve(undefined);
  });
  const holds: Holds = {
    unheld: async () => undefined,
    refusal: () => looking,
    stop: async () => undefined,
  };
  return { holds, look: () => look() };
}

export function laneWorld({
  clock = new ManualClock(1_000_000),
  bus = new LogBus(),
  epoch = 1,
  mission = verified,
  at = () => mission,
  holds = {
    refusal: async () => undefined,
    unheld: async () => undefined,
    stop: async () => undefined,
  },
  values = { sample: () => undefined, position: () => undefined, upToDate: async () => undefined },
  passes = NO_PASSES,
  finished,
  isKept = false,
  isOwner = () => true,
}: WorldOptions = {}): LaneWorld {
  bus.now = () => clock.now();
  const kept = isKept
    ? { kept: new KeptEnvelopes(bus, { kind: 'telecommand', version: TELECOMMAND_VERSION }) }
    : {};
  const failures: unknown[] = [];
  const log = keptLog();
  let lane: Lane;
  const binding = createTelecommandBinding({
    bus,
    clock,
    handOvers: new HandOvers(clock),
    store: createHistoryStore({
      bus,
      ...kept,
      inputOf: (cell) => lane.inputOf(cell),
      now: () => clock.now(),
      appended: (cell, { state }, seq) => lane.appended(cell, state, seq),
    }),
    servicesOf: (cell) => lane.servicesOf(cell),
    isOwned: (cell) => lane.isOwned(cell),
  });
  const kind = new Kind({
    binding,
    clock,
    random: seededRandom(1),
    log,
    deadLetters: createDeadLetters(undefined, log),
    ...kept,
    onGone: (cell, why, detail) => void lane.gone(cell, why, detail),
    onResume: (cell) => lane.resumed(cell),
    onEscalated: () => undefined,
  });
  const missions = new Published(mission, at);
  lane = new Lane({
    target: 'sat1',
    epoch,
    bus,
    clock,
    log,
    missions,
    platforms: new KnownPlatforms(missions, clock),
    values,
    passes,
    holds,
    ...(finished !== undefined && { finished }),
    ...kept,
    cells: cellsOf(kind),
    isOwner,
    failed: (error) => failures.push(error),
  });
  return {
    bus,
    clock,
    lane,
    kind,
    failures,
    said: log.said,
    publish: (next) => missions.publish(next),
    get sent() {
      return bus.asked.filter(({ subject: to }) => to.endsWith('.send')).map(({ call }) => call as never);
    },
    states: (n) => eventsOf(bus, n).map((event) => event.state),
    run: async (ms) => {
      await settled();
      await clock.run(ms, Math.max(1, ms / 50));
      await settled();
    },
  };
}

export function eventsOf(bus: LogBus, n: number): TcEvent[] {
  return bus
    .messages(streams.telecommandEvents)
    .map((message) => JSON.parse(Buffer.from(message.data).toString()) as TcEvent)
    .filter((event) => event.tc === idOf(n));
}

interface SubmitOptions {
  readonly revision?: string;
  readonly withdrawn?: string;
  /** The run that sends it. */
  readonly run?: string;
  readonly link?: string;
  readonly environment?: string;
  /** Another one than its own, as if the stream had forgotten it. */
  readonly messageId?: string;
  /** Default: that of its number. */
  readonly id?: string;
}

export async function submit(
  bus: LogBus,
  n: number,
  { revision, withdrawn, run, link = 'main', environment, id = idOf(n), messageId = id }: SubmitOptions = {},
): Promise<void> {
  const submission = {
    id,
    target: 'sat1',
    component: 'obc',
    telecommand: 'act',
    args: {},
    link,
    ...(environment !== undefined && { environment }),
    ...(withdrawn !== undefined && { withdrawn }),
    ...(run !== undefined && { run }),
  };
  await bus.append(streams.telecommands, subject.tcSubmit('sat1'), Buffer.from(JSON.stringify(submission)), {
    id: messageId,
    headers: revision === undefined ? {} : { [header.config]: revision },
  });
}

/** Writes events as an owner before did. */
export async function recorded(bus: LogBus, n: number, ...states: string[]): Promise<void> {
  for (const state of states) {
    const at = new Date(bus.now()).toISOString();
    const headers = { [header.epoch]: '0', ...(state === 'ENCODED' && { [header.frame]: 'c0ffee' }) };
    const body = Buffer.from(JSON.stringify({ tc: idOf(n), state, at }));
    await bus.append(streams.telecommandEvents, subject.tcEvent('sat1', idOf(n)), body, { headers });
  }
}

export const cellOf = (n: number): string => `sat1.${idOf(n)}`;
