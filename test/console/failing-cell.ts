/**
 * The demo mission in this process with a bus that can be made to break what one telecommand writes, so that its cell
 * crashes for real, again and again, until the test repairs it.
 */

import type { NatsBus } from '../../bus/nats-bus.ts';
import { compileFolder } from '../../cli/mission-folder.ts';
import { streams } from '../../contract/bus/streams.ts';
import type { Bus } from '../../ports/bus.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { realClock } from '../../supervision/clock.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { startProcess } from '../../supervision/process.ts';
import { ROLES } from '../../supervision/role.ts';
import { createGatewayHand, DEMO } from '../support/demo-cell.ts';
import { quiet, startNats } from '../support/nats.ts';

export interface FailingCell {
  readonly api: string;
  readonly bus: NatsBus;
  fault(fault: string, on: boolean): Promise<void>;
  /** Telecommands whose record breaks their cell when it is written in this state. */
  readonly broken: Set<string>;
  stop(): Promise<void>;
}

export async function startFailingCell(): Promise<FailingCell> {
  const nats = await startNats();
  const bus = await nats.connected();
  const compiled = await compileFolder(DEMO);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  await publishConfiguration(bus, compiled.value);
  const broken = new Set<string>();
  const service = await startProcess({
    bus: breaking(bus, broken),
    roles: ROLES,
    clock: realClock,
    random: seededRandom(1),
    log: quiet,
    missionFolder: DEMO,
    instance: 'bench',
    // A machine that is busy with others would take it for gone, and everything in it would be taken over.
    memberTtlMs: 20_000,
    escalated: (reason) => {
      throw new Error(reason);
    },
  });
  await service.ready;
  const stop = async (): Promise<void> => {
    await service.stop();
    await nats.stop();
  };
  return { api: service.api!, bus, broken, fault: createGatewayHand(bus).fault, stop };
}

/** `<id>-<state>` in `broken` makes that append a defect, as a record that cannot be made would be. */
function breaking(bus: Bus, broken: ReadonlySet<string>): Bus {
  const append: Bus['append'] = (stream, subject, data, options) => {
    if (stream === streams.telecommandEvents && broken.has(options?.id ?? ''))
      throw new Error('the record of this telecommand cannot be made');
    return bus.append(stream, subject, data, options);
  };
  return new Proxy(bus, {
    get(target, name) {
      if (name === 'append') return append;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
