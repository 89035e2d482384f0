/**
 * A worker that cannot be started leaves nothing behind that goes on: it is started again, over and over, while a bus
 * is away.
 */

import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { Outage } from '../../../contract/outage.ts';
import type { Mission } from '../../../mission/mission.ts';
import type { MissionSource } from '../../../ports/mission-source.ts';
import type { Role, RoleContext } from '../../../supervision/role.ts';
import { startDrivers } from '../../../supervision/roles/drivers.ts';
import { startTelemetry } from '../../../supervision/roles/telemetry.ts';
import { LogBus } from '../../actors/telecommand/log-bus.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { demoMission } from '../../support/missions.ts';
import { noPasses } from '../../support/passes.ts';
import { keptLog } from '../../support/silent-log.ts';

class ServingBus extends LogBus {
  override serve(): never {
    return { stop: async () => undefined } as never;
  }
}

/** Missions that know how many look at them. */
class SeenMissions implements MissionSource {
  readonly listeners = new Set<(mission: Mission) => void>();
  readonly current = demoMission();

  async at(): Promise<undefined> {
    return undefined;
  }

  onChange(listener: (mission: Mission) => void): () => void {
    this.listeners.add(listener);
    listener(this.current);
    return () => this.listeners.delete(listener);
  }
}

async function world(startRole: (context: RoleContext) => Promise<Role>) {
  const [bus, clock, missions, registry] = [
    new ServingBus(),
    new ManualClock(1_000_000),
    new SeenMissions(),
    new Registry(),
  ];
  const passes = { ...noPasses, ready: Promise.resolve() };
  const context = { bus, clock, missions, passes, registry, log: keptLog() } as unknown as RoleContext;
  const { shared, stop } = await startRole(context);
  const [{ role }] = shared as [(typeof shared)[number]];
  const failures: unknown[] = [];
  const begin = (epoch: number, name: string) =>
    role.start(name, { epoch, holds: () => true, failed: (error) => void failures.push(error) });
  return { bus, clock, missions, failures, begin, stop };
}

describe.each([
  ['a decoder', startDrivers, 'sim-1'],
  ['the telemetry of a target', startTelemetry, 'sat1'],
] as const)('%s', (_, startRole, name) => {
  it('owned-worker.W4 that cannot follow its stream keeps no timer and listens to nothing', async () => {
    const { bus, clock, missions, failures, begin, stop } = await world(startRole);
    const before = [clock.waiting, missions.listeners.size];
    bus.followsToFail = 3;
    for (const epoch of [1, 2, 3]) await expect(begin(epoch, name)).rejects.toThrow(Outage);
    await settled();
    expect([clock.waiting, missions.listeners.size]).toEqual(before);
    const worker = await begin(4, name);
    await clock.run(5_000, 100);
    expect(failures).toEqual([]);
    await worker.stop();
    expect([clock.waiting, missions.listeners.size]).toEqual(before);
    await stop();
  });
});
