/**
 * Which gateway serves a pass: the one that is attached to its station. Mission Control Service, section 4.5 (gateway
 * check).
 *
 * A1. A gateway serves a station when it carries the name of the station as a tag, beside every tag that the link asks
 *     for; of several the first in the order of the topology.
 * A2. A link that names its gateway has that one, whatever the station.
 * A3. What counts is the default link of the target, in the environment declared last of those it is engaged in.
 */

import type { Link, Mission, Target } from '../mission.ts';
import { carriesAll } from '../resolve.ts';

export type ServingGateway = { readonly gateway: string } | { readonly reason: string };

/** The gateway of a pass of the target over the station, or why there is none. */
export function gatewayOfPass(mission: Mission, target: Target, station: string): ServingGateway {
  const link = target.links.get(target.defaultLink);
  if (link === undefined) return { reason: `target ${target.name} has no default link` };
  return gatewayAtStation(mission, link, target.environments.at(-1), station);
}

/** The gateway of a link during a pass over the station, or why there is none (A1, A2). */
export function gatewayAtStation(
  mission: Pick<Mission, 'gateways'>,
  link: Pick<Link, 'name' | 'parameters'>,
  environment: string | undefined,
  station: string,
): ServingGateway {
  const { gateway, tags } = link.parameters(environment);
  if (gateway !== undefined) {
    if (mission.gateways.has(gateway)) return { gateway };
    return { reason: `gateway ${gateway} of link ${link.name} is not in the topology` };
  }
  if (tags.length === 0) return { reason: `link ${link.name} names neither a gateway nor tags` };
  const wanted = [...new Set([...tags, station])];
  for (const each of mission.gateways.values()) if (carriesAll(each, wanted)) return { gateway: each.name };
  return { reason: `no gateway carries the tags ${wanted.join(', ')}` };
}
