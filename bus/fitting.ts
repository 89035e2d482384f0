/**
 * Streams that are made for a rate, on a bus that has no room for all of it. A server reserves the size of a stream
 * when it is made, and does not say for how much it has room.
 *
 * Z1. What is refused for its size is tried with half of it, again and again, down to `STREAM_BYTES_LEAST`; all that
 *     are made from then on are as much smaller, and those this process has just made are made smaller alike: none of
 *     them takes the room of the others.
 * Z2. What cannot be had by any size is refused with the first refusal.
 * Z3. What a stream keeps, and for how long at the rate it is made for, is in the log once.
 * Z4. One whose size or rate is stated by the installation gives nothing of it to those that are as declared: they are
 *     made smaller first.
 * Z5. A cluster refuses in the same words what is too large and what has too few servers: nothing else is made smaller
 *     before it has taken some size.
 */

import type { StreamConfig } from 'nats';
import { STREAM_BYTES_LEAST } from '../contract/limits/bus.ts';
import type { Log } from '../ports/log.ts';
import { ApiError, apiError } from './fault.ts';

type Sized = Partial<StreamConfig> & { readonly name: string };

/** Refusals that may be for the size: of the account, of the server, of a cluster. */
const NO_ROOM = [
  apiError.accountResources,
  apiError.storageResources,
  apiError.accountStreamBytes,
  apiError.noPeers,
  apiError.tooFewResources,
] as const;

/** Streams that share what the first of them has found (`contract/bus/streams.ts`). */
const SHARING = 4;

export class Fitting {
  readonly #log: Log;
  readonly #shrink: (config: Sized) => Promise<void>;
  /** Bytes a second that streams are made for, by name. */
  readonly #rates = new Map<string, number>();
  readonly #stated = new Set<string>();
  readonly #made = new Map<string, Sized>();
  readonly #reported = new Map<string, number>();
  #share = 1;

  constructor(log: Log, shrink: (config: Sized) => Promise<void>) {
    this.#log = log;
    this.#shrink = shrink;
  }

  /** A stream of that name is made for a rate, as declared or as an installation states. */
  sized(name: string, bytesPerS: number, isStated: boolean): void {
    this.#rates.set(name, bytesPerS);
    if (isStated) this.#stated.add(name);
    else this.#stated.delete(name);
  }

  /** Other sizes may be wanted from now on: what was fitted is no measure for them. */
  forget(): void {
    this.#share = 1;
    this.#made.clear();
  }

  isTooLarge(error: unknown, { name }: Sized): boolean {
    return this.#rates.has(name) && error instanceof ApiError && error.is(...NO_ROOM);
  }

  /** Z1, Z2, Z4 */
  async made<Made>(config: Sized, make: (config: Sized) => Promise<Made>): Promise<Made> {
    if (!this.#rates.has(config.name)) return make(config);
    const isStated = this.#stated.has(config.name);
    const before = this.#share;
    let own = 1;
    let first: unknown;
    for (;;) {
      const share = this.#share;
      const fitted = sizedBy(config, isStated ? own : share * own);
      try {
        const made = await make(fitted);
        if (!isStated) await this.#keep(config, own);
        return made;
      } catch (error) {
        first ??= error;
        if (!this.isTooLarge(error, config)) throw error;
        const isLeast = (fitted.max_bytes ?? 0) <= STREAM_BYTES_LEAST;
        const isAlone = isOfCluster(error) || (isStated && !this.#hasRoomToGive());
        if (isLeast && (isAlone || !isStated)) {
          this.#share = before;
          throw first;
        }
        if (isAlone) own /= 2;
        else await this.#halve(share);
      }
    }
  }

  /** One that a cluster took at a smaller size only: that is shared with those that come. */
  async #keep(config: Sized, own: number): Promise<void> {
    this.#made.set(config.name, config);
    if (own === 1) return;
    this.#share *= own / SHARING;
    for (const other of this.#made.values()) await this.#shrink(sizedBy(other, this.#share));
  }

  /** Another one may have been refused meanwhile, and halved it already. */
  async #halve(share: number): Promise<void> {
    if (this.#share === share) this.#share = share / 2;
    for (const other of this.#made.values()) await this.#shrink(sizedBy(other, this.#share));
  }

  #hasRoomToGive(): boolean {
    return [...this.#made.values()].some(
      ({ max_bytes: wanted = 0 }) => wanted * this.#share > STREAM_BYTES_LEAST,
    );
  }

  /** Z3 */
  report({ name, max_bytes: wanted = 0 }: Sized, bytes: number, isUntouched: boolean): void {
    const bytesPerS = this.#rates.get(name);
    if (bytesPerS === undefined || isUntouched || bytes >= wanted || bytes <= 0) return;
    if (this.#reported.get(name) === bytes) return;
    this.#reported.set(name, bytes);
    this.#log.warn(
      {
        stream: name,
        bytes,
        wanted,
        keeps_s: Math.round(bytes / bytesPerS),
        wanted_s: Math.round(wanted / bytesPerS),
        at_bytes_per_s: bytesPerS,
      },
      'stream is smaller than it is meant to be: the bus has no room for more (max_file of nats-server, limits of the ' +
        'account; or state less in nats.streams of the config document)',
    );
  }
}

/** Z5 */
function isOfCluster(error: unknown): boolean {
  return error instanceof ApiError && error.is(apiError.noPeers, apiError.tooFewResources);
}

function sizedBy(config: Sized, share: number): Sized {
  const wanted = config.max_bytes ?? 0;
  return { ...config, max_bytes: Math.max(Math.min(wanted, STREAM_BYTES_LEAST), Math.floor(wanted * share)) };
}
