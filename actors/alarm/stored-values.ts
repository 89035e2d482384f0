/**
 * What is stored of the values of a target, read into the evaluation of its alarms. Part of the alarm service.
 * Architecture, "Life of a sample".
 *
 * V1. What is no batch of values is left out and said; it stays in the stream. Taken, it would fail, and be handed over
 *     for ever.
 */

import type { ValueBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { ALARM_REPLAY_MARGIN_MS } from '../../contract/limits/alarm.ts';
import type { AlarmWatch, KnownSample, ReadValues } from '../../ports/alarm-watch.ts';
import type { Bus, Follower, StreamMessage } from '../../ports/bus.ts';
import type { Log } from '../../ports/log.ts';

interface StoredValuesOptions {
  readonly bus: Bus;
  readonly log: Log;
  readonly readValues: ReadValues;
  readonly target: string;
}

/**
 * From when on the values matter to an evaluation, where the last one that counts was stored at `storedAt`, ms since
 * 1970.
 */
export function firstRead(storedAt: number, watch: AlarmWatch | undefined): number {
  return Math.max(0, storedAt - (watch?.spanMs ?? 0) - ALARM_REPLAY_MARGIN_MS);
}

/** Gives the watch what was known before `from`: what is stored since then it reads itself. */
export function primeBefore(
  watch: AlarmWatch | undefined,
  known: readonly KnownSample[],
  from: number,
): void {
  watch?.prime(known.filter(({ at }) => at < from));
}

export class StoredValues {
  readonly #options: StoredValuesOptions;
  #follower: Follower | undefined;
  #stopped = false;

  constructor(options: StoredValuesOptions) {
    this.#options = options;
  }

  /** The values in a message (V1). */
  batchOf({ data, seq }: StreamMessage): ValueBatch | undefined {
    const { log, target, readValues } = this.#options;
    const batch = readValues(data);
    if (batch === undefined)
      log.error({ position: seq, target }, 'message that is no batch of values: left out');
    return batch;
  }

  /**
   * Lets a watch take in what was stored since `from`, of the messages that are `wanted`. Rejects with `Outage`, also
   * when it is stopped.
   */
  async read(watch: AlarmWatch, from: number, wanted: (message: StreamMessage) => boolean): Promise<void> {
    if (this.#stopped) return;
    const { bus, target } = this.#options;
    const take = (message: StreamMessage): void => {
      const batch = wanted(message) ? this.batchOf(message) : undefined;
      if (batch !== undefined) watch.apply(batch, message.seq);
    };
    const since = { from: 'time', at: from } as const;
    const follower = await bus.follow(streams.values, subject.values(target), since, take);
    this.#follower = follower;
    try {
      await (this.#stopped ? undefined : follower.caughtUp);
    } finally {
      await follower.stop();
    }
  }

  /** Ends the reading in progress. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#follower?.stop();
  }
}
