/**
 * How a server that fans out knows what its watchers have: they tell, one byte for each batch that all of them
 * received, over a connection of its own.
 *
 * K1. A batch leaves when everybody has the one before: sockets never fill, nothing is conflated, and no two batches
 *     share a write, which would make them cheaper than what they are compared with.
 */

import net, { type AddressInfo } from 'node:net';

export interface Driven {
  readonly batches: number;
  readonly ms: number;
  readonly cpuUs: number;
}

export class Acknowledgements {
  readonly #server = net.createServer((socket) => {
    socket.on('data', (data) => this.#take(data.length));
    socket.on('error', () => undefined);
  });
  #sent = 0;
  #acknowledged = 0;
  #wake: (() => void) | undefined;

  /** The port that watchers report to. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** Sends batches for `ms`, as fast as they are acknowledged, and waits for the last one. */
  async drive(ms: number, send: () => void): Promise<Driven> {
    const start = performance.now();
    const { user, system } = process.cpuUsage();
    const before = this.#sent;
    while (performance.now() - start < ms) {
      this.#sent += 1;
      send();
      await this.#until(this.#sent);
    }
    const used = process.cpuUsage({ user, system });
    return { batches: this.#sent - before, ms: performance.now() - start, cpuUs: used.user + used.system };
  }

  async #until(batch: number): Promise<void> {
    // A turn of the loop in any case: sockets are flushed in it.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#acknowledged < batch) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(batches: number): void {
    this.#acknowledged += batches;
    this.#wake?.();
  }
}
