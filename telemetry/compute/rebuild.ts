/**
 * What a new owner of a target reads before it goes on, so that its windows and holds are those of the owner before:
 * the current values of long ago, then the value stream over the span of the derived measures. Mission Control Service,
 * section 4.4 (evaluation).
 *
 * Y1. It reads up to the position the checkpoint covers and publishes nothing; what comes behind is decoded again.
 * Y2. Exact where every input has a sample within `DERIVED_REBUILD_MS` before the span. Of a rarer one what was held
 *     began with its last sample.
 */

import type { ValueBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { DERIVED_REBUILD_MS } from '../../contract/limits/value.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';
import type { CurrentValues } from '../current-values.ts';
import { earliestGround } from '../reading/row-order.ts';
import type { Compute } from './compute.ts';

interface RebuildOptions {
  readonly bus: Bus;
  readonly target: string;
  /** The computation of the present catalogue. */
  readonly compute: () => Compute | undefined;
  /** What the checkpoint holds. */
  readonly values: CurrentValues;
  /** The position in the value stream that it covers, and when the stream had its last message. */
  readonly position: number;
  readonly atMs: number;
  /** The batch in the message, in the present catalogue; undefined when there is none. */
  readonly read: (message: StreamMessage) => Promise<PublishedBatch | undefined>;
}

export interface PublishedBatch {
  readonly batch: ValueBatch;
  /** The moment of a batch that no sample caused, negative infinity for the others. */
  readonly turnedMs: number;
}

/** Makes the computation what it was for the owner before. Rejects with `Outage`. */
export async function rebuild(options: RebuildOptions): Promise<void> {
  const { compute, values, atMs } = options;
  const spanMs = compute()?.spanMs ?? 0;
  if (spanMs > 0) await readBack(Math.max(0, atMs - spanMs - DERIVED_REBUILD_MS), options);
  compute()?.restore(values);
  compute()?.resume();
}

/**
 * The samples of before go first: an owner that was behind stored old ones late, so they are given by their ground
 * time.
 */
async function readBack(fromMs: number, options: RebuildOptions): Promise<void> {
  const { bus, target, compute, values, position, read } = options;
  let begun = false;
  const learn = async (message: StreamMessage): Promise<void> => {
    const published = message.seq <= position ? await read(message) : undefined;
    if (published === undefined) return;
    const { batch, turnedMs } = published;
    const first = earliestGround(batch.blocks);
    if (!begun && Number.isFinite(first)) {
      begun = true;
      compute()?.restore(values, Math.min(fromMs, first));
    }
    compute()?.learn(batch, turnedMs);
  };
  const from = { from: 'time', at: fromMs } as const;
  const follower = await bus.follow(streams.values, subject.values(target), from, learn);
  await follower.caughtUp;
  await follower.stop();
}
