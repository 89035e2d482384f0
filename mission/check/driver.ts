/**
 * Settings of drivers with the protocols `csp`, `text` and `cfdp`, section `cfdp` of `pus-c`, and the links they are
 * bound to. Drivers of other protocols check their own settings, those that run outside this service their own
 * everything.
 */

import { nearHelp } from '../../contract/near.ts';
import type { PlatformConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { DriverDocument, LinkDocument } from '../document/topology.ts';
import { checkCfdpBeside, checkCfdpDriver, checkCfdpLink } from './cfdp.ts';
import { checkCspLink } from './csp.ts';
import { checkTextLink } from './text-link.ts';

/** How a text driver may end a line on a link without transport. */
export const TERMINATORS = ['lf', 'crlf', 'cr', 'none'] as const;

/** Protocols of this service whose drivers bring no files, but for section `cfdp` of `pus-c`. */
const WITHOUT_FILES = ['pus-c', 'space-packet', 'csp', 'text'];

/** Reports settings that the protocol does not have. */
export function checkDriver(document: DriverDocument, faults: FaultsAt): void {
  const { protocol, description: _, ...settings } = document as DriverDocument & Record<string, unknown>;
  if (protocol === 'cfdp') checkCfdpDriver(settings, faults);
  if (protocol === 'pus-c' && 'cfdp' in settings) checkCfdpDriver(settings['cfdp'], faults.in('cfdp'));
  if (protocol === 'space-packet' && 'cfdp' in settings)
    faults
      .in('cfdp')
      .keyFault('a driver of protocol space-packet does not speak CFDP', 'write pus-c, or cfdp');
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
  if (driver !== undefined && (protocol === 'pus-c' || protocol === 'space-packet'))
    checkCfdpBeside(link, driver, faults);
  if (WITHOUT_FILES.includes(protocol ?? '') && isForCfdp(link, platform)) {
    const help =
      'add cfdp: { entity: 42, apid: 0x75 } to its transport, and cfdp: { entity: 1 } to its driver';
    faults.warning(`platform ${platform?.name} gives its files by CFDP, and the link has none`, help);
  }
  if (protocol === 'csp') checkCspLink(link, platform, faults);
  if (protocol === 'text') checkTextLink(link, platform, faults);
}

/** Whether the files of the platform are to go over this link and cannot. */
function isForCfdp(
  { default: isDefault, transport }: LinkDocument,
  platform?: PlatformConfiguration,
): boolean {
  const isByCfdp = platform?.files?.transfer.protocol === 'cfdp';
  return isByCfdp && isDefault === true && transport?.['cfdp'] === undefined;
}
