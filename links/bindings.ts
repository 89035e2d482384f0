/**
 * Which links of a mission a gateway serves, in any environment of their targets. Mission Control Service, section 2.1
 * (links and their parameters by environment).
 */

import type { Driver as DriverDefinition, Link, Mission, Target } from '../mission/mission.ts';
import { gatewayOf } from '../mission/resolve.ts';

export interface Binding {
  readonly target: Target;
  readonly link: Link;
  /** Undefined for a link without a driver: its frames stay undecoded. */
  readonly driver: DriverDefinition | undefined;
}

/** The links bound to the gateway, in the order of the topology. */
export function bindingsOf(mission: Mission, gateway: string): Binding[] {
  return [...mission.targets.values()].flatMap((target) =>
    [...target.links.values()]
      .filter((link) => isBound(mission, target, link, gateway))
      .map((link) => ({
        target,
        link,
        driver: link.driver === undefined ? undefined : mission.drivers.get(link.driver),
      })),
  );
}

/** Names of the targets that the gateway reaches. */
export function targetsOf(mission: Mission, gateway: string): string[] {
  return [...new Set(bindingsOf(mission, gateway).map(({ target }) => target.name))];
}

function isBound(mission: Mission, target: Target, link: Link, gateway: string): boolean {
  return target.environments.some((environment) => gatewayOf(mission, link, environment)?.name === gateway);
}
