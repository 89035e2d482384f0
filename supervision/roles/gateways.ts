/**
 * The gateways that this service runs itself (simulated spacecraft, recordings, radios over UDP and TCP): one process
 * per gateway. Mission Control Service, section 1.
 */

import type { GatewayReport } from '../../contract/link.ts';
import { SentFrames } from '../../links/gateway/sent-frames.ts';
import { createGateway, type RunningGateway } from '../../links/gateway-service.ts';
import { KeptBindings } from '../../links/kept-bindings.ts';
import type { Gateway, Mission } from '../../mission/mission.ts';
import { registerGatewayMetrics } from '../metrics/gateways.ts';
import type { WorkerContext } from '../ownership/owned-worker.ts';
import type { Role, RoleContext } from '../role.ts';

export async function startGateways(context: RoleContext): Promise<Role> {
  const { missions, registry } = context;
  const workers = new Set<GatewayWorker>();
  /** What the gateways that this process ever had have sent (sent-frames.I5). */
  const sentBy = new Map<string, SentFrames>();
  registerGatewayMetrics(registry, () => [...workers].flatMap((worker) => worker.report() ?? []));
  const start = async (name: string, { holds, failed }: WorkerContext) => {
    const sent = sentBy.get(name) ?? new SentFrames(context.clock.now());
    sentBy.set(name, sent);
    const worker = new GatewayWorker(context, name, { holds, failed, sent });
    workers.add(worker);
    const forget = missions.onChange((mission) => worker.takeUp(mission));
    await worker.settled();
    return {
      stop: async () => {
        forget();
        workers.delete(worker);
        await worker.stop();
      },
    };
  };
  return {
    shared: [{ role: { role: 'gateways', prefix: 'gateway', start }, names: ours }],
    stop: async () => undefined,
  };
}

function* ours(mission: Mission): Iterable<string> {
  for (const gateway of mission.gateways.values()) if (gateway.kind !== 'external') yield gateway.name;
}

/** One gateway over the missions: started again only when what the mission says of it has changed. */
class GatewayWorker {
  readonly #context: RoleContext;
  readonly #name: string;
  readonly #holds: () => boolean;
  readonly #failed: (error: unknown) => void;
  readonly #bindings = new KeptBindings();
  readonly #sent: SentFrames;
  #running: RunningGateway | undefined;
  #definition = '';
  #turn: Promise<void> = Promise.resolve();

  constructor(
    context: RoleContext,
    name: string,
    { holds, failed, sent }: Pick<WorkerContext, 'holds' | 'failed'> & { readonly sent: SentFrames },
  ) {
    this.#context = context;
    this.#name = name;
    this.#holds = holds;
    this.#failed = failed;
    this.#sent = sent;
  }

  takeUp(mission: Mission): void {
    const gateway = mission.gateways.get(this.#name);
    const definition = JSON.stringify(gateway ?? null);
    if (definition === this.#definition) return;
    this.#definition = definition;
    this.#turn = this.#turn.then(() => this.#replace(gateway)).catch(this.#failed);
  }

  report(): GatewayReport | undefined {
    return this.#running?.report();
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
    const { bus, clock, random, log, missions, passes, missionFolder, spacecraft } = this.#context;
    const running = createGateway(gateway, {
      bus,
      clock,
      random,
      missions,
      passes,
      holds: this.#holds,
      bindings: this.#bindings,
      sent: this.#sent,
      log: log.child({ gateway: gateway.name }),
      ...(missionFolder !== undefined && { missionFolder }),
      ...(spacecraft !== undefined && { spacecraft }),
    });
    await running.start();
    this.#running = running;
  }
}
