/** Which gateways a link of a topology can have. */

import type { GatewayConfiguration, LinkConfiguration } from '../configuration.ts';

/** Every gateway that may serve the link, in any environment. */
export function gatewaysOf(link: LinkConfiguration, gateways: readonly GatewayConfiguration[]): string[] {
  const wanted = [link, ...link.environments].flatMap(({ gateway, tags }) => {
    if (gateway !== undefined) return [gateway];
    if (tags === undefined) return [];
    return gateways.filter((each) => tags.every((tag) => each.tags.includes(tag))).map(({ name }) => name);
  });
  return [...new Set(wanted)];
}
