/**
 * The gateways that this service plays itself (simulated spacecraft, recordings): one process per gateway. Mission Control
 * Service, section 1.
 */

import { createGateway, type RunningGateway } from '../../links/gateway-service.ts';
import type { Gateway, Mission } from '../../mission/mission.ts';
import type { WorkerContext } from '../partition.ts';
import type { Role, RoleContext } from '../role.ts';

export async function startGateways(context: RoleContext): Promise<Role> {
  const { missions } = context;
  const start = async (name: string, { failed }: WorkerContext) => {
    const worker = new GatewayWorker(context, name, failed);
    const forget = missions.onChange((mission) => worker.takeUp(mission));
    await worker.settled();
    return {
      stop: async () => {
        forget();
        await worker.stop();
      },
    };
  };
  return {
    shared: [{ role: { role: 'gateways', prefix: 'gateway', start }, names: played }],
    stop: async () => undefined,
  };
}

function* played(mission: Mission): Iterable<string> {
  for (const gateway of mission.gateways.values()) if (gateway.kind !== 'external') yield gateway.name;
}

/** One gateway over the missions: started anew only when what the mission says of it has changed. */
class GatewayWorker {
  readonly #context: RoleContext;
  readonly #name: string;
  readonly #failed: (error: unknown) => void;
  #running: RunningGateway | undefined;
  #definition = '';
  #turn: Promise<void> = Promise.resolve();

  constructor(context: RoleContext, name: string, failed: (error: unknown) => void) {
    this.#context = context;
    this.#name = name;
    this.#failed = failed;
  }

  takeUp(mission: Mission): void {
    const gateway = mission.gateways.get(this.#name);
    const definition = JSON.stringify(gateway ?? null);
    if (definition === this.#definition) return;
    this.#definition = definition;
    this.#turn = this.#turn.then(() => this.#replace(gateway)).catch(this.#failed);
  }

  settled(): Promise<void> {
    return this.#turn;
  }

  async stop(): Promise<void> {
    await this.#turn;
    await this.#running?.stop();
  }

  async #replace(gateway: Gateway | undefined): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
    if (gateway === undefined || gateway.kind === 'external') return;
    const { bus, clock, random, log, missions, missionFolder } = this.#context;
    const running = createGateway(gateway, {
      bus,
      clock,
      random,
      missions,
      log: log.child({ gateway: gateway.name }),
      ...(missionFolder !== undefined && { missionFolder }),
    });
    await running.start();
    this.#running = running;
  }
}
