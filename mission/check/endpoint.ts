/**
 * The sockets of gateways over UDP and TCP: document to configuration, and that no two of them want the same port.
 */

import { isIP } from 'node:net';
import type { GatewayConfiguration } from '../configuration.ts';
import type { TcpDocument, UdpDocument } from '../document/endpoint.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { GatewayDocument } from '../document/topology.ts';
import type { Endpoint, FramingConfiguration } from '../endpoint.ts';
import { readSourceAddress } from '../source-address.ts';
import { checkFraming } from './framing.ts';
import { durationIn } from './quantity.ts';

/** Other interfaces are a decision. */
const DEFAULT_BIND = '127.0.0.1';
const EVERY_INTERFACE = ['0.0.0.0', '::'];

/** The endpoint of a gateway with `udp` or `tcp`; undefined without them, or after a fault that leaves none. */
export function checkEndpoint(document: GatewayDocument, faults: FaultsAt): Endpoint | undefined {
  const { udp, tcp, framing: framed, silent_after } = document;
  if (udp === undefined && tcp === undefined) {
    checkUnused(document, faults);
    return undefined;
  }
  const framing = framed === undefined ? undefined : checkFraming(framed, faults.in('framing'));
  const silentAfterMs =
    silent_after === undefined ? undefined : durationIn(silent_after, faults.in('silent_after'));
  if (silentAfterMs !== undefined && silentAfterMs <= 0)
    faults.in('silent_after').fault(`is ${silent_after}; it must be above 0`, 'write a duration like 30 s');
  const silence = silentAfterMs === undefined ? {} : { silentAfterMs };
  if (udp !== undefined) return { ...udpEndpoint(udp, faults.in('udp')), ...framingOf(framing), ...silence };
  if (framed === undefined) {
    const help = 'add framing: { kind: space-packet }, or kind line or marker';
    faults.in('tcp').fault('a TCP stream has no frames of its own', help);
  }
  const tcpEnd = tcp === undefined ? undefined : tcpEndpoint(tcp, faults.in('tcp'));
  if (framing === undefined || tcpEnd === undefined) return undefined;
  return { ...tcpEnd, framing, ...silence };
}

function tcpEndpoint(
  { connect, listen }: TcpDocument,
  faults: FaultsAt,
): Omit<Extract<Endpoint, { kind: 'tcp' }>, 'framing'> | undefined {
  if (connect !== undefined) return { kind: 'tcp', side: 'connect', address: connect };
  if (listen === undefined) return undefined;
  const { host, port, accept, replace } = listen;
  if (accept !== undefined) checkSources(accept, 'tcp', faults.in('listen').in('accept'));
  return {
    kind: 'tcp',
    side: 'listen',
    address: { host, port },
    ...(accept !== undefined && { accept }),
    ...(replace !== undefined && { replace }),
  };
}

/** A TCP client calls from a port that its system draws, so a port in the list would refuse everybody. */
function checkSources(accept: readonly string[], kind: 'udp' | 'tcp', faults: FaultsAt): void {
  for (const [index, text] of accept.entries()) {
    const source = readSourceAddress(text);
    const form = kind === 'udp' ? '192.0.2.7, 192.0.2.7:5000 or 192.0.2.0/24' : '192.0.2.7 or 192.0.2.0/24';
    if (source === undefined) faults.in(index).fault(`${text} is no address`, `write ${form}`);
    else if (kind === 'tcp' && source.port !== undefined)
      faults
        .in(index)
        .fault(`${text} names a port, but a client uses another one each time`, `write ${form}`);
  }
}

function framingOf(framing: FramingConfiguration | undefined) {
  return framing === undefined ? {} : { framing };
}

function checkUnused(document: GatewayDocument, faults: FaultsAt): void {
  for (const key of ['framing', 'silent_after'] as const) {
    if (document[key] === undefined) continue;
    faults.in(key).keyFault(`only gateways over udp or tcp have "${key}"`, 'add udp or tcp, or leave it out');
  }
}

function udpEndpoint(document: UdpDocument, faults: FaultsAt): Extract<Endpoint, { kind: 'udp' }> {
  const { port, peer, multicast, receive_buffer: receiveBytes } = document;
  if (multicast !== undefined) checkMulticast(multicast, faults.in('multicast'));
  if (Array.isArray(document.accept)) checkSources(document.accept, 'udp', faults.in('accept'));
  if (document.accept === 'peer' && peer === undefined)
    faults.in('accept').fault('there is no peer to accept from', 'add peer: { host, port }, or accept any');
  const usual = peer !== undefined && multicast === undefined ? 'peer' : 'any';
  return {
    kind: 'udp',
    bind: { host: document.bind ?? (multicast === undefined ? DEFAULT_BIND : '0.0.0.0'), port },
    ...(peer !== undefined && { peer }),
    accept: document.accept ?? usual,
    ...(receiveBytes !== undefined && { receiveBytes }),
    ...(multicast !== undefined && { multicast: { ...multicast, ttl: multicast.ttl ?? 1 } }),
  };
}

function checkMulticast(
  { group, interface: local }: NonNullable<UdpDocument['multicast']>,
  faults: FaultsAt,
): void {
  const first = Number(group.split('.')[0]);
  const isGroup = isIP(group) === 4 ? first >= 224 && first <= 239 : isIP(group) === 6 && /^ff/i.test(group);
  if (!isGroup)
    faults.in('group').fault(`${group} is no multicast address`, 'give one of 224.0.0.0 to 239.255.255.255');
  if (local !== undefined && isIP(local) === 0)
    faults.in('interface').fault(`${local} is no address`, 'give the address of the local interface');
}

/** Reports every gateway that wants a port another one before it has. */
export function checkPorts(gateways: readonly GatewayConfiguration[], faults: FaultsAt): void {
  const taken: { readonly name: string; readonly endpoint: Endpoint }[] = [];
  for (const { name, endpoint } of gateways) {
    if (endpoint === undefined || !isBound(endpoint)) continue;
    const other = taken.find((each) => collide(each.endpoint, endpoint));
    if (other !== undefined)
      faults
        .in(name)
        .fault(`port ${boundTo(endpoint).port} is taken by gateway ${other.name}`, 'give each its own port');
    taken.push({ name, endpoint });
  }
}

function isBound(endpoint: Endpoint): boolean {
  return endpoint.kind === 'udp' || endpoint.side === 'listen';
}

function boundTo(endpoint: Endpoint): { host: string; port: number } {
  return endpoint.kind === 'udp' ? endpoint.bind : endpoint.address;
}

function collide(one: Endpoint, other: Endpoint): boolean {
  const [a, b] = [boundTo(one), boundTo(other)];
  if (one.kind !== other.kind || a.port !== b.port) return false;
  return a.host === b.host || [a.host, b.host].some((host) => EVERY_INTERFACE.includes(host));
}
