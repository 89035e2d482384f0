/**
 * Which sending a received echo is of. A gateway receives echoes in the order it sent, and some not at all.
 *
 * V1. An echo equal to an awaited frame is of the oldest such sending; those before it were not received and are given
 *     up.
 * V2. An echo equal to none is damaged, and is taken for the oldest sending awaited.
 */

import { GATEWAY_SENT_KEYS } from '../../contract/limits/link.ts';
import { ECHO_WAIT_MS } from '../../contract/limits/telecommand.ts';
import type { EchoMessage } from '../../contract/link.ts';

interface Sending {
  readonly target: string;
  readonly key: string;
  readonly frame: Buffer;
  readonly at: number;
}

export class AwaitedEchoes {
  #sendings: Sending[] = [];

  await(sending: Sending): void {
    if (this.#sendings.length >= GATEWAY_SENT_KEYS) this.#sendings.shift();
    this.#sendings.push(sending);
  }

  /** Awaits the echo of a frame no longer: it was not sent. */
  forget(key: string): void {
    this.#sendings = this.#sendings.filter((sending) => sending.key !== key);
  }

  /** The message for a frame received at `nowMs`; undefined when no sending is recent enough to be its origin. */
  heard(frame: Buffer, nowMs: number): EchoMessage | undefined {
    this.#sendings = this.#sendings.filter(({ at }) => nowMs - at <= ECHO_WAIT_MS);
    const equal = this.#sendings.findIndex((sending) => sending.frame.equals(frame));
    const [sending] = this.#sendings.splice(0, Math.max(equal, 0) + 1).slice(-1);
    if (sending === undefined) return undefined;
    const { target, key } = sending;
    return { target, key, frame: frame.toString('hex'), conforming: equal >= 0, at: nowMs };
  }
}
