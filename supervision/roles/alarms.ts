/**
 * The alarms of the cell: one process leads, every other that has the role stands by. Mission Control Service, sections 2.4,
 * 3.3 and 4.4. An alarm that is not at rest is a cell of the leader.
 */

import { createAlarmBinding } from '../../actors/alarm/binding.ts';
import { createReactions } from '../../actors/alarm/reactions.ts';
import { createRecordStore } from '../../actors/alarm/record-store.ts';
import { type AlarmCells, AlarmService } from '../../actors/alarm/service.ts';
import type { WatchOf } from '../../actors/alarm/target-alarms.ts';
import type { Target } from '../../mission/mission.ts';
import type { Platform } from '../../mission/platform.ts';
import { createAlarmWatch } from '../../telemetry/alarms/alarm-watch.ts';
import { knownSamples } from '../../telemetry/alarms/known-samples.ts';
import { readValues } from '../../telemetry/reading/batch-shape.ts';
import { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import { failpointOf, withFailpoint } from '../cells/failpoint.ts';
import { Kind } from '../cells/kind.ts';
import { alarmTransitions } from '../metrics/alarms.ts';
import type { Worker, WorkerContext } from '../ownership/tenure.ts';
import type { Role, RoleContext } from '../role.ts';

export async function startAlarms(context: RoleContext): Promise<Role> {
  const { bus, clock, log, missions, registry } = context;
  let leading: AlarmService | undefined;
  const kind = alarmKind(context, () => leading);
  const cells = cellsOf(kind);
  const transition = alarmTransitions(registry);
  const reactions = createReactions({ bus, clock, log, missions });
  const platforms = new KnownPlatforms(missions, clock);
  const watchOf = watchesWith(platforms);
  const knownOf = (target: Target) => knownSamples(bus, target);

  const start = async (term: WorkerContext): Promise<Worker> => {
    const service = new AlarmService({
      ...{ bus, clock, log, missions, cells, watchOf, knownOf, readValues, reactions, transition },
      ...term,
    });
    leading = service;
    const stop = async (): Promise<void> => {
      await service.stop();
      if (leading === service) leading = undefined;
    };
    try {
      await service.start();
    } catch (error) {
      await stop();
      throw error;
    }
    return { stop };
  };
  return {
    shared: [],
    leads: [{ name: 'alarms', start }],
    kinds: [kind],
    stop: () => {
      platforms.stop();
      return kind.drain();
    },
  };
}

function alarmKind(context: RoleContext, leading: () => AlarmService | undefined): Kind {
  const { bus, clock, random, log, deadLetters, failpoint, failed } = context;
  const reached = failpointOf('alarm', failpoint);
  const store = createRecordStore({ bus, term: leading, written: (state) => reached(`written ${state}`) });
  const binding = createAlarmBinding({ bus, store, services: leading });
  return new Kind({
    binding: withFailpoint(binding, failpoint),
    clock,
    random,
    log,
    deadLetters,
    epochOf: () => leading()?.epoch ?? 0,
    onGone: (key, why) => leading()?.gone(key, why),
    onEscalated: failed,
  });
}

function cellsOf(kind: Kind): AlarmCells {
  return {
    tell: (key, event) => kind.tell(key, event),
    wake: (key) => kind.wake(key),
    drop: (key) => kind.drop(key),
    keys: () => kind.ids(),
  };
}

/** Where no catalogue is there is nothing to evaluate by. */
function watchesWith(platforms: KnownPlatforms): WatchOf {
  const platformOf = (digest: string): Platform | undefined => platforms.get(digest);
  return ({ platform }, tell, earlier, filled) =>
    platform && createAlarmWatch({ platform, tell, platformOf, earlier, filled });
}
