/**
 * One UDP socket of a gateway, open until it fails or is closed: addresses resolved, bound, in its multicast group.
 *
 * Z1. Whatever fails, `failed` is called once, with the reason; nothing throws.
 */

import { createSocket, type Socket, type SocketOptions } from 'node:dgram';
import { lookup as lookupName } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { UDP_RECEIVE_BYTES } from '../../contract/limits/link.ts';
import type { Address, UdpEndpoint } from '../../mission/endpoint.ts';
import { isPortHeld } from './port-wait.ts';

export interface UdpSocketOptions {
  readonly endpoint: UdpEndpoint;
  readonly opened: () => void;
  readonly received: (datagram: Buffer, from: string, port: number) => void;
  /** `isPortHeld`: another process has it. */
  readonly failed: (reason: string, isPortHeld: boolean) => void;
  /** The kernel holds less for it than was asked for. */
  readonly granted: (bytes: number, wanted: number) => void;
}

/** At once for an address, as the peer always is: what is to leave in this turn leaves in it (gateway.L2). */
const lookUp: NonNullable<SocketOptions['lookup']> = (host, options, give) => {
  const family = isIP(host);
  if (family === 0) lookupName(host, options, give);
  else give(null, host, family);
};

export class UdpSocket {
  readonly #options: UdpSocketOptions;
  readonly #socket: Socket;
  #peer: Address | undefined;
  #over = false;

  constructor(options: UdpSocketOptions) {
    this.#options = options;
    const { bind } = options.endpoint;
    this.#socket = createSocket({
      type: isIPv6(bind.host) ? 'udp6' : 'udp4',
      reuseAddr: options.endpoint.multicast !== undefined,
      lookup: lookUp,
    });
    this.#socket.on('message', (datagram, { address, port }) => options.received(datagram, address, port));
    this.#socket.on('error', (error) => this.#fail(error));
    void this.#open();
  }

  /** Address of the peer; undefined when there is none or the socket is not open. */
  get peer(): Address | undefined {
    return this.#peer;
  }

  /** Undefined when it is closed, or not known. */
  get descriptor(): number | undefined {
    return this.#over ? undefined : descriptorOf(this.#socket);
  }

  send(datagram: Buffer, done: (error?: Error | null) => void): void {
    if (this.#over || this.#peer === undefined) done(new Error('the socket is closed'));
    else this.#socket.send(datagram, this.#peer.port, this.#peer.host, done);
  }

  /** Joins the multicast group again: a network that was away has forgotten that somebody listens. */
  rejoin(): void {
    const { multicast } = this.#options.endpoint;
    if (this.#over || multicast === undefined) return;
    try {
      this.#socket.dropMembership(multicast.group, multicast.interface);
    } catch {
      // The interface is gone and the membership with it; joining says whether it is back.
    }
    this.#attempt(() => this.#socket.addMembership(multicast.group, multicast.interface));
  }

  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#attempt(() => this.#socket.close());
  }

  async #open(): Promise<void> {
    const { bind, peer } = this.#options.endpoint;
    try {
      const family = isIPv6(bind.host) ? 6 : 4;
      // Never in the turn of the caller, who does not have this socket yet.
      const found = await (peer && lookup(peer.host, { family }));
      if (this.#over) return;
      this.#socket.bind({ port: bind.port, address: bind.host }, () => {
        this.#peer = found && { host: found.address, port: peer!.port };
        if (this.#attempt(() => this.#settle())) this.#options.opened();
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  #settle(): void {
    const { multicast, receiveBytes = UDP_RECEIVE_BYTES } = this.#options.endpoint;
    this.#socket.setRecvBufferSize(receiveBytes);
    // The kernel doubles what it grants, for its own bookkeeping.
    const granted = this.#socket.getRecvBufferSize() / 2;
    if (granted < receiveBytes) this.#options.granted(granted, receiveBytes);
    if (multicast === undefined) return;
    this.#socket.addMembership(multicast.group, multicast.interface);
    this.#socket.setMulticastTTL(multicast.ttl);
    if (multicast.interface !== undefined) this.#socket.setMulticastInterface(multicast.interface);
  }

  /** Whether it worked; else the socket has failed. */
  #attempt(step: () => void): boolean {
    try {
      step();
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.close();
    this.#options.failed(reasonOf(error), isPortHeld(error));
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Node.js keeps it to itself, below a symbol; undefined in a version that has it elsewhere. */
function descriptorOf(socket: Socket): number | undefined {
  const state = Object.getOwnPropertySymbols(socket).find(
    ({ description }) => description === 'state symbol',
  );
  const kept =
    state && (socket as unknown as Record<symbol, { readonly handle?: { readonly fd?: number } }>)[state];
  const descriptor = kept?.handle?.fd;
  return descriptor !== undefined && descriptor >= 0 ? descriptor : undefined;
}
