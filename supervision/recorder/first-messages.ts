/**
 * What the first message of a history says, for all of its later ones: the name of a telecommand, the targets of a run.
 * Remembered for the newest, and read again for others.
 */

import type { StreamDefinition } from '../../contract/bus/streams.ts';
import { RECORDER_KNOWN } from '../../contract/limits/event.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';

export class FirstMessages<Said> {
  readonly #bus: Pick<Bus, 'follow'>;
  readonly #stream: StreamDefinition;
  readonly #read: (message: StreamMessage) => Said | undefined;
  readonly #known = new Map<string, Said | undefined>();

  constructor(
    bus: Pick<Bus, 'follow'>,
    stream: StreamDefinition,
    read: (message: StreamMessage) => Said | undefined,
  ) {
    this.#bus = bus;
    this.#stream = stream;
    this.#read = read;
  }

  note(subject: string, said: Said | undefined): void {
    this.#known.delete(subject);
    this.#known.set(subject, said);
    for (const oldest of this.#known.keys())
      if (this.#known.size > RECORDER_KNOWN) this.#known.delete(oldest);
      else break;
  }

  /** Undefined where the stream has it no more, or it does not say. Rejects with `Outage`. */
  async of(subject: string): Promise<Said | undefined> {
    if (!this.#known.has(subject)) this.note(subject, await this.#asked(subject));
    return this.#known.get(subject);
  }

  async #asked(subject: string): Promise<Said | undefined> {
    let first: StreamMessage | undefined;
    let seen = (): void => undefined;
    const found = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const follower = await this.#bus.follow(this.#stream, subject, { from: 'start' }, (message) => {
      first ??= message;
      seen();
    });
    await Promise.race([found, follower.caughtUp]);
    await follower.stop();
    return first === undefined ? undefined : this.#read(first);
  }
}
