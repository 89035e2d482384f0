/** A TCP relay between a client and a server that can lose what the server answers, or cut the line. */

import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export interface Relay {
  /** Stays, whatever becomes of the server. */
  readonly port: number;
  /** Port of the server that new connections are relayed to. */
  target: number;
  /** What the server sends is dropped while true; what the client sends arrives. */
  swallowing: boolean;
  /** New connections are ended at once while true. */
  refusing: boolean;
  /** Ends every connection, as a broken network does; new ones are taken. */
  cut(): void;
  stop(): Promise<void>;
}

/** Relays to a port of this machine. */
export async function startRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (relay.refusing) {
      client.destroy();
      return;
    }
    const upstream = connect(relay.target, '127.0.0.1');
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        peer.destroy();
      });
    }
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data) => {
      if (!relay.swallowing) client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const relay: Relay = {
    port: (server.address() as AddressInfo).port,
    target: targetPort,
    swallowing: false,
    refusing: false,
    cut,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
  return relay;
}
