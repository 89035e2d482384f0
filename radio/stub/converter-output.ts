/**
 * The sample buffer of the modelled transmit core: samples that another tool writes leave instead of what the modem
 * sends, at the sample rate of the part.
 *
 * O1. While the buffer is open its samples are selected, also where there are none (then zeros leave), unless the
 *     register of the core says otherwise.
 * O2. A write is done when the queue has room for it; one that finds none in time is refused and nothing of it leaves.
 *     What the queue holds is bounded.
 * O3. A cyclic transfer repeats until the buffer is closed; there is one.
 * O4. What has left stays known for as long as a receiver may still ask for it.
 */

import { errno, IioFailure } from '../iio/context.ts';
import { MODEL } from './constants.ts';
import type { SampleClock } from './sample-clock.ts';

/** How a buffer of a converter core was opened. */
export interface ConverterOpening {
  /** Scan indices, rising: I and Q of the first channel, then of the second. */
  readonly channels: readonly number[];
  /** Of one block. */
  readonly samples: number;
  readonly cyclic: boolean;
  /** Blocks that the driver holds. */
  readonly blocks: number;
}

/** Samples that leave from one count on; a repeated one has no end of its own. */
interface Segment {
  readonly start: number;
  end: number;
  readonly samples: number;
  readonly channels: readonly number[];
  /** Of all channels in turn. */
  readonly values: Int16Array;
}

/** Samples that pictures look back on. */
const SHOWN_SAMPLES = 16_384;

export class ConverterOutput {
  readonly #clock: SampleClock;
  readonly #changed: () => void;
  /** In the order of their leaving. */
  #segments: Segment[] = [];
  #opening: ConverterOpening | undefined;
  #selected = false;
  #underflow = false;
  #turn: Promise<unknown> = Promise.resolve();
  /** How far back a receiver may ask. */
  keep = 0;

  constructor(clock: SampleClock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Its samples leave, not those of the modem. */
  get isSelected(): boolean {
    return this.#selected;
  }

  /** As the register of the core selects. */
  select(on: boolean): void {
    if (this.#selected === on) return;
    this.#selected = on;
    this.#changed();
  }

  /** The queue ran dry since this was last cleared. */
  get underflow(): boolean {
    this.#noteUnderflow();
    return this.#underflow;
  }

  clearUnderflow(): void {
    this.#underflow = false;
  }

  open(opening: ConverterOpening): void {
    this.#opening = opening;
    this.select(true);
  }

  /** Ends what is left to send; writes that wait are refused by their caller. */
  close(): void {
    const { count } = this.#clock;
    this.#segments = this.#segments.filter(({ start }) => start < count);
    for (const segment of this.#segments) segment.end = Math.min(segment.end, count);
    this.#opening = undefined;
    this.#clock.release(this);
    this.select(false);
  }

  /** Resolves when the driver has taken the samples; rejects with ETIMEDOUT (O2). */
  write(data: Uint8Array, timeoutMs: number): Promise<void> {
    const turn = this.#turn.then(() => this.#take(data, timeoutMs));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** What leaves of one channel (0 to 3), as written; zeros where nothing does. */
  fill(values: Float64Array, from: number, channel: number): void {
    values.fill(0);
    for (const { start, end, samples, channels, values: own } of this.#segments) {
      const place = channels.indexOf(channel);
      if (place < 0) continue;
      const last = Math.min(end, from + values.length);
      const first = Math.max(start, from);
      const step = channels.length;
      let sample = (first - start) % samples;
      for (let at = first; at < last; at += 1) {
        values[at - from] = own[sample * step + place]!;
        sample = sample + 1 === samples ? 0 : sample + 1;
      }
    }
  }

  async #take(data: Uint8Array, timeoutMs: number): Promise<void> {
    const opening = this.#opening;
    if (opening === undefined) throw new IioFailure(errno.EBADF, 'the buffer was closed');
    const values = new Int16Array(data.slice().buffer, 0, Math.floor(data.length / 2));
    const samples = Math.floor(values.length / opening.channels.length);
    if (samples === 0 || samples > opening.samples)
      throw new IioFailure(errno.EINVAL, `${samples} samples for blocks of ${opening.samples}`);
    await this.#room(opening, timeoutMs);
    this.#noteUnderflow();
    const start = Math.max(this.#clock.count, this.#last);
    const end = opening.cyclic ? Number.POSITIVE_INFINITY : start + samples;
    this.#segments.push({ start, end, samples, channels: opening.channels, values });
  }

  async #room(opening: ConverterOpening, timeoutMs: number): Promise<void> {
    this.#forget();
    if (opening.cyclic && this.#segments.some(({ end }) => end === Number.POSITIVE_INFINITY))
      throw new IioFailure(errno.EBUSY, 'a cyclic transfer is under way');
    const waiting = this.#segments.filter(({ end }) => end > this.#clock.count);
    if (waiting.length < opening.blocks) return;
    const oldest = waiting[waiting.length - opening.blocks]!;
    const hasRoom = await this.#clock.reach(oldest.end, timeoutMs, this);
    if (this.#opening !== opening) throw new IioFailure(errno.EBADF, 'the buffer was closed');
    if (!hasRoom) throw new IioFailure(errno.ETIMEDOUT, 'no room for the block in time');
  }

  get #last(): number {
    return this.#segments.at(-1)?.end ?? 0;
  }

  #noteUnderflow(): void {
    const isDry = this.#segments.length > 0 && this.#last < this.#clock.count;
    if (this.#opening !== undefined && isDry) this.#underflow = true;
  }

  /** O4 */
  #forget(): void {
    const { count } = this.#clock;
    this.#segments = this.#segments.filter(
      ({ end }, place, all) => end > count - Math.max(SHOWN_SAMPLES, this.keep) || place === all.length - 1,
    );
  }
}

/** How many blocks of a size the driver holds: as asked for, within what all of them may take. */
export function blocksHeld(blockBytes: number, asked: number = MODEL.driverBlocks): number {
  if (blockBytes > MODEL.driverBlockBytes)
    throw new IioFailure(
      errno.ENOMEM,
      `a block of ${blockBytes} bytes; the driver has at most ${MODEL.driverBlockBytes} for one`,
    );
  const fit = Math.floor((MODEL.driverBlocks * MODEL.driverBlockBytes) / blockBytes);
  return Math.max(1, Math.min(asked, fit));
}
