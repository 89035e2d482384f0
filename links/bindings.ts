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

/** Of each mission, what its gateways serve: found once for all of them, which costs one look at each link. */
const found = new WeakMap<Mission, ReadonlyMap<string, readonly PossibleBinding[]>>();

/** Every link that the gateway serves, always or during passes over its station, in the order of the topology. */
export function possibleBindings(mission: Mission, gateway: string): readonly PossibleBinding[] {
  let ofGateways = found.get(mission);
  if (ofGateways === undefined) {
    ofGateways = everyBinding(mission);
    found.set(mission, ofGateways);
  }
  return ofGateways.get(gateway) ?? [];
}

function everyBinding(mission: Mission): Map<string, PossibleBinding[]> {
  const ofGateways = new Map<string, PossibleBinding[]>();
  for (const target of mission.targets.values())
    for (const link of target.links.values())
      for (const gateway of placesOf(mission, target, link)) {
        const binding = bindingOf(mission, target, link, gateway);
        if (binding === undefined) continue;
        const others = ofGateways.get(gateway);
        if (others === undefined) ofGateways.set(gateway, [binding]);
        else others.push(binding);
      }
  return ofGateways;
}

/** Names of the gateways that may serve the link, always or during passes. */
export function possibleGateways(mission: Mission, target: Target, link: Link): string[] {
  return [...placesOf(mission, target, link)].filter(
    (gateway) => bindingOf(mission, target, link, gateway) !== undefined,
  );
}

/** Where to look for the link: most links name their gateway, only others look at every one. */
function placesOf(mission: Mission, target: Target, link: Link): Iterable<string> {
  const named = target.environments.map((environment) => link.parameters(environment).gateway);
  return named.includes(undefined) ? mission.gateways.keys() : new Set(named as string[]);
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
