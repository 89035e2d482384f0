/**
 * Alarm leaders on a real bus for the tests of the alarm service: each a service with its cells, over a bus that can
 * die at any write. Their watch is made by hand: a message of values says in its `link` which alarms change.
 */

import { createAlarmBinding } from '../../../actors/alarm/binding.ts';
import type { Launched, ReactionEnd, Reactions, WantedReaction } from '../../../actors/alarm/reactions.ts';
import { createRecordStore } from '../../../actors/alarm/record-store.ts';
import { AlarmService } from '../../../actors/alarm/service.ts';
import type { AlarmCall, AlarmEvent, AlarmReply, Severity, StoredAlarm } from '../../../contract/alarm.ts';
import { alarmKey } from '../../../contract/alarm-name.ts';
import { encodeBatch, type ValueBatch } from '../../../contract/batch.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { readStoredAlarm } from '../../../contract/stored-alarm.ts';
import type { Mission, Target } from '../../../mission/mission.ts';
import type { AlarmEdge, AlarmWatch } from '../../../ports/alarm-watch.ts';
import type { Bus, StreamMessage } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { MissionSource } from '../../../ports/mission-source.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { cellsOf } from '../../../supervision/cells/host.ts';
import { Kind } from '../../../supervision/cells/kind.ts';
import { realClock } from '../../../supervision/clock.ts';
import { readValues } from '../../../telemetry/reading/batch-shape.ts';
import { type KeptLog, keptLog } from '../../support/silent-log.ts';

/** What a message of values says of alarms of component `battery`, instance `1`. */
export interface Said {
  readonly alarm: string;
  readonly severity: Severity | null;
  readonly value?: number;
  readonly onRaise?: string;
}

/** Publishes values by which these alarms change; deferred ones are for nobody. */
export async function says(bus: Bus, changes: readonly Said[], target = 'sat1'): Promise<number> {
  const batch: ValueBatch = {
    platform: 'p',
    link: JSON.stringify(changes),
    deferred: false,
    blocks: [],
    reports: [],
  };
  const appended = await bus.append(streams.values, subject.values(target), encodeBatch(batch));
  if (appended.outcome !== 'stored') throw new Error('values were not stored');
  return appended.seq;
}

/** Reports what messages say, remembers how each alarm stands, and has at most one deadline. */
class SaidWatch implements AlarmWatch {
  readonly spanMs = 0;
  readonly whole = true;
  readonly #tell: (edge: AlarmEdge) => void;
  readonly #standing = new Map<string, AlarmEdge>();

  constructor(tell: (edge: AlarmEdge) => void, before: AlarmWatch | undefined) {
    this.#tell = tell;
    for (const edge of before?.standing() ?? []) this.#standing.set(edge.alarm, edge);
  }

  prime(): void {}

  apply({ link }: ValueBatch, position: number): void {
    for (const said of JSON.parse(link) as Said[]) {
      const edge = {
        component: 'battery',
        instance: '1',
        ...said,
        evaluated: { position, at: NOON + position },
      };
      this.#standing.set(said.alarm, edge);
      this.#tell(edge);
    }
  }

  pass(): void {}

  deadline(): number | undefined {
    return undefined;
  }

  standing(): Iterable<AlarmEdge> {
    return this.#standing.values();
  }
}

/** Ground time of the first message, ms since 1970, as the hand-made watch has it. */
export const NOON = Math.floor(Date.now() / 1_000) * 1_000;

/** A bus that stops for good, as that of a killed process: at a write that `dies` names, or by `kill`. */
export interface MortalBus {
  readonly bus: Bus;
  readonly dead: boolean;
  kill(): void;
}

const NEVER = new Promise<never>(() => undefined);

export function mortalBus(real: Bus, dies: (write: string) => boolean = () => false): MortalBus {
  let dead = false;
  const alive = <Value>(what: string, act: () => Promise<Value>): Promise<Value> => {
    dead ||= dies(what);
    return dead ? NEVER : act();
  };
  const bus = new Proxy(real, {
    get: (on, name) => {
      if (name === 'append')
        return (...given: Parameters<Bus['append']>) =>
          alive(`append ${given[0].name} ${given[3]?.id ?? ''}`, () => on.append(...given));
      if (name === 'follow')
        return (...[stream, filter, from, handle]: Parameters<Bus['follow']>) =>
          on.follow(stream, filter, from, (message) => (dead ? NEVER : handle(message)));
      if (name === 'serve')
        return (...[filter, answer, options]: Parameters<Bus['serve']>) =>
          on.serve(filter, (message) => (dead ? NEVER : answer(message)), options);
      if (name === 'bucket')
        return (...given: Parameters<Bus['bucket']>) => {
          const bucket = on.bucket(...given);
          return {
            get: (key: string) => alive('get', () => bucket.get(key)),
            list: (filter: string) => alive('list', () => bucket.list(filter)),
            position: () => alive('position', () => bucket.position()),
            put: (...write: Parameters<typeof bucket.put>) =>
              alive(`put ${given[0].name} ${write[0]}`, () => bucket.put(...write)),
          };
        };
      const value = Reflect.get(on, name) as unknown;
      return typeof value === 'function' ? value.bind(on) : value;
    },
  });
  return {
    bus,
    get dead() {
      return dead;
    },
    kill: () => {
      dead = true;
    },
  };
}

/** Reactions that a test answers. */
export class AskedReactions implements Reactions {
  readonly wanted: WantedReaction[] = [];
  readonly awaited: string[] = [];
  launched: (wanted: WantedReaction) => Launched | Promise<Launched> = ({ seq }) => ({ run: `run-${seq}` });
  end: (run: string) => ReactionEnd | Promise<ReactionEnd> = () => NEVER;

