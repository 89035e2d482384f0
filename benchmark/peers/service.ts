/** The service as it runs: any of its roles in one process on the bus of the row. */

import { openBus } from '../../bus/nats-bus.ts';
import { openLog } from '../../cli/open-log.ts';
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
  /** Default: as the service has it. */
  readonly memberTtlMs?: number;
}

async function start({ address, roles, instance, host, memberTtlMs }: Service): Promise<string | undefined> {
  const log = openLog();
  const bus = openBus({ ...address, name: `service-${process.pid}`, log });
  const pulse = openBus({ ...address, name: `pulse-${process.pid}`, log });
  const service = await startProcess({
    bus,
    pulse,
    roles,
    clock: realClock,
    random: realRandom,
    log,
    ...(instance !== undefined && { instance }),
    ...(memberTtlMs !== undefined && { memberTtlMs }),
    ...(host !== undefined && { machine: { ...realMachine, host } }),
    escalated: (reason) => {
      throw new Error(reason);
    },
  });
  await service.ready;
  return service.api;
}

/** What the collector leaves; needs `--expose-gc`. */
function heapBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

answerCalls({ start, heapBytes });
