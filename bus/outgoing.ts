/**
 * What is sent within one turn of the event loop, handed to the client together: one write to its socket for all of it.
 * The client by itself writes whenever the microtasks pause, so that most messages have a write of their own; those
 * were a quarter of the processor time of a busy process, and as many reads of the server.
 *
 * D1. Messages leave in the order in which they were sent, at the end of the turn, or as soon as they are many bytes.
 * D2. One that the client refuses keeps no other one from leaving.
 * D3. What has not left when the connection is lost never leaves.
 */

import type { NatsConnection } from 'nats';

export interface Message {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly options: NonNullable<Parameters<NatsConnection['publish']>[2]>;
  /** The client does not take it. */
  readonly refused: (error: unknown) => void;
}

/** As many as the client itself keeps back. */
const MOST_BYTES = 32_768;

export class Outgoing {
  #client: NatsConnection | undefined;
  #messages: Message[] = [];
  #bytes = 0;

  /** Where messages go from now on; none of them are on their way to another one. */
  attach(client: NatsConnection): void {
    this.clear();
    this.#client = client;
  }

  /** The data must not change before the next turn of the event loop. */
  add(message: Message): void {
    if (this.#messages.push(message) === 1) setImmediate(() => this.flush());
    this.#bytes += message.data.length;
    if (this.#bytes >= MOST_BYTES) this.flush();
  }

  /** Hands over what there is. */
  flush(): void {
    const messages = this.#messages;
    this.clear();
    for (const { subject, data, options, refused } of messages) {
      try {
        this.#client?.publish(subject, data, options);
      } catch (error) {
        refused(error);
      }
    }
  }

  /** D3 */
  clear(): void {
    this.#messages = [];
    this.#bytes = 0;
  }
}
