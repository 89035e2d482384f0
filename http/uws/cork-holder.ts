/**
 * A socket of the server to itself, whose cork is held while another socket is upgraded.
 *
 * Observed: of upgrades made inside the cork of their own response, a few under load ended with 101 and then the end of
 * the connection, without a frame. Supposed, and not confirmed in the source: leaving that cork, uWebSockets.js looks
 * once more at the HTTP state of a socket that has become a WebSocket, and what stands in that memory now can read as
 * "close the connection". While another socket holds the cork, the cork of the response is none and there is nothing to
 * leave.
 *
 * D1. Nothing is ever sent on it, and only the server knows its path.
 */

import type { TemplatedApp, WebSocket } from 'uWebSockets.js';
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export class CorkHolder {
  readonly #path = `/${randomUUID()}`;
  #held: WebSocket<object> | undefined;
  #client: Socket | undefined;

  /** Before the server listens: the route of the held socket. */
  register(app: TemplatedApp, closed: () => void): void {
    app.ws<object>(this.#path, {
      idleTimeout: 0,
      sendPingsAutomatically: false,
      maxPayloadLength: 1,
      open: (ws) => {
        this.#held = ws;
      },
      close: (ws) => {
        if (this.#held === ws) this.#held = undefined;
        closed();
      },
    });
  }

  /** Resolves when the socket is held; rejects when the server does not take it. */
  async hold(port: number): Promise<void> {
    const client = connect(port, '127.0.0.1');
    this.#client = client;
    await new Promise<void>((resolve, reject) => {
      client.once('error', reject);
      client.once('close', () => reject(new Error('the server closed its own socket')));
      client.once('data', () => resolve());
      client.write(
        `GET ${this.#path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
      );
    });
    // The process may end while it is open; whatever becomes of it, upgrades go on without it.
    client.on('error', () => undefined);
    client.unref();
  }

  /** Runs `upgrade` while this socket holds the cork; false when there is none to hold it. */
  while(upgrade: () => void): boolean {
    if (this.#held === undefined) return false;
    this.#held.cork(upgrade);
    return true;
  }

  release(): void {
    this.#client?.destroy();
  }
}
