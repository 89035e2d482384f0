/**
 * The samples of a few measures of one target, read from its value stream in the order of reception, from a time on.
 * Mission Control Service, section 6. Which samples count and what they are is the affair of `telemetry/reading/`.
 *
 * W1. No sample stored since that time is missed, also when the stream was first reached late: it is asked for until
 *     the bus lets it.
 * W2. The platform of a batch is found before the next one is taken; a message that is no batch of values is skipped.
 */

import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { BusPosition } from '../../contract/link.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Platform } from '../../mission/platform.ts';
import type { Bus, Follower, StreamMessage } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { isBehind } from '../../telemetry/reading/bus-position.ts';
import {
  MeasureReader,
  type ReadSample,
  type WantedMeasure,
} from '../../telemetry/reading/measure-reader.ts';
import { valuesIn } from '../../telemetry/reading/values-in.ts';

/** A sample of a watched measure. */
export interface Row extends ReadSample {
  /** Whether it was received behind the position that was given. */
  readonly isBehind: boolean;
}

export interface ValueStreamOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly target: string;
  /** What the bus stored at this time and later is read. */
  readonly from: number;
  readonly watched: readonly WantedMeasure[];
  /** Where the bus stood, for `isBehind` of the rows. */
  readonly position: BusPosition | undefined;
  /** The platform with this digest, known or of that revision of the configuration (W2). */
  readonly platformOf: (digest: string, revision: string | undefined) => Promise<Platform | undefined>;
  /** Rows of one message in the order of their ground time; `atHead`: nothing stored before is still to come. */
  readonly hear: (rows: readonly Row[], atHead: boolean) => void;
  readonly signal: AbortSignal;
}

export class ValueStream {
  readonly #options: ValueStreamOptions;
  readonly #reader: MeasureReader;
  /** By digest, found when a first batch of it comes; undefined: the revision that its batch names does not have it. */
  readonly #platforms = new Map<string, Platform | undefined>();
  #follower: Follower | undefined;
  #position = 0;
  #waiting: (() => void)[] = [];

  constructor(options: ValueStreamOptions) {
    this.#options = options;
    this.#reader = new MeasureReader(options.watched);
    options.signal.addEventListener('abort', () => this.#stop(), { once: true });
  }

  /** Resolves when everything stored before the call has been received, or `signal` ended it. */
  async caughtUp(): Promise<void> {
    const { bus, clock, signal, target, from } = this.#options;
    const reached = await retryWhileBusIsAway({ clock, signal }, async () => {
      this.#follower ??= await bus.follow(
        streams.values,
        subject.values(target),
        { from: 'time', at: from },
        (message) => this.#hear(message),
      );
      if (signal.aborted) this.#stop();
      return this.#follower.caughtUp;
    });
    this.#position = Math.max(this.#position, reached?.value ?? 0);
  }

  /** Once caught up: resolves when everything stored before this call has been received too, or `signal` ended it. */
  async drained(): Promise<void> {
    const { bus, clock, signal, target } = this.#options;
    const stored = await retryWhileBusIsAway({ clock, signal }, () =>
      bus.last(streams.values, subject.values(target)),
    );
    const end = stored?.value?.seq ?? 0;
    while (this.#position < end && !signal.aborted) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #stop(): void {
    void this.#follower?.stop().catch(() => undefined);
    this.#wake();
  }

  async #hear(message: StreamMessage): Promise<void> {
    const { signal, hear, position, log } = this.#options;
    if (signal.aborted) return;
    const batch = valuesIn(message, log);
    const platform = batch && (await this.#platformOf(batch.platform, message.headers[header.config]));
    if (signal.aborted) return;
    const samples = batch === undefined || platform === undefined ? [] : this.#reader.read(batch, platform);
    const behind = position !== undefined && isBehind(message, position);
    hear(
      samples.map((sample) => ({ ...sample, isBehind: behind })),
      message.pending === 0,
    );
    this.#position = message.seq;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** W2 */
  async #platformOf(digest: string, revision: string | undefined): Promise<Platform | undefined> {
    if (this.#platforms.has(digest)) return this.#platforms.get(digest);
    const { clock, signal, platformOf } = this.#options;
    const found = await retryWhileBusIsAway({ clock, signal }, () => platformOf(digest, revision));
    if (found === undefined) return undefined;
    // A catalogue that its own revision does not have is gone: nothing is read from it.
    if (found.value !== undefined || revision !== undefined) this.#platforms.set(digest, found.value);
    return found.value;
  }
}
