/**
 * Which gateway serves a link now. Outside passes that is the gateway of the link (`resolve.gatewayOf`); during a pass
 * the default link of the target is bound to the gateway of the station, and back again after LOS. Mission Control
 * Service, section 4.5. Everybody who asks which gateway a link has asks here.
 *
 * W1. Only the default link follows passes, and not where it names its gateway (MC-PASS-052).
 * W2. A pass counts from its AOS until its LOS while it is not cancelled, booked or predicted. Of several at once: one
 *     whose station has a gateway, then the booked one, then the one with the earliest AOS, then by identifier.
 * W3. Where no station of a pass in progress has a gateway, the gateway of the link stays, except in orbit: there
 *     nothing serves the link, since no other antenna is known to see the spacecraft.
 * W4. Frames are taken from every gateway that may have received the target: that of the link, and those of the
 *     stations of all its passes, from `PASS_RECEIVE_MARGIN_MS` before AOS until as long after LOS.
 */

import type { StoredPass } from '../../contract/pass.ts';
import type { Gateway, Link, Mission, Target } from '../mission.ts';
import { gatewayOf } from '../resolve.ts';
import { windowOf } from './pass.ts';
import { gatewayAtStation } from './station-gateway.ts';

/** The passes of a target at a moment (ms since 1970), in the order in which they count (W2). */
export interface CurrentPasses {
  /** Another one after each change of a pass: for who keeps what it found. */
  readonly changes: number;
  inProgress(target: string, at: number): readonly StoredPass[];
  /** Also those that begin or end within the margin of reception (W4). */
  near(target: string, at: number): readonly StoredPass[];
}

/** Where no pass is known. */
export const NO_PASSES: CurrentPasses = { changes: 0, inProgress: () => [], near: () => [] };

export interface ServedLink {
  readonly target: Pick<Target, 'name' | 'environments'>;
  readonly link: Link;
  readonly environment: string | undefined;
}

/** What of a pass decides about its gateway. */
export type OverStation = Pick<StoredPass, 'id' | 'station'>;

export interface Serving<Known = StoredPass> {
  readonly gateway: Gateway | undefined;
  /** The pass that it serves. */
  readonly pass?: Known;
  /** Why a pass leaves the link without a gateway (W3). */
  readonly reason?: string;
}

type Places = Pick<Mission, 'gateways' | 'environments'>;

/** The gateway that serves the link at that moment. */
export function servingGateway(
  mission: Places,
  served: ServedLink,
  passes: CurrentPasses,
  at: number,
): Serving {
  const { target, link, environment } = served;
  const inProgress = followsPasses(link, environment) ? passes.inProgress(target.name, at) : [];
  return servingDuring(mission, served, inProgress);
}

/** The same for passes that are in progress, in the order in which they count. */
export function servingDuring<Known extends OverStation>(
  mission: Places,
  { target, link, environment }: ServedLink,
  inProgress: readonly Known[],
): Serving<Known> {
  if (inProgress.length === 0 || !followsPasses(link, environment))
    return { gateway: gatewayOf(mission, link, environment) };
  const missing: string[] = [];
  for (const pass of inProgress) {
    const found = gatewayAtStation(mission, link, environment, pass.station);
    if ('gateway' in found) return { gateway: mission.gateways.get(found.gateway), pass };
    missing.push(`pass ${pass.id} over ${pass.station}: ${found.reason}`);
  }
  const where = mission.environments.get(environment ?? target.environments.at(-1) ?? '');
  if (where?.kind !== 'in_orbit') return { gateway: gatewayOf(mission, link, environment) };
  return { gateway: undefined, reason: missing.join('; ') };
}

/** W1 */
function followsPasses(link: Link, environment: string | undefined): boolean {
  return link.isDefault && link.parameters(environment).gateway === undefined;
}

/** Names of the gateways that may have received the target at that moment, in any of its environments (W4). */
export function gatewaysReceiving(
  mission: Pick<Mission, 'gateways'>,
  target: Target,
  passes: CurrentPasses,
  at: number,
): readonly string[] {
  const near = passes.near(target.name, at);
  const environments = [undefined, ...target.environments];
  const found = [...target.links.values()].flatMap((link) =>
    gatewaysOfLink(mission, environments, link, near),
  );
  return [...new Set(found)];
}

/** Names of the gateways that a link has in these environments, and at the stations of these passes. */
export function gatewaysOfLink(
  mission: Pick<Mission, 'gateways'>,
  environments: readonly (string | undefined)[],
  link: Link,
  passes: readonly StoredPass[],
): readonly string[] {
  const found = new Set<string>();
  for (const environment of environments) {
    const own = gatewayOf(mission, link, environment)?.name;
    if (own !== undefined) found.add(own);
    if (!followsPasses(link, environment)) continue;
    for (const { station } of passes) {
      const serving = gatewayAtStation(mission, link, environment, station);
      if ('gateway' in serving) found.add(serving.gateway);
    }
  }
  return [...found];
}

/** The order in which passes in progress count (W2). */
export function byPrecedence(one: StoredPass, other: StoredPass): number {
  const booked = Number(other.status === 'booked') - Number(one.status === 'booked');
  if (booked !== 0) return booked;
  const between = windowOf(one).aos - windowOf(other).aos;
  if (between !== 0) return between;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}
