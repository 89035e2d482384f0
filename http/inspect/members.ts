/**
 * Who the processes of the cell are, watched in `mcs_members` from the first question on: a question of the inspector
 * costs no reading of the bucket.
 *
 * M1. Nobody is listed before everything that stands in the bucket has been seen.
 * M2. While the bus is away nobody can be asked, so nobody is listed: the question is an outage.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { INSPECT_ANSWER_MS, INSPECT_GONE_MS } from '../../contract/limits/inspect.ts';
import { Outage } from '../../contract/outage.ts';
import { isToken } from '../../contract/token.ts';
import type { Bus, Entry, Watch } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';

export interface KnownProcess {
  readonly instance: string;
  /** Its last heartbeat, ms since 1970. */
  readonly seenAt: number;
}

const KEY = 'member.';

export class Members {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #seen = new Map<string, KnownProcess>();
  #watching: Promise<Watch> | undefined;

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** Every process that has not said goodbye and was received within `INSPECT_GONE_MS`, by name. */
  async known(): Promise<KnownProcess[]> {
    if (!this.#bus.connected) throw new Outage('bus.unavailable', 'no connection to the bus');
    await this.#inTime(this.#watch());
    const oldest = this.#clock.now() - INSPECT_GONE_MS;
    return [...this.#seen.values()]
      .filter(({ seenAt }) => seenAt >= oldest)
      .sort((one, other) => (one.instance < other.instance ? -1 : 1));
  }

  async stop(): Promise<void> {
    const watching = this.#watching;
    this.#watching = undefined;
    await watching?.then(
      (watch) => watch.stop(),
      () => undefined,
    );
  }

  #watch(): Promise<Watch> {
    this.#watching ??= this.#start().catch((error: unknown) => {
      this.#watching = undefined;
      throw error;
    });
    return this.#watching;
  }

  async #start(): Promise<Watch> {
    const bucket = this.#bus.bucket(buckets.members);
    const watch = await bucket.watch(`${KEY}*`, (key, entry) => this.#saw(key.slice(KEY.length), entry));
    await watch.ready;
    return watch;
  }

  /** M1 waits for the bus; a person does not wait forever. */
  async #inTime(watching: Promise<Watch>): Promise<void> {
    let cancel = (): void => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const timer = this.#clock.setTimeout(
        () => reject(new Outage('bus.unavailable', 'the members of the cell are not known yet')),
        INSPECT_ANSWER_MS,
      );
      cancel = () => this.#clock.clearTimeout(timer);
    });
    await Promise.race([watching, late]).finally(cancel);
  }

  #saw(instance: string, entry: Entry | undefined): void {
    if (entry === undefined || hasLeft(entry) || !isToken(instance)) this.#seen.delete(instance);
    else this.#seen.set(instance, { instance, seenAt: entry.at });
  }
}

function hasLeft(entry: Entry): boolean {
  try {
    return (JSON.parse(Buffer.from(entry.value).toString()) as { left?: unknown } | null)?.left === true;
  } catch {
    return false;
  }
}
