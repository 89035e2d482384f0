/**
 * PDUs of files on their way out of a gateway, beside its telecommands (`contract/pdus.ts`).
 *
 * U1. One at a time: the next is handed to the transport when it has taken the one before, whoever asked. So a
 *     telecommand never waits for more than one of them there.
 * U2. Of a worker that was replaced nothing leaves, and of a gateway that is another process's by now. Of a few groups
 *     the epochs are known: another mission may group gateways otherwise.
 */

import { CFDP_BATCH_PDUS, CFDP_BATCHES_WAITING, CFDP_GROUPS_KNOWN } from '../../contract/limits/cfdp.ts';
import { FRAME_BYTES } from '../../contract/limits/link.ts';
import type { PdusCall, PdusReply } from '../../contract/pdus.ts';
import type { Clock } from '../../ports/clock.ts';
import { isFrame } from '../json-call.ts';
import { lateReason } from './departures.ts';
import type { MayLeave, Sent } from './gateway.ts';

interface PduDeparturesOptions {
  readonly clock: Clock;
  readonly gateway: string;
  /** Whether this process still has the gateway to itself, now. */
  readonly holds: () => boolean;
}

/** Hands the frame of that index to the transport. */
type HandOver = (index: number, mayLeave: MayLeave) => Promise<Sent>;

export class PduDepartures {
  readonly #options: PduDeparturesOptions;
  /** By group, the one that sent last behind the others. */
  readonly #epochs = new Map<string, number>();
  #waiting = 0;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: PduDeparturesOptions) {
    this.#options = options;
  }

  /** Resolves when the last has left or the first was refused; rejects where nothing may be answered (U2). */
  async send(call: PdusCall, handOver: HandOver): Promise<PdusReply> {
    if (this.#waiting >= CFDP_BATCHES_WAITING)
      return { outcome: 'refused', frames: 0, detail: 'others are waiting to send PDUs' };
    this.#note(call);
    this.#waiting += 1;
    const sent = this.#tail.then(() => this.#sendEach(call, handOver));
    this.#tail = sent.catch(() => undefined);
    try {
      return await sent;
    } finally {
      this.#waiting -= 1;
    }
  }

  #note({ group, epoch }: PdusCall): void {
    const known = Math.max(this.#epochs.get(group) ?? 0, epoch);
    this.#epochs.delete(group);
    this.#epochs.set(group, known);
    const [oldest] = this.#epochs.keys();
    if (this.#epochs.size > CFDP_GROUPS_KNOWN && oldest !== undefined) this.#epochs.delete(oldest);
  }

  async #sendEach(call: PdusCall, handOver: HandOver): Promise<PdusReply> {
    for (let index = 0; index < call.frames.length; index += 1) {
      const sent = await handOver(index, () => this.#mayNot(call));
      if (!this.#options.holds())
        throw new Error(`another process may run gateway ${this.#options.gateway}: PDUs not sent (U2)`);
      if (!sent.sent) return { outcome: 'refused', frames: index, detail: sent.detail };
    }
    return { outcome: 'sent', frames: call.frames.length };
  }

  #mayNot({ group, epoch, notAfter }: PdusCall): string | undefined {
    const { clock, holds } = this.#options;
    if (!holds()) return 'another process may run the gateway';
    const latest = this.#epochs.get(group) ?? epoch;
    if (epoch < latest) return `epoch ${epoch} is over: ${latest} has the files of group ${group}`;
    const now = clock.now();
    return now > notAfter ? lateReason(notAfter, now) : undefined;
  }
}

/** Why a call is none; undefined when it is well formed. */
export function pdusFault(call: PdusCall | undefined): string | undefined {
  if (call === undefined) return 'the call is not a JSON object';
  if (typeof call.target !== 'string' || typeof call.key !== 'string')
    return 'the call lacks `target` or `key`';
  if (typeof call.group !== 'string') return 'the call lacks `group`';
  if (!Number.isSafeInteger(call.epoch)) return 'the call lacks `epoch`';
  if (typeof call.notAfter !== 'number') return 'the call lacks `notAfter`';
  const { frames } = call;
  if (!Array.isArray(frames) || frames.length === 0 || frames.length > CFDP_BATCH_PDUS)
    return `\`frames\` is no list of 1 to ${CFDP_BATCH_PDUS}`;
  if (!frames.every(isFrame)) return 'a frame is not hexadecimal';
  if (frames.some((frame) => frame.length / 2 > FRAME_BYTES))
    return `a frame is longer than ${FRAME_BYTES} bytes`;
  return undefined;
}
