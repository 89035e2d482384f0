/**
 * Which samples became the current value of their measure, found by looking at each of them in turn, with objects and
 * by code that shares nothing with the runtime: what the values route would show, one after the other. Mission Control
 * Service, section 4.1 rule 10; decisions 6 and 23.
 *
 * C1. Messages count in the order of the stream, the samples of a message in that of their ground times.
 * C2. Older is what has an earlier `time`, or the same and an earlier ground time; of real-time samples more than ten
 *     minutes apart the ground time decides, also behind a deferred one; not ahead of one, which is as old as it says.
 * C3. A message that has passed another one on its way to the stream (ordered-append.Q6) may be marked by what its
 *     owner knew of that one: what is older than that was never current.
 */

import { decodeBatch, type ValueBatch } from '../../../contract/batch.ts';
import { header } from '../../../contract/bus/headers.ts';
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
  readonly #values: readonly StoredMessage[];

  /** `values`: the whole stream, also of other targets. */
  constructor(platform: Platform, values: readonly StoredMessage[]) {
    this.#platform = platform;
    this.#values = values;
  }

  /** The samples of the next message of the stream, in their order. */
  take(message: StoredMessage): FoundSample[] {
    const samples = samplesOf(message, this.#platform);
    const passed = samples.some(({ isMarked }) => isMarked) ? this.#passedBy(message) : [];
    return samples.map((sample) => {
      const before = this.known.get(sample.measure);
      const wasOlder = passed.some((other) => other.measure === sample.measure && isOlder(sample, other));
      const isOlderNow = before !== undefined && isOlder(sample, before);
      const found = { ...sample, isCurrent: !isOlderNow && !(sample.isMarked && wasOlder) };
      if (found.isCurrent) this.known.set(sample.measure, found);
      return found;
    });
  }

  /** C3 */
  #passedBy({ seq, subject, headers }: StoredMessage): Drawn[] {
    const source = Number(headers[header.source]);
    return this.#values
      .filter((other) => other.subject === subject && other.seq > seq)
      .filter((other) => Number(other.headers[header.source]) < source)
      .flatMap((other) => samplesOf(other, this.#platform));
  }
}

type Drawn = Omit<FoundSample, 'isCurrent'>;

function isOlder(one: Drawn, known: Drawn): boolean {
  const apart = one.time - known.time;
  const wasSet = one.deferred ? !known.deferred && apart > 0 : !known.deferred || apart < 0;
  if (Math.abs(apart) > APART_MS && wasSet) return one.ground < known.ground;
  return apart < 0 || (apart === 0 && one.ground < known.ground);
}

function samplesOf({ data }: StoredMessage, { measures }: Platform): Drawn[] {
  const { blocks, deferred } = decodeBatch<ValueBatch>(data);
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
