/**
 * Which samples became the current value of their measure, found by looking at each of them in turn, with objects and
 * by code that shares nothing with the runtime: what the values route would show, one after the other. Mission Control
 * Service, section 4.1 rule 10; decisions 6 and 23.
 *
 * C1. Messages count in the order of the stream, the samples of a message in that of their ground times.
 * C2. Older is what has an earlier `time`, or the same and an earlier ground time; of real-time samples more than ten
 *     minutes apart the ground time decides, also behind a deferred one; not ahead of one, which is as old as it says.
 */

import { decodeBatch, type ValueBatch } from '../../../contract/batch.ts';
import type { Platform } from '../../../mission/platform.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';

export interface FoundSample {
  readonly measure: string;
  /** On-board time, where there is none ground time. */
  readonly time: number;
  readonly ground: number;
  readonly value: number;
  readonly deferred: boolean;
  /** Block and index in it. */
  readonly place: readonly [block: number, index: number];
  /** Whether it became the current value. */
  readonly isCurrent: boolean;
  /** Whether its batch says that it did not. */
  readonly isMarked: boolean;
}

const APART_MS = 600_000;

export class CurrentSamples {
  readonly known = new Map<string, FoundSample>();
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** The samples of the next message of the stream, in their order. */
  take({ data }: StoredMessage): FoundSample[] {
    const batch = decodeBatch<ValueBatch>(data);
    const samples = samplesOf(batch, this.#platform);
    return samples.map((sample) => {
      const before = this.known.get(sample.measure);
      const found = { ...sample, isCurrent: before === undefined || !isOlder(sample, before) };
      if (found.isCurrent) this.known.set(sample.measure, found);
      return found;
    });
  }
}

type Drawn = Omit<FoundSample, 'isCurrent'>;

function isOlder(one: Drawn, known: Drawn): boolean {
  const apart = one.time - known.time;
  const wasSet = one.deferred ? !known.deferred && apart > 0 : !known.deferred || apart < 0;
  if (Math.abs(apart) > APART_MS && wasSet) return one.ground < known.ground;
  return apart < 0 || (apart === 0 && one.ground < known.ground);
}

function samplesOf({ blocks, deferred }: ValueBatch, { measures }: Platform): Drawn[] {
  const samples = blocks.flatMap((block, nth) =>
    [...block.ground].flatMap((ground, row) =>
      [...block.ordinals].map((ordinal, column): Drawn => {
        const index = row * block.ordinals.length + column;
        const onboard = block.onboard[row]!;
        return {
          measure: measures[ordinal]!.key,
          time: Number.isNaN(onboard) ? ground : onboard,
          ground,
          value: block.value[index]!,
          deferred: deferred || block.deferred === true,
          place: [nth, index],
          isMarked: block.superseded?.includes(index) === true,
        };
      }),
    ),
  );
  return samples.sort((one, other) => one.ground - other.ground);
}
