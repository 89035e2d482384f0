/**
 * The frames of a target as they pass, both ways. The route is ours; a person looks through it at a link that does not
 * do what it should. Nothing is kept: what passed before is in the streams.
 *
 * F1. Only gateways that serve the links of the target are watched, in whatever environment: those of the links, and
 *     that of a station while a pass is near.
 */

import Type from 'typebox';
import { nameBound } from '../../contract/bounded.ts';
import { LinkEvent } from '../../contract/link-event.ts';
import type { Link, Mission, Target } from '../../mission/mission.ts';
import { gatewaysOfLink } from '../../mission/pass/serving-gateway.ts';
import { busUnavailable, refuse } from '../errors.ts';
import { defineFollow } from '../follow.ts';
import { type WatchedGateway, watchFrames } from '../frames/frame-watch.ts';
import { currentMission, targetOf } from '../mission-of.ts';
import { flagInQuery, targetInPath, textInQuery } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Refusal } from '../reply.ts';
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
    const links = watchedLinks(target.value, query.link);
    if (!links.ok) return links;
    if (!ports.passes.live) return busUnavailable();
    const gateways = (): readonly WatchedGateway[] =>
      servingNow(mission.value, target.value, links.value, ports);
    if (gateways().length === 0) return unserved(target.value, links.value);
    const watch = await watchFrames({
      target: target.value,
      gateways,
      raw: query.raw ?? false,
      ports,
      writer,
    });
    return { ok: true, value: watch };
  },
});

/** The links asked for; refuses an unknown one. */
function watchedLinks(target: Target, name: string | undefined): Handled<readonly Link[]> {
  const links = [...target.links.values()].filter((link) => name === undefined || link.name === name);
  if (links.length > 0) return { ok: true, value: links };
  return refuse('api::unknown-link', `target ${target.name} has no link ${name}`, {
    help: `Links: ${[...target.links.keys()].join(', ')}.`,
  });
}

function unserved(target: Target, links: readonly Link[]): Refusal {
  return refuse(
    'api::unknown-link',
    `no gateway serves ${links.map((link) => link.name).join(', ')} of ${target.name}`,
    {
      help: 'Bind the link to a gateway in the topology.',
    },
  );
}

/** F1 */
function servingNow(
  mission: Mission,
  target: Target,
  links: readonly Link[],
  { passes, clock }: RoutePorts,
): WatchedGateway[] {
  const near = passes.near(target.name, clock.now());
  const served = links.map((link) => ({
    link: link.name,
    gateways: gatewaysOfLink(mission, target.environments, link, near),
  }));
  const names = new Set(served.flatMap(({ gateways }) => gateways));
  return [...mission.gateways.values()]
    .filter(({ name }) => names.has(name))
    .map((gateway) => ({
      gateway,
      links: served.filter(({ gateways }) => gateways.includes(gateway.name)).map(({ link }) => link),
    }));
}

export const linkFrameFollows = [watchLinkFrames];
