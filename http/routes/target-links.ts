/**
 * The links of a target: who serves each, and whether it has the current mode and parameters. The route is ours; who
 * is reported and when is section 4.3 of the Mission Control Service.
 */

import { LinksView } from '../../contract/links-view.ts';
import type { Link } from '../../mission/mission.ts';
import { type Serving, servingGateway } from '../../mission/pass/serving-gateway.ts';
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
    'seconds of coming back; if it does not, no process of the cell has the role reconciler. During a pass the default ' +
    'link has the gateway of the station.',
  tag: 'Links',
  params: { target: targetInPath },
  replies: { 200: LinksView },
  errors: ['api::no-configuration', 'api::unknown-target', 'api::unavailable'],
  async handle({ params }, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const target = targetOf(params.target, ports);
    if (!target.ok) return target;
    if (!ports.passes.live) return busUnavailable();
    const current = await readMode(target.value, ports);
    if (!current.ok) return current;
    const { mode } = current.value;
    const ends = new LinkEnds(target.value, mode, ports);
    const all = [...target.value.links.values()];
    const at = ports.clock.now();
    const serving = (link: Link): readonly InEnvironment[] =>
      target.value.environments.map((environment) => {
        const served = { target: target.value, link, environment };
        return { environment, ...servingGateway(mission.value, served, ports.passes, at) };
      });
    const links = await Promise.all(all.map((link) => viewOf(link, serving(link), ends)));
    return { ok: true, value: { status: 200, body: { target: target.value.name, mode, links } } };
  },
});

interface InEnvironment extends Serving {
  readonly environment: string;
}

async function viewOf(
  link: Link,
  serving: readonly InEnvironment[],
  ends: LinkEnds,
): Promise<LinksView['links'][number]> {
  const driver = link.driver === undefined ? null : ends.driver(link.driver, link.name);
  const gateways = [...byGateway(serving)].map(async ([name, those]) => {
    const environments = those.map(({ environment }) => environment);
    const pass = those.find((each) => each.pass !== undefined)?.pass?.id;
    return { ...(await ends.gateway(name, link.name, environments)), ...(pass !== undefined && { pass }) };
  });
  const reason = serving.find((each) => each.reason !== undefined)?.reason;
  return {
    link: link.name,
    default: link.isDefault,
    driver: await driver,
    gateways: await Promise.all(gateways),
    ...(reason !== undefined && { reason }),
  };
}

function byGateway(serving: readonly InEnvironment[]): Map<string, InEnvironment[]> {
  const found = new Map<string, InEnvironment[]>();
  for (const each of serving) {
    const { gateway } = each;
    if (gateway !== undefined) found.set(gateway.name, [...(found.get(gateway.name) ?? []), each]);
  }
  return found;
}

export const targetLinkRoutes = [showLinks];
