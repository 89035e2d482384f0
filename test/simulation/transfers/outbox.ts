/** What the far side stores on the bus, in its order: while the server is away, or streams have no leader, it waits. */

import type { StreamDefinition } from '../../../contract/bus/streams.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { TwinServer } from '../twin/server.ts';

const AGAIN_MS = 100;
/** Who has stored what is stored here. */
export const FAR_SIDE = 'far-side';

interface OutboxOptions {
  readonly clock: Clock;
  readonly server: TwinServer;
  readonly isSilent: () => boolean;
}

interface Outgoing {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly id: string;
  readonly removal?: boolean;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #waiting: (() => void)[] = [];
  #isArmed = false;
  #overwritten = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  append(stream: StreamDefinition, outgoing: Outgoing): void {
    this.#put(() => this.#options.server.stream(stream), outgoing);
  }

  overwrite(bucket: { readonly name: string }, key: string, data: Uint8Array): void {
    this.#write(bucket, key, data, false);
  }

  remove(bucket: { readonly name: string }, key: string): void {
    this.#write(bucket, key, new Uint8Array(), true);
  }

  #write(bucket: { readonly name: string }, key: string, data: Uint8Array, removal: boolean): void {
    const subject = `$KV.${bucket.name}.${key}`;
    this.#overwritten += 1;
    const id = `${subject} ${FAR_SIDE} ${this.#overwritten}`;
    this.#put(() => this.#options.server.bucket(bucket), { subject, data, id, removal });
  }

  #put(
    stream: () => ReturnType<TwinServer['stream']>,
    { subject, data, headers = {}, id, removal = false }: Outgoing,
  ): void {
    const { server } = this.#options;
    const rest = { expect: undefined, writer: FAR_SIDE, by: FAR_SIDE, removal };
    this.#waiting.push(() => server.publish(stream(), { subject, data, headers, id, ...rest }));
    this.#drain();
  }

  #drain(): void {
    const { server, isSilent, clock } = this.#options;
    while (this.#waiting.length > 0 && server.up && !isSilent()) this.#waiting.shift()!();
    if (this.#waiting.length === 0 || this.#isArmed) return;
    this.#isArmed = true;
    clock.setTimeout(() => {
      this.#isArmed = false;
      this.#drain();
    }, AGAIN_MS);
  }
}
