/**
 * Who has which buffer of a served context open.
 *
 * H1. A buffer has one holder, until the context has closed it. Who asks meanwhile waits a moment: a client that opens
 *     it again may be faster than the end of its own connection.
 */

import { IIOD_RELEASE_MS } from '../../contract/limits/bench.ts';
import type { Clock } from '../../ports/clock.ts';
import { errno, type IioBuffer, type IioBufferOptions, type IioContext, IioFailure } from './context.ts';

export class HeldBuffers {
  readonly #context: IioContext;
  readonly #clock: Clock;
  /** By device identifier: resolves when it is free again. */
  readonly #held = new Map<string, Promise<void>>();

  constructor(context: IioContext, clock: Clock) {
    this.#context = context;
    this.#clock = clock;
  }

  /** Opens the buffer of a device; its `close` frees it. Rejects with EBUSY when somebody else holds it. */
  async open(device: string, options: IioBufferOptions): Promise<IioBuffer> {
    const holder = this.#held.get(device);
    if (holder !== undefined) await this.#moment(holder);
    if (this.#held.has(device)) throw new IioFailure(errno.EBUSY, `the buffer of ${device} is held`);
    let free!: () => void;
    const freed = new Promise<void>((resolve) => {
      free = () => {
        this.#held.delete(device);
        resolve();
      };
    });
    this.#held.set(device, freed);
    try {
      return releasing(await this.#context.open(device, options), free);
    } catch (error) {
      free();
      throw error;
    }
  }

  #moment(holder: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(resolve, IIOD_RELEASE_MS);
      void holder.then(() => {
        this.#clock.clearTimeout(timer);
        resolve();
      });
    });
  }
}

function releasing(buffer: IioBuffer, free: () => void): IioBuffer {
  return {
    read: (bytes, timeoutMs) => buffer.read(bytes, timeoutMs),
    write: (data, timeoutMs) => buffer.write(data, timeoutMs),
    close: () => buffer.close().finally(free),
  };
}
