/** What depends on passes begins once they are known: until then the gateway of a pass would be taken for another one. */

import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { deferred } from '../../contract/deferred.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { createDeadLetters } from '../../supervision/cells/dead-letters.ts';
import { realClock } from '../../supervision/clock.ts';
import type { Worker } from '../../supervision/ownership/owned-worker.ts';
import type { Role, RoleContext } from '../../supervision/role.ts';
import { startDrivers } from '../../supervision/roles/drivers.ts';
import { startExecutor } from '../../supervision/roles/executor.ts';
import { TwinServer } from '../simulation/twin/server.ts';
import { TwinBus } from '../simulation/twin/twin-bus.ts';
import { fairWeather } from '../simulation/twin/weather.ts';
import { demoMission, TestMissions } from '../support/missions.ts';
import { noPasses } from '../support/passes.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

it.each([
  ['a lane', 'lane', ['sat1', 'noaa20'], startExecutor],
  ['a shard of runs', 'runs', ['0', '1'], startExecutor],
  ['a decoder', 'decoder', ['sim-1', 'replay-1'], startDrivers],
] as const)(
  'MC-PASS-050 %s waits until the passes are known',
  async (_name, prefix, [waiting, other], start) => {
    const server = new TwinServer({ now: () => realClock.now(), choose: (count) => count - 1 });
    const clocks = { outside: realClock, inside: realClock };
    const log = keptLog();
    const bus = new TwinBus({ server, name: 'test', settleMs: 0, ...clocks, weather: fairWeather, log });
    await until(() => bus.connected);
    const failed = (error: unknown): void => expect.unreachable(String(error));
    const context = {
      bus,
      clock: realClock,
      random: seededRandom(1),
      log,
      missions: new TestMissions(demoMission()),
      values: { ready: Promise.resolve(), current: () => undefined, position: () => undefined },
      deadLetters: createDeadLetters(bus, log),
      instance: 'here',
      failpoint: undefined,
      failed,
    };
    const roles: Role[] = [];
    const begin = async (partition: string, ready: Promise<void>): Promise<Worker> => {
      const passes = { ...noPasses, ready };
      const role = await start({ ...context, passes, registry: new Registry() } as unknown as RoleContext);
      roles.push(role);
      const shared = role.shared.find((each) => each.role.prefix === prefix)!;
      return shared.role.start(partition, { epoch: 1, holds: () => true, failed });
    };
    const known = deferred<void>();
    let begun = false;
    const starting = begin(waiting, known.promise).then((worker) => {
      begun = true;
      return worker;
    });
    // One that began later, of a process that knows them.
    await (await begin(other, Promise.resolve())).stop();
    expect(begun).toBe(false);
    known.resolve();
    await (await starting).stop();
    for (const role of roles) await role.stop();
    await bus.close();
  },
);
