/** The service as it runs: any of its roles in one process on the bus of the row. */

import { openBus } from '../../bus/nats-bus.ts';
import { openLog } from '../../cli/serve.ts';
import { realClock } from '../../supervision/clock.ts';
import { realMachine } from '../../supervision/ownership/machine.ts';
import { startProcess } from '../../supervision/process.ts';
import { realRandom } from '../../supervision/random.ts';
import type { RoleName } from '../../supervision/role.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';

interface Service {
  readonly address: BusAddress;
  readonly roles: readonly RoleName[];
  /** Default: one that nobody else has. */
  readonly instance?: string;
  /** The machine it says it runs on. */
  readonly host?: string;
}

async function start({ address, roles, instance, host }: Service): Promise<string | undefined> {
  const log = openLog();
  const bus = openBus({ ...address, name: `service-${process.pid}`, log });
  const service = await startProcess({
    bus,
    roles,
    clock: realClock,
    random: realRandom,
    log,
    ...(instance !== undefined && { instance }),
    ...(host !== undefined && { machine: { ...realMachine, host } }),
    escalated: (reason) => {
      throw new Error(reason);
    },
  });
  await service.ready;
  return service.api;
}

answerCalls({ start });
