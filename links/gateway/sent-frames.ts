/**
 * What a gateway remembers of the frames it was asked to send, so that no telecommand leaves twice (O2).
 *
 * I1. A key is sent at most once: asked again, also while the first is under way, it is answered as before.
 * I2. A key that is asked about after a crash of its owner is sent only if this memory reaches back before that owner
 *     could have asked, by more than two clocks may differ; else the answer is `unknown` and nothing is sent, also when
 *     the first call, held up on its way, comes after that answer.
 * I3. An epoch below the highest one seen for the target sends nothing: its owner was replaced.
 * I4. A call that is handled after its time sends nothing: whoever asked has given up, and others may have left since.
 *     Asked again in time, it is sent.
 * I5. It outlives the gateway in its process: one that is started again, because the mission changed or the process
 *     lost it for a while, answers for what left before. Others may have had it meanwhile, so of what it does not know
 *     it knows nothing. Where the store of the bus went back, nobody else remembers.
 * I6. It holds the last `GATEWAY_SENT_KEYS_LEAST` keys, and of those before them what is of the last
 *     `GATEWAY_SENT_MS`, up to `GATEWAY_SENT_KEYS`; it reaches back as far as the first that it still has.
 */

import { GATEWAY_SENT_KEYS, GATEWAY_SENT_KEYS_LEAST, GATEWAY_SENT_MS } from '../../contract/limits/link.ts';
import { CLOCK_SKEW_MS } from '../../contract/limits/membership.ts';
import type { SendCall, SendReply } from '../../contract/link.ts';
import { lateReason } from './departures.ts';

interface Remembered {
  readonly askedAt: number;
  readonly reply: Promise<SendReply>;
  /** Nothing was handed over, and nobody was answered. */
  hasFailed: boolean;
}

export class SentFrames {
  readonly #replies = new Map<string, Remembered>();
  /** Keys answered with `unknown`: what was answered stays so. */
  readonly #unknown = new Set<string>();
  readonly #epochs = new Map<string, number>();
  /** From here on every key asked for is remembered. */
  #knownSince: number;

  constructor(startedAt: number) {
    this.#knownSince = startedAt;
  }

  /** The gateway begins again (I5). */
  beginAnew(nowMs: number): void {
    this.#knownSince = nowMs;
    this.#epochs.clear();
    this.#unknown.clear();
    for (const [key, { hasFailed }] of this.#replies) if (hasFailed) this.#replies.delete(key);
  }

  /** The reply to a call made at `nowMs`; `send` is called only when the frame may leave. */
  async once(call: SendCall, nowMs: number, send: () => Promise<SendReply>): Promise<SendReply> {
    const before = this.#replies.get(call.key);
    const highest = this.#epochs.get(call.target) ?? call.epoch;
    this.#epochs.set(call.target, Math.max(highest, call.epoch));
    if (before !== undefined) return before.reply;
    if (call.epoch < highest) {
      return {
        outcome: 'refused',
        detail: `epoch ${call.epoch} is over: ${highest} owns target ${call.target}`,
      };
    }
    if (this.#unknown.has(call.key) || this.#mayHaveLeft(call)) {
      this.#doubt(call.key);
      return { outcome: 'unknown', detail: 'the gateway cannot tell whether an earlier owner had it sent' };
    }
    if (nowMs > call.notAfter) {
      return {
        outcome: 'refused',
        detail: `${lateReason(call.notAfter, nowMs)}: not sent`,
      };
    }
    return this.#remember(call.key, nowMs, send());
  }

  #mayHaveLeft({ recovering }: SendCall): boolean {
    return recovering !== undefined && this.#knownSince + CLOCK_SKEW_MS >= recovering.since;
  }

  #doubt(key: string): void {
    this.#unknown.add(key);
    if (this.#unknown.size <= GATEWAY_SENT_KEYS) return;
    for (const oldest of this.#unknown) return void this.#unknown.delete(oldest);
  }

  #remember(key: string, askedAt: number, reply: Promise<SendReply>): Promise<SendReply> {
    const remembered: Remembered = { askedAt, reply, hasFailed: false };
    this.#replies.set(key, remembered);
    reply.then(
      // Nothing was handed over: it is for whoever has the gateway next.
      (said) => {
        if (said.outcome === 'refused' && said.leaving === true) this.#replies.delete(key);
      },
      () => {
        remembered.hasFailed = true;
      },
    );
    this.#forget(askedAt - GATEWAY_SENT_MS);
    return reply;
  }

  /** I6 */
  #forget(before: number): void {
    for (const [key, { askedAt }] of this.#replies) {
      const most = askedAt < before ? GATEWAY_SENT_KEYS_LEAST : GATEWAY_SENT_KEYS;
      if (this.#replies.size <= most) return;
      this.#replies.delete(key);
      this.#knownSince = Math.max(this.#knownSince, askedAt);
    }
  }
}