  async launch(wanted: WantedReaction): Promise<Launched> {
    this.wanted.push(wanted);
    return this.launched(wanted);
  }

  async ended(run: string): Promise<ReactionEnd> {
    this.awaited.push(run);
    return this.end(run);
  }
}

/** Missions whose targets, in order, have limits of the measures named. */
export class SaidMissions implements MissionSource {
  readonly #listeners = new Set<(mission: Mission) => void>();
  readonly #targets: readonly string[];
  current: Mission;

  constructor(measures: readonly string[], targets: readonly string[] = ['sat1']) {
    this.#targets = targets;
    this.current = missionOf(measures, targets);
  }

  async at(): Promise<undefined> {
    return undefined;
  }

  publish(measures: readonly string[], targets = this.#targets): void {
    this.current = missionOf(measures, targets);
    for (const listener of this.#listeners) listener(this.current);
  }

  onChange(listener: (mission: Mission) => void): () => void {
    this.#listeners.add(listener);
    listener(this.current);
    return () => this.#listeners.delete(listener);
  }
}

function missionOf(measures: readonly string[], targets: readonly string[]): Mission {
  const definitions = measures.map((name) => ({
    component: 'battery',
    instance: '1',
    definition: { name, soft: [0, 1], hard: undefined },
  }));
  const platform = { measures: definitions, alarms: [] };
  const made = targets.map((name) => [name, { name, platform } as unknown as Target] as const);
  const settings = { maxShelveMs: 8 * 3_600_000, alarmRetentionMs: 90 * 86_400_000 };
  return { targets: new Map(made), settings } as unknown as Mission;
}

export interface LeaderOptions {
  readonly bus: Bus;
  readonly epoch: number;
  readonly missions?: MissionSource;
  readonly reactions?: Reactions;
  readonly clock?: Clock;
  readonly holds?: () => boolean;
  readonly idleMs?: number;
}

export interface Leader {
  readonly service: AlarmService;
  readonly kind: Kind;
  readonly failures: unknown[];
  readonly transitions: AlarmEvent[];
  readonly said: KeptLog['said'];
  stop(): Promise<void>;
}

export async function lead({
  bus,
  epoch,
  missions = new SaidMissions(['voltage', 'current', 'low', 'quiet']),
  reactions = new AskedReactions(),
  clock = realClock,
  holds = () => true,
  idleMs,
}: LeaderOptions): Promise<Leader> {
  const log = keptLog();
  const failures: unknown[] = [];
  const transitions: AlarmEvent[] = [];
  let service: AlarmService | undefined;
  const store = createRecordStore({ bus, term: () => service });
  const binding = createAlarmBinding({ bus, store, services: () => service });
  const kind = new Kind({
    binding: { ...binding, ...(idleMs !== undefined && { idleMs }) },
    clock,
    log,
    random: seededRandom(1),
    deadLetters: createDeadLetters(undefined, log),
    epochOf: () => service?.epochOf() ?? 0,
    onGone: (key, why) => service?.gone(key, why),
    onResume: async (key) => service?.resumed(key),
    onEscalated: (reason) => void failures.push(new Error(reason)),
  });
  service = new AlarmService({
    bus,
    clock,
    log,
    missions,
    epoch,
    holds,
    reactions,
    failed: (error) => void failures.push(error),
    cells: cellsOf(kind),
    watchOf: (_, tell, before) => new SaidWatch(tell, before),
    knownOf: async () => [],
    readValues,
    transition: (event) => void transitions.push(event),
  });
  await service.start();
  const stop = async (): Promise<void> => {
    await service?.stop();
    await kind.drain();
  };
  return { service, kind, failures, transitions, said: log.said, stop };
}

// What is on the bus --------------------------------------------------------------------------------------------------

export const nameOf = (alarm: string, target = 'sat1') => ({
  target,
  component: 'battery',
  instance: '1',
  alarm,
});

export async function storedOf(bus: Bus, alarm: string): Promise<StoredAlarm | undefined> {
  const entry = await bus.bucket(buckets.alarms).get(alarmKey(nameOf(alarm)));
  return entry && readStoredAlarm(entry.value);
}

export const stateOf = async (bus: Bus, alarm: string): Promise<string | undefined> =>
  (await storedOf(bus, alarm))?.record.state;

/** Every event of alarms so far, in order. */
export async function eventsOf(
  bus: Bus,
  alarm?: string,
): Promise<{ readonly event: AlarmEvent; readonly message: StreamMessage }[]> {
  const events: { event: AlarmEvent; message: StreamMessage }[] = [];
  const filter = alarm === undefined ? subject.alarmEvents() : subject.alarmEvent(nameOf(alarm));
  const follower = await bus.follow(streams.alarms, filter, { from: 'start' }, (message) => {
    events.push({ event: JSON.parse(Buffer.from(message.data).toString()) as AlarmEvent, message });
  });
  await follower.caughtUp;
  await follower.stop();
  return events;
}

export async function command(
  bus: Bus,
  alarm: string,
  call: Pick<AlarmCall, 'action'> & { readonly forMs?: number },
  target = 'sat1',
): Promise<AlarmReply> {
  const { target: _, ...named } = nameOf(alarm);
  const body = Buffer.from(JSON.stringify({ alarm: named, by: 'ada', ...call }));
  const reply = await bus.request(subject.alarmControl(target), body, { timeoutMs: 30_000 });
  return JSON.parse(Buffer.from(reply).toString()) as AlarmReply;
}
