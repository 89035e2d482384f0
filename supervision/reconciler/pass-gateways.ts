/**
 * Checks which gateway serves each pass that begins soon or is in progress, and records it, so that a person reads
 * before a pass why no gateway would serve it. Led by one process of the cell. Mission Control Service, sections 2.6
 * and 4.5 (gateway check).
 *
 * P1. Every pass that is not cancelled is checked from `PASS_CHECK_AHEAD_MS` before its AOS until its LOS: at each
 *     change of a pass or of the mission, and every `PASS_CHECK_MS`.
 * P2. A record is written again only when it says something else (MC-PASS-056).
 * P3. Who has lost the lead writes nothing.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { PASS_CHECK_AHEAD_MS, PASS_CHECK_MS, PASS_CHECK_SOON_MS } from '../../contract/limits/pass.ts';
import { Outage } from '../../contract/outage.ts';
import { type PassGateway, passKey, type StoredPass } from '../../contract/pass.ts';
import type { PassBook } from '../../messaging/pass-book.ts';
import type { Mission } from '../../mission/mission.ts';
import { isOver, windowOf } from '../../mission/pass/pass.ts';
import { gatewayOfPass, type ServingGateway } from '../../mission/pass/station-gateway.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import type { Worker, WorkerContext } from '../ownership/owned-worker.ts';

export interface PassGatewaysOptions extends WorkerContext {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
  readonly passes: PassBook;
  /** Called with the passes that begin soon or are in progress, at each check. */
  readonly soon?: (passes: readonly StoredPass[]) => void;
}

export class PassGateways implements Worker {
  readonly #options: PassGatewaysOptions;
  readonly #forget: (() => void)[] = [];
  #timer: TimerHandle | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #checking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: PassGatewaysOptions) {
    this.#options = options;
  }

  start(): void {
    const soon = (): void => this.#later(PASS_CHECK_SOON_MS);
    const { passes, missions } = this.#options;
    this.#forget.push(passes.onChange(soon), missions.onChange(soon));
    soon();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const forget of this.#forget) forget();
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    await this.#checking;
  }

  /** Checks that soon, or earlier where that is due already. */
  #later(ms: number): void {
    const { clock, failed } = this.#options;
    const dueAt = clock.monotonic() + ms;
    if (this.#stopped || dueAt >= this.#dueAt) return;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = clock.setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#timer = undefined;
      this.#checking = this.#checking.then(() => this.#check()).catch(failed);
    }, ms);
  }

  /** P1 */
  async #check(): Promise<void> {
    const { clock, missions, passes, log } = this.#options;
    const mission = missions.current;
    try {
      if (mission !== undefined && passes.live) {
        const soon = passesSoon(passes.passes(), clock.now());
        this.#options.soon?.(soon);
        for (const pass of soon) await this.#checkPass(mission, pass);
      }
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      log.debug({ err: error }, 'gateways of passes are checked again later');
    }
    this.#later(PASS_CHECK_MS);
  }

  /** P2, P3 */
  async #checkPass(mission: Mission, pass: StoredPass): Promise<void> {
    const { bus, clock, passes, holds } = this.#options;
    const target = mission.targets.get(pass.target);
    const found: ServingGateway =
      target === undefined
        ? { reason: `target ${pass.target} is not in the topology` }
        : gatewayOfPass(mission, target, pass.station);
    if (this.#stopped || !holds() || isSame(passes.viewOf(pass).gateway, found)) return;
    const record: PassGateway = { ...found, checked_at: new Date(clock.now()).toISOString() };
    const key = passKey(pass.target, pass.id);
    await bus.bucket(buckets.passGateways).overwrite(key, Buffer.from(JSON.stringify(record)));
  }
}

/** Those that begin soon or are in progress, of passes by AOS (P1). */
export function passesSoon(passes: readonly StoredPass[], now: number): StoredPass[] {
  const soon: StoredPass[] = [];
  for (const pass of passes) {
    if (windowOf(pass).aos > now + PASS_CHECK_AHEAD_MS) break;
    if (!isOver(pass, now) && pass.status !== 'cancelled') soon.push(pass);
  }
  return soon;
}

function isSame(known: PassGateway | undefined, found: ServingGateway): boolean {
  if (known === undefined) return false;
  return 'gateway' in found ? known.gateway === found.gateway : known.reason === found.reason;
}
