/**
 * Which links of a mission carry CFDP, over which gateways they can go, and which gateways belong together for that.
 *
 * B1. A mission whose links carry none costs one look at each of them.
 * B2. A transaction goes on over every gateway that may serve its link, whatever station the next pass is over. So
 *     gateways that may serve the same link are one group, with those that share a link with one of them. A group is
 *     called as the first of its gateways in the order of the alphabet.
 */

import type { Driver as DriverDefinition, Link, Mission, Target } from '../../mission/mission.ts';
import { possibleGateways } from '../bindings.ts';
import { carriesCfdp } from '../driver/cfdp-transport.ts';

export interface CfdpLink {
  readonly target: Target;
  readonly link: Link;
  readonly driver: DriverDefinition;
  /** Names of those that may serve it, always or during passes. */
  readonly gateways: readonly string[];
}

/** Gateways that may serve the same links (B2). */
export interface CfdpGroup {
  readonly name: string;
  /** In the order of the alphabet. */
  readonly gateways: readonly string[];
  /** In the order of the topology. */
  readonly links: readonly CfdpLink[];
}

const found = new WeakMap<Mission, ReadonlyMap<string, CfdpGroup>>();

/** The groups of a mission by their names. */
export function cfdpGroups(mission: Mission): ReadonlyMap<string, CfdpGroup> {
  const known = found.get(mission);
  if (known !== undefined) return known;
  const groups = groupsOf(cfdpLinks(mission));
  found.set(mission, groups);
  return groups;
}

/** The group of a gateway; undefined where it has no link that carries CFDP. */
export function cfdpGroupOf(mission: Mission, gateway: string): CfdpGroup | undefined {
  for (const group of cfdpGroups(mission).values()) if (group.gateways.includes(gateway)) return group;
  return undefined;
}

/** Every link that carries CFDP over some gateway, in the order of the topology. */
function cfdpLinks(mission: Mission): CfdpLink[] {
  const links: CfdpLink[] = [];
  for (const target of mission.targets.values())
    for (const link of target.links.values()) {
      const driver = link.driver === undefined ? undefined : mission.drivers.get(link.driver);
      if (driver === undefined || !carriesCfdp(driver, link)) continue;
      const gateways = possibleGateways(mission, target, link);
      if (gateways.length > 0) links.push({ target, link, driver, gateways });
    }
  return links;
}

/** B2: one look at each link, however many groups they make. */
function groupsOf(links: readonly CfdpLink[]): Map<string, CfdpGroup> {
  const first = new Map<string, string>();
  const firstOf = (gateway: string): string => {
    let found = gateway;
    for (let next = first.get(found); next !== undefined && next !== found; next = first.get(found))
      found = next;
    first.set(gateway, found);
    return found;
  };
  for (const { gateways } of links) {
    const [lowest, ...others] = gateways.map(firstOf).sort();
    for (const each of others) first.set(each, lowest!);
  }
  const groups = new Map<string, { name: string; gateways: string[]; links: CfdpLink[] }>();
  for (const gateway of [...first.keys()].sort()) {
    const name = firstOf(gateway);
    // The first of its gateways comes first.
    const group = groups.get(name) ?? { name, gateways: [], links: [] };
    group.gateways.push(gateway);
    groups.set(name, group);
  }
  for (const link of links) groups.get(firstOf(link.gateways[0]!))!.links.push(link);
  return groups;
}
