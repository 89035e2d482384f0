/** The demo mission in this process, every role on a private nats-server, with a hand on the simulated spacecraft. */

import { fileURLToPath } from 'node:url';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { compileFolder } from '../../cli/mission-folder.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { FaultReply } from '../../contract/link.ts';
import type { SpacecraftFactory } from '../../links/simulated/spacecraft.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StreamOverrides } from '../../ports/replication.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { realClock } from '../../supervision/clock.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { type ServiceProcess, startProcess } from '../../supervision/process.ts';
import { ROLES, type RoleName } from '../../supervision/role.ts';
import { quiet, startNats, type TestNats } from './nats.ts';

/** As `STEADY` of processes of their own. */
const CELL_TTL_MS = 20_000;
export const DEMO = fileURLToPath(new URL('../../missions/demo', import.meta.url));

export interface DemoCell {
  readonly nats: TestNats;
  readonly bus: NatsBus;
  readonly api: string;
  readonly service: ServiceProcess;
  /** Switches a fault of the simulated spacecraft. */
  fault(fault: string, on: boolean): Promise<void>;
  /** Telecommands that arrived on board, repetitions included. */
  received(): Promise<number>;
  /** How often each request arrived on board, by request identifier. */
  receivedByRequest(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

interface DemoOptions {
  readonly roles?: readonly RoleName[];
  readonly folder?: string;
  readonly nats?: TestNats;
  readonly overrides?: StreamOverrides;
  /**
   * Default: so long that a busy machine, which stands still for seconds, takes nothing from it, neither lanes nor the
   * memory of the simulated spacecraft. What leaves in order, or is killed on this machine, is seen without it.
   */
  readonly memberTtlMs?: number;
  readonly clock?: Clock;
  /** Default: those of the simulated gateways. */
  readonly spacecraft?: SpacecraftFactory;
  /** False: the configuration that stands on the bus already. */
  readonly publishes?: boolean;
  /** The bus as the process has it. */
  readonly over?: (bus: NatsBus) => NatsBus;
}

export async function startDemoCell({
  roles = ROLES,
  folder = DEMO,
  nats: given,
  overrides = {},
  memberTtlMs = CELL_TTL_MS,
  clock = realClock,
  spacecraft,
  publishes = true,
  over = (bus) => bus,
}: DemoOptions = {}): Promise<DemoCell> {
  const nats = given ?? (await startNats());
  const bus = await nats.connected({ overrides });
  const compiled = await compileFolder(folder);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults, undefined, 1));
  if (publishes) await publishConfiguration(bus, compiled.value);
  const service = await startProcess({
    bus: over(bus),
    roles,
    clock,
    random: seededRandom(1),
    log: quiet,
    missionFolder: folder,
    port: 0,
    memberTtlMs,
    ...(spacecraft !== undefined && { spacecraft }),
    escalated: (reason) => {
      throw new Error(reason);
    },
  });
  await service.ready;
  const gateway = createGatewayHand(bus);
  const stop = async (): Promise<void> => {
    await service.stop();
    if (given === undefined) await nats.stop();
    else await bus.close();
  };
  return { nats, bus, api: service.api ?? '', service, ...gateway, stop };
}

export function createGatewayHand(bus: NatsBus): Pick<DemoCell, 'fault' | 'received' | 'receivedByRequest'> {
  const ask = async (verb: string, call: object): Promise<unknown> => {
    const body = Buffer.from(JSON.stringify(call));
    const reply = await bus.request(subject.gatewayVerb('sim-1', verb), body, { timeoutMs: 30_000 });
    return JSON.parse(Buffer.from(reply).toString());
  };
  const receivedByRequest = async (): Promise<Record<string, number>> => {
    const answer = (await ask('stats', {})) as { received: Record<string, number> };
    return answer.received;
  };
  return {
    fault: async (fault, on) => {
      const reply = (await ask('fault', { fault, on })) as FaultReply;
      if (!reply.ok) throw new Error(reply.faults[0].message);
    },
    receivedByRequest,
    received: async () => Object.values(await receivedByRequest()).reduce((sum, count) => sum + count, 0),
  };
}
