/**
 * The frames of a target as they pass, both ways. The route is ours; a person looks through it at a link that does not
 * do what it should. Nothing is kept: what passed before is in the streams.
 *
 * F1. Only gateways that serve the links of the target are watched, in whatever environment.
 */

import Type from 'typebox';
import { nameBound } from '../../contract/bounded.ts';
import { LinkEvent } from '../../contract/link-event.ts';
import type { Link, Mission, Target } from '../../mission/mission.ts';
import { gatewayOf } from '../../mission/resolve.ts';
import { busUnavailable, refuse } from '../errors.ts';
import { defineFollow } from '../follow.ts';
import { type WatchedGateway, watchFrames } from '../frames/frame-watch.ts';
import { currentMission, targetOf } from '../mission-of.ts';
import { flagInQuery, targetInPath, textInQuery } from '../parameters.ts';
import type { Handled } from '../reply.ts';
import type { QueryParameter } from '../route.ts';

const linkInQuery: QueryParameter<string> = {
  ...textInQuery,
  schema: Type.String({ ...nameBound, description: 'Only this link of the target.', examples: ['uhf'] }),
};

export const watchLinkFrames = defineFollow({
  path: '/v1/links/:target/frames',
  operationId: 'watchLinkFrames',
  summary: 'Frames of a target as they pass, both ways, with what they say',
  description:
    'Received frames with their samples, sent frames with their telecommand, and the state of each gateway. A client that ' +
    'is behind misses frames and receives their number.',
  tag: 'Links',
  params: { target: targetInPath },
  query: { link: linkInQuery, raw: flagInQuery('Whole frames, not only their first bytes.') },
  policy: 'counted',
  message: LinkEvent,
  errors: ['api::no-configuration', 'api::unknown-target', 'api::unknown-link', 'api::unavailable'],
  async open({ params, query }, ports, writer) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const target = targetOf(params.target, ports);
    if (!target.ok) return target;
    const gateways = watchedGateways(mission.value, target.value, query.link);
    if (!gateways.ok) return gateways;
    if (!ports.bus.connected) return busUnavailable();
    const watch = await watchFrames({
      target: target.value,
      gateways: gateways.value,
      raw: query.raw ?? false,
      ports,
      writer,
    });
    return { ok: true, value: watch };
  },
});

/** The gateways of the links asked for; refuses an unknown link, and links that no gateway serves. */
function watchedGateways(
  mission: Mission,
  target: Target,
  name: string | undefined,
): Handled<readonly WatchedGateway[]> {
  const links = [...target.links.values()].filter((link) => name === undefined || link.name === name);
  if (links.length === 0)
    return refuse('api::unknown-link', `target ${target.name} has no link ${name}`, {
      help: `Links: ${[...target.links.keys()].join(', ')}.`,
    });
  const gateways = [...mission.gateways.values()].flatMap((gateway) => {
    const served = links.filter((link) => serves(mission, target, link, gateway.name));
    return served.length === 0 ? [] : [{ gateway, links: served.map((link) => link.name) }];
  });
  if (gateways.length > 0) return { ok: true, value: gateways };
  return refuse(
    'api::unknown-link',
    `no gateway serves ${links.map((link) => link.name).join(', ')} of ${target.name}`,
    {
      help: 'Bind the link to a gateway in the topology.',
    },
  );
}

function serves(mission: Mission, target: Target, link: Link, gateway: string): boolean {
  return target.environments.some((environment) => gatewayOf(mission, link, environment)?.name === gateway);
}

export const linkFrameFollows = [watchLinkFrames];
