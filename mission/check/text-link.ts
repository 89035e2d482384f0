/**
 * Links whose driver speaks text. A line does not say whom it answers, so what could make two telecommands await an
 * answer over one gateway is refused here.
 *
 * T1. Telecommands with answers of different targets do not share a gateway.
 */

import type {
  DriverConfiguration,
  GatewayConfiguration,
  PlatformConfiguration,
  TargetConfiguration,
} from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { LinkDocument } from '../document/topology.ts';
import { gatewaysOf } from './link-gateways.ts';

/** Reports a malformed transport for lines, and warns of a link that has nothing to say or to receive. */
export function checkTextLink(
  { transport, components }: LinkDocument,
  platform: PlatformConfiguration | undefined,
  faults: FaultsAt,
): void {
  const { kind, ...more } = transport ?? { kind: 'line' };
  if (kind !== 'line') {
    const help = 'write { kind: line } where the gateway cuts lines and ends them, else leave transport out';
    faults.in('transport').fault('a text link has the transport of lines or none', help);
  }
  for (const key of Object.keys(more))
    faults.in('transport', key).keyFault(`the transport of lines has no ${key}`, 'leave it out');
  if (platform === undefined || platform.lines !== undefined) return;
  const carried = platform.components.filter(({ name }) => components?.includes(name) ?? true);
  if (!carried.some(({ telecommands }) => telecommands.some(({ encode }) => encode?.line !== undefined)))
    faults.warning(
      `platform ${platform.name} has no lines to write or read`,
      'add `line` to its telecommands, or lines',
    );
}

interface Flown {
  readonly gateways: readonly GatewayConfiguration[];
  readonly drivers: readonly DriverConfiguration[];
  readonly targets: readonly TargetConfiguration[];
}

/** T1 */
export function checkSharedAnswers(
  { gateways, drivers, targets }: Flown,
  platforms: ReadonlyMap<string, PlatformConfiguration>,
  faults: FaultsAt,
): void {
  const text = new Set(drivers.filter(({ protocol }) => protocol === 'text').map(({ name }) => name));
  const users = new Map<string, string>();
  for (const target of targets) {
    if (!awaitsAnswers(platforms.get(target.platform))) continue;
    for (const link of target.links.filter(({ driver }) => text.has(driver ?? ''))) {
      for (const gateway of gatewaysOf(link, gateways)) {
        const other = users.get(gateway) ?? target.name;
        users.set(gateway, other);
        if (other === target.name) continue;
        const message = `target ${other} awaits answers over gateway ${gateway} too, and a line does not name the telecommand it answers`;
        faults.in(target.name, 'links', link.name).fault(message, 'give each a gateway of its own');
      }
    }
  }
}

function awaitsAnswers(platform: PlatformConfiguration | undefined): boolean {
  return (
    platform?.components.some(({ telecommands }) =>
      telecommands.some(({ verify }) => verify?.answer !== undefined),
    ) ?? false
  );
}
