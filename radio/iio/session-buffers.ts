/**
 * The buffers that one client of the iiod server has open.
 *
 * U1. Whatever becomes of a client, its buffers are free when it has gone; a transfer under way is ended by that.
 * U2. A write that fails is refused when all its bytes are off the line.
 */

import { IIOD_BLOCK_BYTES, IIOD_BUFFERS_COUNT } from '../../contract/limits/bench.ts';
import type { ByteStream } from './byte-stream.ts';
import { errno, type IioBuffer, type IioDevice, IioFailure } from './context.ts';
import type { HeldBuffers } from './held-buffers.ts';
import { readMaskWords, sampleBytes } from './scan.ts';

interface SessionBuffersOptions {
  readonly buffers: HeldBuffers;
  readonly stream: ByteStream;
  readonly send: (...parts: (string | Uint8Array)[]) => Promise<void>;
}

interface Opening {
  readonly samples: number;
  /** As the protocol writes it. */
  readonly mask: string;
  readonly cyclic: boolean;
}

interface OpenBuffer {
  readonly buffer: IioBuffer;
  readonly mask: string;
  readonly sampleBytes: number;
  readonly blockBytes: number;
}

export class SessionBuffers {
  readonly #options: SessionBuffersOptions;
  readonly #open = new Map<string, OpenBuffer>();
  /** Blocks that the driver is to hold, by device. */
  readonly #counts = new Map<string, number>();
  #isOver = false;

  constructor(options: SessionBuffersOptions) {
    this.#options = options;
  }

  /** Keeps how many blocks the driver is to hold from the next opening on, and answers 0. */
  async count(device: IioDevice, blocks: number): Promise<void> {
    if (blocks < 1 || blocks > IIOD_BUFFERS_COUNT)
      throw new IioFailure(errno.EINVAL, `${blocks} blocks, where 1 to ${IIOD_BUFFERS_COUNT} are held`);
    this.#counts.set(device.id, blocks);
    await this.#options.send('0\n');
  }

  /** Opens the buffer of a device and answers 0. */
  async open(device: IioDevice, { samples, mask: words, cyclic }: Opening): Promise<void> {
    const mask = readMaskWords(device, words);
    if (mask === undefined || mask === 0)
      throw new IioFailure(errno.EINVAL, `no channels of ${device.name}: ${words}`);
    const bytes = sampleBytes(device, mask);
    const blockBytes = bytes * samples;
    if (blockBytes === 0 || blockBytes > IIOD_BLOCK_BYTES)
      throw new IioFailure(errno.EINVAL, `a block of ${blockBytes} bytes`);
    const blocks = this.#counts.get(device.id);
    const buffer = await this.#options.buffers.open(device.id, {
      samples,
      mask,
      cyclic,
      ...(blocks !== undefined && { blocks }),
    });
    this.#open.set(device.id, { buffer, mask: words.toLowerCase(), sampleBytes: bytes, blockBytes });
    if (this.#isOver) await this.release();
    await this.#options.send('0\n');
  }

  /** Frees it and answers 0. */
  async close(device: IioDevice): Promise<void> {
    const held = this.#open.get(device.id);
    if (held === undefined) throw new IioFailure(errno.ENXIO, `the buffer of ${device.name} is not open`);
    this.#open.delete(device.id);
    await held.buffer.close();
    await this.#options.send('0\n');
  }

  /**
   * Answers with blocks, each behind its length, the first with the channels also; with 0 where no sample is left to
   * give.
   */
  async read(device: IioDevice, bytes: number, timeoutMs: number): Promise<void> {
    const { buffer, mask, sampleBytes, blockBytes } = this.#held(device);
    let left = bytes;
    while (left >= sampleBytes) {
      const length = Math.min(left - (left % sampleBytes), blockBytes);
      const data = await buffer.read(length, timeoutMs);
      await this.#options.send(`${length}\n${left === bytes ? `${mask}\n` : ''}`, data);
      left -= length;
    }
    if (left > 0 || bytes === 0) await this.#options.send('0\n');
  }

  /** Answers 0, takes the bytes and answers how many. */
  async write(device: IioDevice, bytes: number, timeoutMs: number): Promise<void> {
    const { buffer, sampleBytes, blockBytes } = this.#held(device);
    const { stream, send } = this.#options;
    if (bytes === 0 || bytes % sampleBytes !== 0)
      throw new IioFailure(errno.EINVAL, `${bytes} bytes are not whole samples of ${sampleBytes}`);
    await send('0\n');
    for (let left = bytes; left > 0; ) {
      const data = await stream.bytes(Math.min(left, blockBytes));
      left -= data.length;
      await buffer.write(data, timeoutMs).catch(async (error: unknown) => {
        await stream.skip(left);
        throw error;
      });
    }
    await send(`${bytes}\n`);
  }

  /** U1 */
  async release(): Promise<void> {
    this.#isOver = true;
    const held = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(held.map(({ buffer }) => buffer.close()));
  }

  #held(device: IioDevice): OpenBuffer {
    const held = this.#open.get(device.id);
    if (held === undefined) throw new IioFailure(errno.EBADF, `the buffer of ${device.name} is not open`);
    return held;
  }
}
