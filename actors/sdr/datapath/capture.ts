/**
 * Blocks captured: what is discarded, what is kept, and what went wrong meanwhile. RF Bench Service, section 4, rule 8.
 *
 * G1. A short capture is refused whole: no byte of it is answered.
 * G2. What was captured, without what was discarded, goes to the frames.
 * G3. Losses and corrections are reported only where the counters were read on both sides of the capture.
 * G4. Whoever waits may give up: the capture ends between two reads, or with the one under way.
 */

import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';
import type { Refusable } from '../../../ports/bench.ts';
import type { Clock } from '../../../ports/clock.ts';
import { errno, IioFailure } from '../../../radio/iio/context.ts';
import { refuse } from '../radio/board-fault.ts';
import type { EventSink } from '../radio/board-user.ts';
import type { Work } from '../radio/board-work.ts';
import { word } from '../radio/status.ts';
import type { Feed } from './buffers.ts';
import { blocksAtOnce, type Terms } from './terms.ts';

/** What the frames of a capture carry beside their bytes. */
export interface Captured {
  readonly bytes: Buffer;
  readonly fecStatus: string;
}

const LOOK = 'GET /api/v1/chain names the first missing step';

export class Capture {
  readonly #clock: Clock;
  readonly #events: EventSink;

  constructor(clock: Clock, events: EventSink) {
    this.#clock = clock;
    this.#events = events;
  }

  /**
   * The blocks behind those that are discarded; refused with `timeout` when they do not all come. `feed` begins what is
   * captured: losses are counted around it.
   */
  async take(work: Work, terms: Terms, feed?: () => Promise<Feed>): Promise<Refusable<Captured>> {
    const before = await counters(work);
    const fed = await feed?.();
    const signals = [work.signal, fed?.ended].flatMap((signal) => signal ?? []);
    const got = await this.#blocks(work, terms, AbortSignal.any(signals)).finally(() => fed?.end());
    const after = await counters(work);
    this.#reportLosses(before, after);
    if (!got.ok) return got;
    return { ok: true, value: { bytes: got.value, fecStatus: fecStatus(work, before, after) } };
  }

  async #blocks(work: Work, terms: Terms, given: AbortSignal): Promise<Refusable<Buffer>> {
    const wanted = terms.warmup + terms.blocks;
    const endsAt = this.#clock.now() + terms.timeoutMs;
    const atOnce = blocksAtOnce(terms);
    const kept: Uint8Array[] = [];
    for (let got = 0; got < wanted; ) {
      if (given.aborted) return withdrawn(got, wanted, given.reason);
      const until = got < terms.warmup ? terms.warmup : wanted;
      const count = Math.min(atOnce, until - got);
      const leftMs = endsAt - this.#clock.now();
      const part = leftMs > 0 ? await this.#read(work, count, { leftMs, given }) : undefined;
      if (part === 'withdrawn') return withdrawn(got, wanted, given.reason);
      if (part === undefined) return this.#short(got, terms);
      if (got >= terms.warmup) kept.push(part);
      got += count;
    }
    return { ok: true, value: Buffer.concat(kept) };
  }

  /** Undefined when the time is over. */
  async #read(
    { board: { buffers } }: Work,
    count: number,
    { leftMs, given }: { readonly leftMs: number; readonly given: AbortSignal },
  ): Promise<Uint8Array | undefined | 'withdrawn'> {
    const giveUp = (): void => void buffers.closeReceiver();
    given.addEventListener('abort', giveUp, { once: true });
    try {
      return await buffers.read(count * BLOCK_BYTES, Math.ceil(leftMs));
    } catch (error) {
      if (given.aborted) return 'withdrawn';
      if (error instanceof IioFailure && error.errno === errno.ETIMEDOUT) return undefined;
      throw error;
    } finally {
      given.removeEventListener('abort', giveUp);
    }
  }

  /** G1 */
  #short(got: number, { blocks, warmup, timeoutMs }: Terms): Refusable<never> {
    const message =
      `the chain did not sustain the blocks: ${got} of ${blocks + warmup} came within ${timeoutMs} ms ` +
      `(${warmup} of them to be discarded); a short capture is not returned`;
    this.#events.record({ kind: 'capture.timeout', source: 'datapath', severity: 'warning', message });
    return refuse('timeout', message, { help: `something has to be on the air: ${LOOK}` });
  }

  #reportLosses(before: Counters, after: Counters): void {
    for (const [name, kind] of [
      ['overflow', 'dma.overflow'],
      ['underflow', 'dma.underflow'],
    ] as const) {
      const lost = countedSince(name, before, after);
      if (lost === undefined || lost <= 0) continue;
      const message =
        name === 'overflow'
          ? `${lost} received blocks were lost for lack of room`
          : `${lost} blocks reached the transmitter late`;
      this.#events.record({ kind, source: 'datapath', severity: 'warning', message });
    }
  }
}

type CounterName = 'overflow' | 'underflow' | 'corrected' | 'uncorrectable';
type Counters = Readonly<Record<CounterName, number | undefined>>;

async function counters({ board }: Work): Promise<Counters> {
  const read = async (name: CounterName): Promise<number | undefined> => {
    const seen = await word(board, name);
    return 'value' in seen ? seen.value : undefined;
  };
  return {
    overflow: await read('overflow'),
    underflow: await read('underflow'),
    corrected: await read('corrected'),
    uncorrectable: await read('uncorrectable'),
  };
}

/** Undefined where one of the two readings is not known: a counter that did not answer has not counted from 0. */
function countedSince(name: CounterName, before: Counters, after: Counters): number | undefined {
  const [from, to] = [before[name], after[name]];
  return from === undefined || to === undefined ? undefined : to - from;
}

/** Of all blocks of a capture together: the board counts them so. */
function fecStatus({ record }: Work, before: Counters, after: Counters): string {
  if (record.applied?.profile.fec?.outer !== 'rs-255-223') return 'none';
  const uncorrectable = countedSince('uncorrectable', before, after);
  const corrected = countedSince('corrected', before, after);
  if (uncorrectable === undefined || corrected === undefined) return 'unknown';
  if (uncorrectable > 0) return 'uncorrectable';
  return corrected > 0 ? `corrected ${corrected}` : 'clean';
}

/** Whoever ended what was fed says why. */
function withdrawn(got: number, wanted: number, reason: unknown): Refusable<never> {
  const why = typeof reason === 'string' ? `: ${reason}` : '';
  return refuse('conflict', `withdrawn after ${got} of ${wanted} blocks${why}`);
}
