/**
 * Finds in a mission what a call to a driver names, and reads what a link says of its transport. The caller resolved
 * the names against a mission of its own; a driver that has another one refuses instead of guessing.
 */

import type { LinkAddress } from '../../contract/link.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import type { Link, Mission } from '../../mission/mission.ts';
import { MAX_APID } from '../../protocol/space-packet.ts';
import type { LinkSource } from './driver.ts';

/** The target, link and platform of a call; refuses names the mission does not have. */
export function locate(address: LinkAddress, mission: Mission): Result<LinkSource, string> {
  const target = mission.targets.get(address.target);
  if (target === undefined) return refused(`the mission has no target "${address.target}"`);
  const link = target.links.get(address.link);
  if (link === undefined) return refused(`target "${address.target}" has no link "${address.link}"`);
  const platform = target.platform;
  if (platform === undefined) return refused(`the configuration lacks platform ${target.platformId}`);
  return accepted({ target, link, platform });
}

/** The APID in the transport of a link; undefined when it names none. */
export function transportApid(link: Link): number | undefined {
  const apid = link.transport?.['apid'];
  return isApid(apid) ? apid : undefined;
}

export function isApid(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_APID;
}
