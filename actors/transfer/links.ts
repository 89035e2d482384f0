/**
 * A link of a target as its transfers see it: whether it is available, and how fast it is. Mission Control
 * Service, section 4.7 rules 3 and 4.
 *
 * K1. A link is available while the gateway that serves it now says that it is up, and has said so lately: a gateway
 *     that died says nothing any more.
 * K2. In a pass that only receives nothing is asked.
 * K3. How old a report is is counted from when it came: clocks of gateways are their own.
 */

import { subject } from '../../contract/bus/subjects.ts';
import { TRANSFER_MEASURED_MS } from '../../contract/limits/transfer.ts';
import type { GatewayReport } from '../../contract/link.ts';
import { asObject, readReply } from '../../contract/reply.ts';
import type { Gateway, Link, Mission, Target } from '../../mission/mission.ts';
import { windowOf } from '../../mission/pass/pass.ts';
import { type CurrentPasses, servingGateway } from '../../mission/pass/serving-gateway.ts';
import { lastEnvironment } from '../../mission/procedure/reaction.ts';
import { readQuantity } from '../../mission/quantity.ts';
import { type RateFound, type RatesKnown, rateOf } from '../../mission/transfer/rate.ts';
import type { Bus, Stoppable } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';

export type Way = 'downlink' | 'uplink';

interface Report {
  readonly isUp: boolean;
  /** bit/s */
  readonly downlink: number | undefined;
  readonly uplink: number | undefined;
  readonly at: number;
}

/** A link that can be used now. */
export interface AvailableLink {
  readonly link: Link;
  /** Needed where the link differs by environment. */
  readonly environment: string | undefined;
  /** Of the pass that it serves, ms since 1970. */
  readonly los?: number;
  /** The gateway that serves it now. */
  readonly gateway: string;
  rate(way: Way): RateFound;
  /** As it is stated, whatever was measured. */
  stated(way: Way): RateFound;
}

interface LinksOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly passes: CurrentPasses;
}

export class Links implements Stoppable {
  readonly #options: LinksOptions;
  readonly #reports = new Map<string, Report>();
  readonly #subscription: Stoppable;

  constructor(options: LinksOptions) {
    this.#options = options;
    this.#subscription = options.bus.subscribe(subject.metrics, ({ data }) => this.#take(data));
  }

  stop(): Promise<void> {
    return this.#subscription.stop();
  }

  /** A link of a target, the default one unless said; why it is not available, in words. */
  of(
    mission: Mission,
    target: Target,
    link = target.links.get(target.defaultLink),
  ): AvailableLink | { readonly reason: string } {
    const { clock, passes } = this.#options;
    if (link === undefined) return { reason: `${target.name} has no link` };
    const now = clock.now();
    const environment = transferEnvironment(mission, target, link);
    const { gateway, pass, reason } = servingGateway(mission, { target, link, environment }, passes, now);
    if (gateway === undefined) return { reason: reason ?? `no gateway serves link ${link.name}` };
    if (pass?.uplink === false) return { reason: `pass ${pass.id} only receives` };
    const report = this.#reports.get(gateway.name);
    const isFresh = report !== undefined && Math.abs(now - report.at) < TRANSFER_MEASURED_MS;
    if (!isFresh || !report.isUp) return { reason: `gateway ${gateway.name} is not up` };
    const known = (way: Way): RatesKnown => {
      const ofPass = pass?.rates?.[way];
      return {
        pass: ofPass === undefined ? undefined : bitRate(ofPass),
        gateway: announcedRate(gateway) ?? link.parameters(environment).rate,
      };
    };
    const rate = (way: Way): RateFound => {
      const measured = report[way];
      return rateOf(
        { ...known(way), ...(measured !== undefined && { measured: { rate: measured, at: report.at } }) },
        now,
      );
    };
    const los = pass === undefined ? {} : { los: windowOf(pass).los };
    const stated = (way: Way): RateFound => rateOf(known(way), now);
    return { link, environment, gateway: gateway.name, rate, stated, ...los };
  }

  #take(data: Uint8Array): void {
    const report = readReply(data) as Partial<GatewayReport> | undefined;
    if (typeof report?.gateway !== 'string') return;
    this.#reports.set(report.gateway, {
      isUp: asObject(report.link)?.['state'] === 'up',
      downlink: rateIn(report.downlink),
      uplink: rateIn(report.uplink),
      at: this.#options.clock.now(),
    });
  }
}

/** The environment whose parameters a link has for transfers; undefined where they are the same in all. */
export function transferEnvironment(mission: Mission, target: Target, link: Link): string | undefined {
  const several = link.byEnvironment && target.environments.length > 1;
  return several ? lastEnvironment(mission, target) : undefined;
}

/** bit/s */
function rateIn(throughput: unknown): number | undefined {
  const bytes = asObject(throughput)?.['bytes_per_second'];
  return typeof bytes === 'number' && Number.isFinite(bytes) ? bytes * 8 : undefined;
}

function announcedRate({ settings }: Gateway): number | undefined {
  const rate = settings['link_rate'];
  return typeof rate === 'number' ? rate : undefined;
}

function bitRate(text: string): number | undefined {
  const read = readQuantity(text, 'bit/s');
  return read.ok ? read.value : undefined;
}
