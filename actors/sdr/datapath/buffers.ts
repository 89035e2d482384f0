/**
 * The two buffers of the modem: held from their first use until they are given back. RF Bench Service, section 4, rule
 * 8.
 *
 * H1. A buffer that failed is of no use: it is closed, and opened again when it is needed next.
 * H2. Before a payload is fed round and round, what was queued is given the time to leave.
 * H3. Bytes go to the transmitter under a pass of the gate (`actors/sdr/radio/emission-gate.ts`) alone, which is void
 *     once the path has changed or the transmitter was stopped.
 * H4. What is taken away from somebody who waits for it ends that wait with the reason.
 */

import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';
import type { Clock } from '../../../ports/clock.ts';
import { modemDevice } from '../../../radio/board/registers.ts';
import { Interrupted } from '../../../radio/board/stops.ts';
import { errno, type IioBuffer, type IioContext, IioFailure } from '../../../radio/iio/context.ts';

/** One channel of bytes. */
const CHANNEL = 1;
/** Longest that queued blocks are waited for (H2): behind a closed egress they never leave. */
const LEAVING_MS = 2_000;

/** Leave to hand bytes to the transmitter; `check` throws once it is void (H3). */
export interface Pass {
  check(): void;
  /** The egress is open: what is queued leaves. */
  readonly leaves: boolean;
}

interface QueueTerms {
  readonly timeoutMs: number;
  readonly periodMs: number;
  readonly pass: Pass;
}

/** A payload that is repeated. */
export interface Feed {
  /** Aborted with the reason when it was ended by somebody else. */
  readonly ended: AbortSignal;
  end(): Promise<void>;
}

interface Open {
  readonly buffer: Promise<IioBuffer>;
  /** Why it was taken away (H4). */
  taken: string | undefined;
}

export class Buffers {
  readonly #context: IioContext;
  readonly #clock: Clock;
  #receive: Open | undefined;
  #transmit: Open | undefined;
  #feed: { readonly buffer: IioBuffer; readonly ending: AbortController } | undefined;
  #isHeld = false;
  /** Count of changes of the path. */
  #paths = 0;
  /** When what was queued will have left, by the rate. */
  #leftAt = 0;
  #periodMs = 0;
  /** Blocks queued behind a closed egress. */
  #stuck = 0;

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

  /** Count of changes of the path: a pass is of one path (H3). */
  get paths(): number {
    return this.#paths;
  }

