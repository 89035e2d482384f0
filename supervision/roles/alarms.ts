/**
 * The alarms of the cell: one process leads, every other that has the role stands by. Mission Control Service, sections
 * 2.4, 3.3 and 4.4. An alarm that is not at rest is a cell of the leader.
 */

import { createAlarmBinding } from '../../actors/alarm/binding.ts';
import { createReactions } from '../../actors/alarm/reactions.ts';
import { createRecordStore } from '../../actors/alarm/record-store.ts';
import { AlarmService } from '../../actors/alarm/service.ts';
import type { WatchOf } from '../../actors/alarm/target-alarms.ts';
import type { alarmMachine } from '../../machines/alarm/alarm.ts';
import type { Target } from '../../mission/mission.ts';
import type { Platform } from '../../mission/platform.ts';
import { createAlarmWatch } from '../../telemetry/alarms/alarm-watch.ts';
import { knownSamples } from '../../telemetry/alarms/known-samples.ts';
import { readValues } from '../../telemetry/reading/batch-shape.ts';
import { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import { failpointOf } from '../cells/failpoint.ts';
import { type Hosted, hostCells, Owners } from '../cells/host.ts';
import { alarmTransitions } from '../metrics/alarms.ts';
import type { Worker, WorkerContext } from '../ownership/owned-worker.ts';
import type { Role, RoleContext } from '../role.ts';

/** The one partition of alarms. */
const LEADER = 'alarms';

export async function startAlarms(context: RoleContext): Promise<Role> {
  const { bus, clock, log, missions, registry } = context;
  const leading = new Owners<AlarmService>(() => LEADER);
  const { kind, cells } = alarmCells(context, leading);
  const transition = alarmTransitions(registry);
  const reactions = createReactions({ bus, clock, log, missions });
  const platforms = new KnownPlatforms(missions, clock);
  const watchOf = watchesWith(platforms);
  const knownOf = (target: Target) => knownSamples(bus, target);

  const start = async (term: WorkerContext): Promise<Worker> => {
    const service = new AlarmService({
      bus,
      clock,
      log,
      missions,
      cells,
      watchOf,
      knownOf,
      readValues,
      reactions,
      transition,
      ...term,
    });
    return leading.begin(LEADER, service);
  };
  return {
    shared: [],
    leads: [{ name: LEADER, start }],
    kinds: [kind],
    stop: () => {
      platforms.stop();
      return kind.drain();
    },
  };
}

function alarmCells(context: RoleContext, leading: Owners<AlarmService>): Hosted<typeof alarmMachine> {
  const { bus, failpoint } = context;
  const reached = failpointOf('alarm', failpoint);
  const service = (): AlarmService | undefined => leading.of(LEADER);
  const store = createRecordStore({ bus, term: service, written: (state) => reached(`written ${state}`) });
  return hostCells(createAlarmBinding({ bus, store, services: service }), service, context);
}

/** Where no catalogue is there is nothing to evaluate by. */
function watchesWith(platforms: KnownPlatforms): WatchOf {
  const platformOf = (digest: string): Platform | undefined => platforms.get(digest);
  return ({ platform }, tell, earlier, filled) =>
    platform && createAlarmWatch({ platform, tell, platformOf, earlier, filled });
}
