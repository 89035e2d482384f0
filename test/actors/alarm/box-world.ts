/** A small platform whose alarms are evaluated as in service, over a bus in memory: leaders one after the other. */

import { Slots } from '../../../actors/alarm/slots.ts';
import { TargetAlarms } from '../../../actors/alarm/target-alarms.ts';
import type { EvaluatedAt, StoredAlarm } from '../../../contract/alarm.ts';
import { alarmKey } from '../../../contract/alarm-name.ts';
import { encodeBatch } from '../../../contract/batch.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { isActive } from '../../../machines/alarm/record.ts';
import type { Target } from '../../../mission/mission.ts';
import type { Platform } from '../../../mission/platform.ts';
import { createAlarmWatch } from '../../../telemetry/alarms/alarm-watch.ts';
import { knownSamples } from '../../../telemetry/alarms/known-samples.ts';
import { encodeCheckpoint } from '../../../telemetry/checkpoint.ts';
import { CurrentValues } from '../../../telemetry/current-values.ts';
import { readValues } from '../../../telemetry/reading/batch-shape.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { BOX, boxOf, COMPONENTS } from '../../telemetry/alarms/watched.ts';
import { valuesOf } from '../../telemetry/platform.ts';
import { LogBus } from '../telecommand/log-bus.ts';

export const NOON = Date.parse('2026-03-01T12:00:00Z');
export const HOUR = 3_600_000;
export const VOLTAGE = 'battery[1].voltage';
export const CURRENT = 'battery[1].current';

export interface Led {
  readonly alarms: TargetAlarms;
  /** What was recorded, `alarm severity +ms`, from noon on. */
  readonly told: string[];
  /** Where the last change of each alarm was placed. */
  readonly placed: Map<string, EvaluatedAt>;
  /** A new mission; without a platform its catalogue is not known. */
  readonly update: (next: Platform | undefined) => Promise<void>;
}

export interface BoxWorld {
  readonly bus: LogBus;
  readonly clock: ManualClock;
  readonly stands: Map<string, StoredAlarm>;
  /** Samples of now, on the value stream and in the current values, as the owner of telemetry keeps them. */
  readonly sampled: (raw: Record<string, number>, deferred?: boolean) => Promise<void>;
  /** A new leader of the alarms; what it records is kept over its end. */
  readonly lead: (platform?: Platform) => Promise<Led>;
}

export function boxWorld(): BoxWorld {
  const bus = new LogBus();
  const clock = new ManualClock(NOON);
  bus.now = () => clock.now();
  const stands = new Map<string, StoredAlarm>();
  const values = new CurrentValues(BOX);
  const platforms = new Map([[BOX.digest, BOX]]);
  let epoch = 0;

  const sampled = async (raw: Record<string, number>, deferred = false): Promise<void> => {
    const batch = valuesOf(values.platform, [{ ground: clock.now(), raw }], { deferred });
    values.apply(batch);
    await bus.append(streams.values, subject.values('sat1'), encodeBatch(batch));
    const columns = values.snapshot();
    const checkpoint = { epoch: 1, positions: { decoded: 0, values: 0 }, columns };
    await bus.bucket(buckets.values).overwrite('sat1', await encodeCheckpoint(checkpoint));
    await settled();
  };

  const lead = async (platform = BOX): Promise<Led> => {
    const told: string[] = [];
    const placed = new Map<string, EvaluatedAt>();
    epoch += 1;
    platforms.set(platform.digest, platform);
    const alarms = new TargetAlarms({
      bus,
      clock,
      log: keptLog(),
      epoch,
      target: target(platform),
      slots: new Slots(8),
      watchOf: ({ platform: of }, tell, earlier, filled) =>
        of &&
        createAlarmWatch({
          platform: of,
          tell,
          earlier,
          filled,
          platformOf: (digest) => platforms.get(digest),
        }),
      knownOf: (of) => knownSamples(bus, of),
      readValues,
      standsOf: (key) => stands.get(key),
      activeOnes: () => [...stands].filter(([, { record }]) => isActive(record.state)).map(([key]) => key),
      record: async (name, { severity, evaluated, at }) => {
        const state = severity === null ? 'NORMAL' : 'ACTIVE_UNACK';
        const record = { previous: 'NORMAL', state, seq: 1, ...(severity !== null && { severity }) } as const;
        stands.set(alarmKey(name), { record, epoch, evaluated });
        placed.set(name.alarm, evaluated);
        told.push(`${name.alarm} ${severity} +${at - NOON}`);
      },
      failed: (error) => {
        throw error;
      },
    });
    await alarms.start();
    await settled();
    const update = async (next: Platform | undefined): Promise<void> => {
      if (next !== undefined) platforms.set(next.digest, next);
      await alarms.update(target(next));
      await settled();
    };
    return { alarms, told, placed, update };
  };

  return { bus, clock, stands, sampled, lead };
}

const target = (platform: Platform | undefined): Target =>
  ({ name: 'sat1', ...(platform !== undefined && { platform }) }) as Target;

/** The platform with other components, and each measure at another place of its catalogue. */
export function changed(change: (components: typeof COMPONENTS) => void): Platform {
  const components = structuredClone(COMPONENTS);
  change(components);
  return boxOf({ aaa: { measures: { rate: { type: 'f64' } } }, ...components });
}
