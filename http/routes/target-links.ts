/**
 * The links of a target: who serves each, and whether it has the current mode and parameters. The route is ours; who
 * is reported and when is section 4.3 of the Mission Control Service.
 */

import { LinksView } from '../../contract/links-view.ts';
import type { Link, Mission, Target } from '../../mission/mission.ts';
import { gatewayOf } from '../../mission/resolve.ts';
import { busUnavailable } from '../errors.ts';
import { LinkEnds } from '../link-ends.ts';
import { currentMission, targetOf } from '../mission-of.ts';
import { targetInPath } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { readMode } from '../target-mode.ts';

export const showLinks = defineRoute({
  method: 'GET',
  path: '/v1/links/:target',
  operationId: 'readLinks',
  summary: 'The links of a target, and the bindings that their drivers and gateways have',
  description:
    'Each driver and gateway is asked now. One that is `outdated` or `never` received its bindings gets them within ' +
    'seconds of coming back; if it does not, no process of the cell has the role reconciler.',
  tag: 'Links',
  params: { target: targetInPath },
  replies: { 200: LinksView },
  errors: ['api::no-configuration', 'api::unknown-target', 'api::unavailable'],
  async handle({ params }, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const target = targetOf(params.target, ports);
    if (!target.ok) return target;
    if (!ports.bus.connected) return busUnavailable();
    const { mode } = await readMode(target.value, ports);
    const ends = new LinkEnds(target.value, mode, ports);
    const all = [...target.value.links.values()];
    const links = await Promise.all(all.map((link) => viewOf(link, target.value, mission.value, ends)));
    return { ok: true, value: { status: 200, body: { target: target.value.name, mode, links } } };
  },
});

async function viewOf(
  link: Link,
  target: Target,
  mission: Mission,
  ends: LinkEnds,
): Promise<LinksView['links'][number]> {
  const driver = link.driver === undefined ? null : ends.driver(link.driver, link.name);
  const served = [...environmentsByGateway(link, target, mission)];
  const gateways = served.map(([name, environments]) => ends.gateway(name, link.name, environments));
  return {
    link: link.name,
    default: link.isDefault,
    driver: await driver,
    gateways: await Promise.all(gateways),
  };
}

function environmentsByGateway(link: Link, target: Target, mission: Mission): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const environment of target.environments) {
    const gateway = gatewayOf(mission, link, environment);
    if (gateway === undefined) continue;
    found.set(gateway.name, [...(found.get(gateway.name) ?? []), environment]);
  }
  return found;
}

export const targetLinkRoutes = [showLinks];
