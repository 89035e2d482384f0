/**
 * Settings of drivers with the protocols `csp`, `text` and `cfdp`, and the links they are bound to. Drivers of other
 * protocols check their own settings, those that run outside this service their own everything.
 */

import { nearHelp } from '../../contract/near.ts';
import type { PlatformConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { DriverDocument, LinkDocument } from '../document/topology.ts';
import { checkCfdpDriver, checkCfdpLink } from './cfdp.ts';
import { checkCspLink } from './csp.ts';
import { checkTextLink } from './text-link.ts';

/** How a text driver may end a line on a link without transport. */
export const TERMINATORS = ['lf', 'crlf', 'cr', 'none'] as const;

/** Reports settings that the protocol does not have. */
export function checkDriver(document: DriverDocument, faults: FaultsAt): void {
  const { protocol, description: _, ...settings } = document as DriverDocument & Record<string, unknown>;
  if (protocol === 'cfdp') checkCfdpDriver(settings, faults);
  if (protocol !== 'csp' && protocol !== 'text') return;
  const known = protocol === 'text' ? ['terminator'] : [];
  for (const key of Object.keys(settings).filter((each) => !known.includes(each))) {
    const help = nearHelp(
      key,
      known,
      'settings',
      'it has no settings: addresses and ports are in the transport of the link',
    );
    faults.in(key).keyFault(`a driver of protocol ${protocol} has no setting "${key}"`, help);
  }
  const { terminator } = settings;
  if (protocol === 'csp' || terminator === undefined || TERMINATORS.some((each) => each === terminator))
    return;
  faults
    .in('terminator')
    .fault(`${JSON.stringify(terminator)} ends no line`, `write ${TERMINATORS.join(', ')}`);
}

/** Reports what a link does not have that its driver needs. */
export function checkDriverLink(
  driver: DriverDocument | undefined,
  link: LinkDocument,
  platform: PlatformConfiguration | undefined,
  faults: FaultsAt,
): void {
  const protocol = driver?.protocol;
  if (driver !== undefined && protocol === 'cfdp') checkCfdpLink(link, driver, faults);
  if (protocol === 'csp') checkCspLink(link, platform, faults);
  if (protocol === 'text') checkTextLink(link, platform, faults);
}
