/**
 * The transport of a link whose driver speaks CSP, and whether the telecommands it carries have a port to go to.
 *
 * P1. The port of a telecommand is that of its `encode`, else of its component, else of the transport.
 */

import { bounded } from '../../contract/bounded.ts';
import { nearHelp } from '../../contract/near.ts';
import { checkShape } from '../../contract/shape.ts';
import type {
  ComponentConfiguration,
  PlatformConfiguration,
  TelecommandConfiguration,
} from '../configuration.ts';
import { CspTransportDocument } from '../document/csp.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { LinkDocument } from '../document/topology.ts';

const SHAPE = bounded(CspTransportDocument);
const LARGEST_ADDRESS = { 1: 31, 2: 16_383 } as const;
const LARGEST_PORT = 63;

/** Why the service has none of these, for whoever asks for one. */
const REFUSED = {
  hmac: 'its 32 bits are too few to trust and its key has no place in a mission document; authenticate in the radio',
  xtea: 'libcsp has dropped it as unsafe; encrypt in the radio',
  rdp: 'it retransmits, and no telecommand of this service leaves twice',
  fragments: 'a telecommand is one packet; use files for more',
  compression: 'libcsp does not define one',
} as const;

/** Reports everything that does not hold. */
export function checkCspLink(
  { transport, components }: LinkDocument,
  platform: PlatformConfiguration | undefined,
  faults: FaultsAt,
): void {
  const at = faults.in('transport');
  if (transport === undefined) {
    const help = 'add transport: { kind: csp, version: 1, source: 10, destination: 1, port: 7 }';
    faults.fault('a CSP link needs its addresses', help);
    return;
  }
  const shaped = checkShape(SHAPE, transport, at);
  for (const [key, why] of Object.entries(REFUSED)) {
    const asked = transport[key];
    if (asked !== undefined && asked !== false)
      at.in(key).fault(`CSP with ${key} is not supported: ${why}`, 'leave it out');
  }
  if (!shaped) return;
  const document = transport as unknown as CspTransportDocument;
  checkAddresses(document, at);
  if (platform === undefined) return;
  checkComponents(document, platform, at);
  for (const component of platform.components) {
    if (components === undefined || components.includes(component.name))
      checkPorts(document, component, faults);
  }
}

function checkAddresses(
  { version, source, destination, nodes = {} }: CspTransportDocument,
  faults: FaultsAt,
): void {
  const most = LARGEST_ADDRESS[version as 1 | 2];
  const check = (address: number, at: FaultsAt): void => {
    if (address > most)
      at.fault(`${address} is no address of version ${version}`, `stay within 0 and ${most}`);
    else if (address === most) at.fault(`${address} is the address of all`, 'give that of one node');
  };
  check(source, faults.in('source'));
  check(destination, faults.in('destination'));
  for (const [name, address] of Object.entries(nodes)) check(address, faults.in('nodes', name));
  for (const address of [destination, ...Object.values(nodes)]) {
    if (address === source) {
      faults
        .in('source')
        .fault(`${source} is an address on board too`, 'give the ground an address of its own');
      return;
    }
  }
}

function checkComponents(
  { nodes = {}, ports = {} }: CspTransportDocument,
  { components }: PlatformConfiguration,
  faults: FaultsAt,
): void {
  const known = components.map(({ name }) => name);
  for (const [key, map] of Object.entries({ nodes, ports })) {
    for (const name of Object.keys(map)) {
      if (known.includes(name)) continue;
      faults.in(key, name).keyFault(`no component "${name}"`, nearHelp(name, known, 'components'));
    }
  }
}

function checkPorts(
  { port, ports = {} }: CspTransportDocument,
  { name, telecommands }: ComponentConfiguration,
  faults: FaultsAt,
): void {
  const fallback = ports[name] ?? port;
  for (const telecommand of telecommands.filter(isForCsp)) {
    const own = telecommand.encode?.header['port'];
    const at = faults.in('transport');
    if (own === undefined && fallback === undefined) {
      at.fault(
        `nothing says to which port ${name}.${telecommand.name} goes`,
        `give port, ports: { ${name}: … }, or \`port\` in its encode`,
      );
    } else if (own !== undefined && own > LARGEST_PORT) {
      at.fault(
        `${name}.${telecommand.name} goes to port ${own}, and CSP has 0 to ${LARGEST_PORT}`,
        'correct its encode',
      );
    }
  }
}

/** Whether nothing shows that it is for a link of another protocol. */
function isForCsp({ encode }: TelecommandConfiguration): boolean {
  return encode !== undefined && encode.line === undefined && encode.header['service'] === undefined;
}
