/** One alarm of one target, followed over a bus in memory by owners one after the other. */

import { Slots } from '../../../actors/alarm/slots.ts';
import { TargetAlarms } from '../../../actors/alarm/target-alarms.ts';
import type { AlarmState, EvaluatedAt, Severity, StoredAlarm } from '../../../contract/alarm.ts';
import { encodeBatch } from '../../../contract/batch.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { ALARM_EDGES_WAITING } from '../../../contract/limits/alarm.ts';
import type { ConditionChanged } from '../../../machines/alarm/protocol.ts';
import type { Target } from '../../../mission/mission.ts';
import type { AlarmEdge, AlarmWatch, KnownSample } from '../../../ports/alarm-watch.ts';
import { readValues } from '../../../telemetry/reading/batch-shape.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { LogBus } from '../telecommand/log-bus.ts';

export const HOLD_MS = 5_000;

/**
 * One alarm `hot`, raised once `link` has said `hot` for five seconds; cleared at once. It names the ground time too.
 * With `flood` it is raised and cleared at once, as often as makes too many changes to wait, and says `hot`.
 */
class Hold implements AlarmWatch {
  readonly spanMs = HOLD_MS;
  readonly whole = true;
  readonly #tell: (edge: AlarmEdge) => void;
  #fedAt: EvaluatedAt = { position: 0, at: 0 };
  #since: number | undefined;
  #standing: Severity | null | undefined;

  constructor(tell: (edge: AlarmEdge) => void) {
    this.#tell = tell;
  }

  apply({ link }: { link: string }, position: number): void {
    const [said, at] = link.split(' ');
    if (said === 'other') return;
    this.#fedAt = { position, at: Number(at) };
    if (said === 'flood')
      for (let n = 0; n < ALARM_EDGES_WAITING; n += 1)
        this.#turn(n % 2 === 0 ? 'warning' : null, this.#fedAt.at + n);
    if (said === 'cool') this.#turn(null, this.#fedAt.at);
    this.#since = said !== 'cool' ? (this.#since ?? this.#fedAt.at) : undefined;
  }

  prime(): void {}

  pass(now: number): void {
    const due = this.deadline();
    if (due !== undefined && due <= now) this.#turn('critical', due);
  }

  deadline(): number | undefined {
    return this.#since === undefined || this.#standing === 'critical' ? undefined : this.#since + HOLD_MS;
  }

  *standing(): Iterable<AlarmEdge> {
    if (this.#standing !== undefined) yield this.#edge(this.#standing, this.#fedAt.at);
  }

  #turn(severity: Severity | null, at: number): void {
    if (severity === this.#standing) return;
    this.#standing = severity;
    this.#tell(this.#edge(severity, at));
  }

  #edge(severity: Severity | null, at: number): AlarmEdge {
    return { component: 'obc', alarm: 'hot', severity, evaluated: { ...this.#fedAt, at } };
  }
}

export interface World {
  readonly bus: LogBus;
  readonly clock: ManualClock;
  readonly says: (link: string, target?: string, at?: number) => Promise<number>;
}

export function world(): World {
  const bus = new LogBus();
  const clock = new ManualClock(100_000);
  bus.now = () => clock.now();
  const says = async (link: string, target = 'sat1', at = clock.now()): Promise<number> => {
    const batch = { platform: 'p', link: `${link} ${at}`, deferred: false, blocks: [], reports: [] };
    const stored = await bus.append(streams.values, subject.values(target), encodeBatch(batch));
    await settled();
    return stored.outcome === 'stored' ? stored.seq : 0;
  };
  return { bus, clock, says };
}

export function record(state: AlarmState, evaluated: EvaluatedAt): StoredAlarm {
  return { record: { previous: 'NORMAL', state, severity: 'critical', seq: 1 }, epoch: 1, evaluated };
}

export async function follow(
  { bus, clock }: World,
  epoch: number,
  more: Partial<{
    known: boolean;
    catalogue: boolean;
    /** Whether there is anything to evaluate by. */
    evaluated: boolean;
    /** The current values. */
    values: Promise<readonly KnownSample[]>;
  }> = {},
) {
  const told: ConditionChanged[] = [];
  const stands = new Map<string, StoredAlarm>();
  const failures: unknown[] = [];
  const log = keptLog();
  const recorded = { wait: Promise.resolve(), now: (): void => undefined };
  const definition = { name: 'hot', soft: [0, 1] };
  const measures = more.known === false ? [] : [{ component: 'obc', instance: undefined, definition }];
  const alarms = new TargetAlarms({
    bus,
    clock,
    log,
    epoch,
    target: {
      name: 'sat1',
      ...(more.catalogue !== false && { platform: { measures, alarms: [] } }),
    } as unknown as Target,
    watchOf: (_, tell) => (more.evaluated === false ? undefined : new Hold(tell)),
    knownOf: async () => more.values ?? [],
    readValues,
    slots: new Slots(8),
    standsOf: (key) => stands.get(key),
    activeOnes: () =>
      [...stands]
        .filter(
          ([
            ,
            {
              record: { state },
            },
          ]) => state !== 'NORMAL',
        )
        .map(([key]) => key),
    record: async (_, change) => {
      await recorded.wait;
      told.push(change);
      const state = change.severity === null ? 'NORMAL' : 'ACTIVE_UNACK';
      stands.set('sat1.obc._.hot', record(state, change.evaluated));
    },
    failed: (error) => void failures.push(error),
  });
  const start = async (): Promise<void> => {
    await alarms.start();
    await settled();
  };
  return { alarms, log, told, stands, failures, recorded, start };
}

export const markOf = (bus: LogBus): unknown =>
  JSON.parse(
    Buffer.from(bus.bucket(buckets.members).entries.get('checkpoint.alarms.sat1')!.value).toString(),
  );
