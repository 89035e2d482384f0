/**
 * Which links of a mission a gateway serves, in any environment of their targets. Mission Control Service, sections 2.1
 * (links and their parameters by environment) and 4.5 (stations).
 *
 * B1. A gateway always serves the links that have it outside passes, and the default link of a target while a pass over
 *     its station is near (serving-gateway.W4).
 */

import type { Driver as DriverDefinition, Link, Mission, Target } from '../mission/mission.ts';
import { type CurrentPasses, gatewaysOfLink } from '../mission/pass/serving-gateway.ts';

export interface Binding {
  readonly target: Target;
  readonly link: Link;
  /** Undefined for a link without a driver: its frames stay undecoded. */
  readonly driver: DriverDefinition | undefined;
}

export interface PossibleBinding extends Binding {
  /** Whether the gateway serves it also while no pass is near (B1). */
  readonly isConstant: boolean;
}

/** Every link that the gateway serves, always or during passes over its station, in the order of the topology. */
export function possibleBindings(mission: Mission, gateway: string): PossibleBinding[] {
  return [...mission.targets.values()].flatMap((target) =>
    [...target.links.values()].flatMap((link) => bindingOf(mission, target, link, gateway) ?? []),
  );
}

/** Names of the gateways that may serve the link, always or during passes. */
export function possibleGateways(mission: Mission, target: Target, link: Link): string[] {
  const named = target.environments.map((environment) => link.parameters(environment).gateway);
  // Most links name theirs: only others look at every gateway.
  const places = named.includes(undefined) ? mission.gateways.keys() : new Set(named as string[]);
  return [...places].filter((gateway) => bindingOf(mission, target, link, gateway) !== undefined);
}

/** Whether the gateway serves the link at that moment (B1). */
export function isServedBy(
  mission: Mission,
  gateway: string,
  { target, link, isConstant }: PossibleBinding,
  passes: CurrentPasses,
  at: number,
): boolean {
  if (isConstant) return true;
  const near = passes.near(target.name, at);
  return near.length > 0 && gatewaysOfLink(mission, target.environments, link, near).includes(gateway);
}

/** Names of the targets that the gateway reaches at that moment. */
export function targetsOf(mission: Mission, gateway: string, passes: CurrentPasses, at: number): string[] {
  const bound = possibleBindings(mission, gateway).filter((each) =>
    isServedBy(mission, gateway, each, passes, at),
  );
  return [...new Set(bound.map(({ target }) => target.name))];
}

function bindingOf(
  mission: Mission,
  target: Target,
  link: Link,
  gateway: string,
): PossibleBinding | undefined {
  if (!target.environments.some((environment) => fits(mission, link, environment, gateway))) return undefined;
  const isConstant = gatewaysOfLink(mission, target.environments, link, []).includes(gateway);
  if (!isConstant && !link.isDefault) return undefined;
  const driver = link.driver === undefined ? undefined : mission.drivers.get(link.driver);
  return { target, link, driver, isConstant };
}

/** Whether the link names the gateway, or asks for nothing that it does not carry. */
function fits(mission: Mission, link: Link, environment: string | undefined, gateway: string): boolean {
  const { gateway: named, tags } = link.parameters(environment);
  if (named !== undefined) return named === gateway;
  const carried = mission.gateways.get(gateway)?.tags ?? [];
  return tags.length > 0 && tags.every((tag) => carried.includes(tag));
}
