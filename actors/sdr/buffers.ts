/**
 * The two buffers of the modem: held from their first use until they are given back. RF Bench Service, section 4, rule 8.
 *
 * H1. A buffer that failed is of no use: it is closed, and opened anew when it is needed next.
 * H2. Before a payload is fed round and round, what was queued is given the time to leave.
 */

import { BLOCK_BYTES } from '../../contract/bench/datapath.ts';
import type { Clock } from '../../ports/clock.ts';
import { modemDevice } from '../../radio/board/registers.ts';
import { errno, type IioBuffer, type IioContext, IioFailure } from '../../radio/iio/context.ts';

/** One channel of bytes. */
const CHANNEL = 1;
/** Longest that queued blocks are waited for (H2): behind a closed egress they never leave. */
const LEAVING_MS = 2_000;

export class Buffers {
  readonly #context: IioContext;
  readonly #clock: Clock;
  #receive: IioBuffer | undefined;
  #transmit: IioBuffer | undefined;
  #isHeld = false;
  /** When what was queued will have left, as far as the rate tells. */
  #leftAt = 0;

  constructor(context: IioContext, clock: Clock) {
    this.#context = context;
    this.#clock = clock;
  }

  /** The daemon holds the devices. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Whether the board has them at all. */
  get areThere(): boolean {
    const names = this.#context.devices.map(({ name }) => name);
    return names.includes(modemDevice.receive) && names.includes(modemDevice.transmit);
  }

  /** Opens both; rejects with ENODEV on a board without them, EBUSY while another program has one. */
  async hold(): Promise<void> {
    try {
      await this.#receiver();
      await this.#transmitter();
      this.#isHeld = true;
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  async release(): Promise<void> {
    this.#isHeld = false;
    await this.closeReceiver();
    await this.#closeTransmitter();
  }

  /** Begins to capture anew: what lay in the queue is gone. */
  async rearm(): Promise<void> {
    await this.closeReceiver();
    await this.#receiver();
  }

  /** So many bytes of what is received; the buffer is closed when they do not come (H1). */
  async read(bytes: number, timeoutMs: number): Promise<Uint8Array> {
    const buffer = await this.#receiver();
    try {
      return await buffer.read(bytes, timeoutMs);
    } catch (error) {
      // A short wait is no failure of a held buffer: what came goes on waiting there.
      if (!(error instanceof IioFailure && error.errno === errno.ETIMEDOUT)) await this.closeReceiver();
      throw error;
    }
  }

  /** Queues whole blocks; resolves when the driver has taken them. */
  async write(blocks: readonly Uint8Array[], terms: { timeoutMs: number; periodMs: number }): Promise<void> {
    if (blocks.length === 0) return;
    const buffer = await this.#transmitter();
    try {
      await buffer.write(Buffer.concat(blocks), terms.timeoutMs);
    } catch (error) {
      await this.#closeTransmitter();
      throw error;
    }
    this.#leftAt = Math.max(this.#leftAt, this.#clock.now()) + blocks.length * terms.periodMs;
  }

  /** Repeats whole blocks without end, until the function it resolves to is called. */
  async feed(data: Uint8Array): Promise<() => Promise<void>> {
    await this.#closeTransmitter();
    const cyclic = { samples: data.length, mask: CHANNEL, cyclic: true };
    const buffer = await this.#context.open(modemDevice.transmit, cyclic);
    const end = async (): Promise<void> => {
      await buffer.close();
      if (this.#isHeld) await this.#transmitter();
    };
    try {
      await buffer.write(data, LEAVING_MS);
      return end;
    } catch (error) {
      await buffer.close();
      throw error;
    }
  }

  /** Resolves when what was queued has left, or will not (H2). */
  queueLeft(): Promise<void> {
    const waitMs = Math.min(LEAVING_MS, this.#leftAt - this.#clock.now());
    if (!(waitMs > 0)) return Promise.resolve();
    return new Promise((resolve) => void this.#clock.setTimeout(resolve, waitMs));
  }

  async closeReceiver(): Promise<void> {
    const buffer = this.#receive;
    this.#receive = undefined;
    await buffer?.close();
  }

  async #closeTransmitter(): Promise<void> {
    const buffer = this.#transmit;
    this.#transmit = undefined;
    this.#leftAt = 0;
    await buffer?.close();
  }

  async #receiver(): Promise<IioBuffer> {
    this.#receive ??= await this.#context.open(modemDevice.receive, { samples: BLOCK_BYTES, mask: CHANNEL });
    return this.#receive;
  }

  async #transmitter(): Promise<IioBuffer> {
    this.#transmit ??= await this.#context.open(modemDevice.transmit, {
      samples: BLOCK_BYTES,
      mask: CHANNEL,
    });
    return this.#transmit;
  }
}
