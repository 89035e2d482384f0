/**
 * The sample buffer of the modelled receive core: blocks at the pace of the sample rate, for one reader.
 *
 * I1. A read gets the samples that follow those of the read before; a reader that falls behind by more than the driver
 *     holds loses whole blocks, and the register of the core shows it.
 * I2. No samples are ahead of their time, and none come while the port of the part stands still: the read is then late.
 * I3. Samples are made in pieces, so that whoever stops a transmitter meanwhile waits for one of them at most; how many
 *     are made each second is bounded as by a cable.
 */

import type { Clock } from '../../ports/clock.ts';
import { errno, IioFailure } from '../iio/context.ts';
import type { AirSamples } from './air-samples.ts';
import { MODEL } from './constants.ts';
import type { ConverterOpening, ConverterOutput } from './converter-output.ts';
import type { SampleClock } from './sample-clock.ts';

interface InputParts {
  readonly clock: Clock;
  readonly samples: SampleClock;
  readonly air: AirSamples;
  readonly output: ConverterOutput;
}

export class ConverterInput {
  readonly #parts: InputParts;
  #opening: ConverterOpening | undefined;
  #next = 0;
  #overflow = false;
  /** When the cable has carried what was read. */
  #carriedAt = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: InputParts) {
    this.#parts = parts;
  }

  /** Blocks were lost since this was last cleared. */
  get overflow(): boolean {
    return this.#overflow;
  }

  clearOverflow(): void {
    this.#overflow = false;
  }

  open(opening: ConverterOpening): void {
    this.#opening = opening;
    this.#next = this.#parts.samples.count;
    this.#parts.output.keep = opening.samples * (opening.blocks + 1);
  }

  close(): void {
    this.#opening = undefined;
    this.#parts.output.keep = 0;
    this.#parts.samples.release(this);
  }

  /** So many bytes, in turn behind earlier reads; rejects with ETIMEDOUT. */
  read(bytes: number, timeoutMs: number): Promise<Uint8Array> {
    const turn = this.#turn.then(() => this.#read(bytes, timeoutMs));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #read(bytes: number, timeoutMs: number): Promise<Uint8Array> {
    const opening = this.#opened();
    const { channels } = opening;
    const each = 2 * channels.length;
    const count = bytes / each;
    if (!Number.isInteger(count) || count < 1 || count > opening.samples)
      throw new IioFailure(
        errno.EINVAL,
        `${bytes} bytes for blocks of ${opening.samples} samples of ${each}`,
      );
    await this.#carried();
    if (this.#opening !== opening) throw closed();
    this.#catchUp(opening, count);
    const reached = await this.#parts.samples.reach(this.#next + count, timeoutMs, this);
    if (this.#opening !== opening) throw closed();
    if (!reached) throw new IioFailure(errno.ETIMEDOUT, `no ${count} samples in time`);
    const from = this.#next;
    this.#next = from + count;
    this.#carriedAt = this.#parts.clock.now() + (bytes * 1000) / MODEL.sampleBytesPerS;
    return this.#made(opening, from, count);
  }

  async #made(opening: ConverterOpening, from: number, count: number): Promise<Uint8Array> {
    const { channels } = opening;
    const values = new Int16Array(count * channels.length);
    for (let at = 0; at < count; at += MODEL.samplesAtOnce) {
      if (at > 0) await new Promise((resolve) => setImmediate(resolve));
      if (this.#opening !== opening) throw closed();
      const piece = Math.min(MODEL.samplesAtOnce, count - at);
      values.set(this.#parts.air.render(from + at, piece, channels), at * channels.length);
    }
    return new Uint8Array(values.buffer);
  }

  /** I1 */
  #catchUp({ samples, blocks }: ConverterOpening, count: number): void {
    const behind = this.#parts.samples.count - this.#next;
    const held = Math.max(count, samples * blocks);
    if (behind <= held) return;
    this.#overflow = true;
    this.#next += Math.ceil((behind - held) / samples) * samples;
  }

  /** I3 */
  async #carried(): Promise<void> {
    const { clock } = this.#parts;
    const leftMs = Math.ceil(this.#carriedAt - clock.now());
    if (leftMs > 0) await new Promise<void>((resolve) => void clock.setTimeout(resolve, leftMs));
  }

  #opened(): ConverterOpening {
    if (this.#opening === undefined) throw closed();
    return this.#opening;
  }
}

function closed(): IioFailure {
  return new IioFailure(errno.EBADF, 'the buffer was closed');
}
