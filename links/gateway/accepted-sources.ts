/** Who may be a radio: the list `accept` of a gateway over UDP or TCP. */

import { BlockList, isIPv4 } from 'node:net';
import { readSourceAddress } from '../../mission/source-address.ts';

/** Whether the list holds this address and port. An IPv4 address that came over IPv6 is that address. */
export function acceptedSources(list: readonly string[]): (address: string, port: number) => boolean {
  const anyPort = new BlockList();
  const byPort = new Map<number, BlockList>();
  for (const text of list) {
    const source = readSourceAddress(text);
    if (source === undefined) continue;
    const { address, family, port, prefix } = source;
    const hosts = port === undefined ? anyPort : (byPort.get(port) ?? new BlockList());
    if (port !== undefined) byPort.set(port, hosts);
    if (prefix === undefined) hosts.addAddress(address, family);
    else hosts.addSubnet(address, prefix, family);
  }
  return (address, port) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
    return anyPort.check(plain, family) || byPort.get(port)?.check(plain, family) === true;
  };
}