  /** Opens both; rejects with ENODEV on a board without them, EBUSY while another program has one. */
  async hold(): Promise<void> {
    try {
      await this.#receiver();
      if (this.#feed === undefined) await this.#transmitter();
      this.#isHeld = true;
    } catch (error) {
      await this.release('the devices could not be held');
      throw error;
    }
  }

  /** Gives both back; the blocks that were queued and are lost by that, at most. */
  async release(why: string): Promise<number> {
    this.#isHeld = false;
    const lost = this.#queuedBlocks;
    await this.#takeReceiver(why);
    await this.endFeed(why);
    await this.#takeTransmitter(why);
    return lost;
  }

  /** Begins to capture again: what lay in the queue is gone. */
  async rearm(): Promise<void> {
    await this.closeReceiver();
    await this.#receiver();
  }

  /** So many bytes of what is received; the buffer is closed when they do not come (H1). */
  async read(bytes: number, timeoutMs: number): Promise<Uint8Array> {
    const open = await this.#receiver();
    try {
      return await (await open.buffer).read(bytes, timeoutMs);
    } catch (error) {
      if (open.taken !== undefined) throw new Interrupted(open.taken);
      // A short wait is no failure of a held buffer: what came goes on waiting there.
      if (!(error instanceof IioFailure && error.errno === errno.ETIMEDOUT)) await this.closeReceiver();
      throw error;
    }
  }

  /** Queues whole blocks; resolves when the driver has taken them. */
  async write(blocks: readonly Uint8Array[], { timeoutMs, periodMs, pass }: QueueTerms): Promise<void> {
    if (blocks.length === 0) return;
    const open = await this.#transmitter();
    try {
      pass.check();
      await (await open.buffer).write(Buffer.concat(blocks), timeoutMs);
    } catch (error) {
      if (open.taken !== undefined) throw new Interrupted(open.taken);
      if (!(error instanceof Interrupted)) await this.#takeTransmitter('a transfer has failed');
      throw error;
    }
    if (open.taken !== undefined) throw new Interrupted(open.taken);
    this.#periodMs = periodMs;
    if (pass.leaves) this.#leftAt = Math.max(this.#leftAt, this.#clock.now()) + blocks.length * periodMs;
    else this.#stuck += blocks.length;
  }

  /** Repeats whole blocks without end, until it is ended. */
  async feed(data: Uint8Array, pass: Pass): Promise<Feed> {
    await this.#takeTransmitter('a payload is fed');
    const cyclic = { samples: data.length, mask: CHANNEL, cyclic: true };
    const buffer = await this.#context.open(modemDevice.transmit, cyclic);
    const ending = new AbortController();
    const feed = { buffer, ending };
    this.#feed = feed;
    const end = async (): Promise<void> => {
      if (this.#feed !== feed) return;
      this.#feed = undefined;
      await buffer.close();
      if (this.#isHeld) await this.#transmitter();
    };
    try {
      pass.check();
      await buffer.write(data, LEAVING_MS);
      pass.check();
      return { ended: ending.signal, end };
    } catch (error) {
      if (this.#feed === feed) this.#feed = undefined;
      await buffer.close();
      throw ending.signal.aborted ? new Interrupted(String(ending.signal.reason)) : error;
    }
  }

  /** Ends what is fed, for this reason. */
  async endFeed(why: string): Promise<void> {
    const feed = this.#feed;
    this.#feed = undefined;
    if (feed === undefined) return;
    feed.ending.abort(why);
    await feed.buffer.close();
  }

  /** The egress is about to be closed: what has not left by now does not. */
  pause(): void {
    this.#stuck = this.#queuedBlocks;
    this.#leftAt = 0;
  }

  /** The path is about to change: no pass holds for the new one (H3), and nothing is fed to it. */
  async leavePath(why: string): Promise<void> {
    this.#paths += 1;
    await this.endFeed(why);
  }

  /** Drops what is queued; the blocks that are lost by that, at most. */
  async drop(why: string): Promise<number> {
    const lost = this.#queuedBlocks;
    await this.#takeTransmitter(why);
    if (this.#isHeld) await this.#transmitter();
    return lost;
  }

  /** Resolves when what was queued has left, or will not (H2). */
  queueLeft(): Promise<void> {
    const waitMs = Math.min(LEAVING_MS, this.#leftAt - this.#clock.now());
    if (!(waitMs > 0)) return Promise.resolve();
    return new Promise((resolve) => void this.#clock.setTimeout(resolve, waitMs));
  }

  closeReceiver(): Promise<void> {
    return this.#takeReceiver(undefined);
  }

  get #queuedBlocks(): number {
    const leaving = this.#leftAt - this.#clock.now();
    return this.#stuck + (leaving > 0 && this.#periodMs > 0 ? Math.ceil(leaving / this.#periodMs) : 0);
  }

  async #takeReceiver(why: string | undefined): Promise<void> {
    const open = this.#receive;
    this.#receive = undefined;
    if (open === undefined) return;
    open.taken = why;
    await closed(open);
  }

  async #takeTransmitter(why: string): Promise<void> {
    const open = this.#transmit;
    this.#transmit = undefined;
    this.#leftAt = 0;
    this.#stuck = 0;
    if (open === undefined) return;
    open.taken = why;
    await closed(open);
  }

  async #receiver(): Promise<Open> {
    this.#receive ??= this.#open(modemDevice.receive);
    const open = this.#receive;
    try {
      await open.buffer;
      return open;
    } catch (error) {
      if (this.#receive === open) this.#receive = undefined;
      throw error;
    }
  }

  async #transmitter(): Promise<Open> {
    this.#transmit ??= this.#open(modemDevice.transmit);
    const open = this.#transmit;
    try {
      await open.buffer;
      return open;
    } catch (error) {
      if (this.#transmit === open) this.#transmit = undefined;
      throw error;
    }
  }

  /** Those who ask at the same time have the same one. */
  #open(device: string): Open {
    const buffer = this.#context.open(device, { samples: BLOCK_BYTES, mask: CHANNEL });
    buffer.catch(() => undefined);
    return { buffer, taken: undefined };
  }
}

async function closed({ buffer }: Open): Promise<void> {
  const opened = await buffer.catch(() => undefined);
  await opened?.close();
}
