/**
 * Files that the other entity asks for by proxy put requests: the requests are reported, and what became of each is
 * answered in a transaction of its own. CCSDS 727.0-B-5, section 6.2.
 *
 * O1. Each file sent for a request is answered once, when its transaction has its result; an answer for which there is
 *     no room waits, so many of them at most.
 */

import { CFDP_DOWNLOADS } from '../../contract/limits/cfdp.ts';
import { fileStatus } from './directive.ts';
import type { CfdpEvent, Outcome } from './event.ts';
import type { CfdpSettings } from './settings.ts';
import type { TransactionId, UserMessage } from './user-message.ts';

export interface ServedOptions {
  readonly settings: CfdpSettings;
  /** Sends messages without a file; false while there is no room. */
  readonly send: (messages: readonly UserMessage[], now: number) => boolean;
  readonly emit: (event: CfdpEvent) => void;
}

export class ServedRequests {
  readonly #options: ServedOptions;
  /** By the transaction that sends the file: the one that asked. */
  readonly #served = new Map<TransactionId, TransactionId>();
  readonly #answers: (readonly UserMessage[])[] = [];

  constructor(options: ServedOptions) {
    this.#options = options;
  }

  /** Reports what the messages of a transaction ask for. */
  take(id: TransactionId, messages: readonly UserMessage[]): void {
    for (const message of messages) {
      if (message.kind !== 'proxyPutRequest') continue;
      const { destination, sourceName, destinationName } = message;
      this.#options.emit({ kind: 'proxyPut', id, destination, sourceName, destinationName });
    }
    const origin = messages.find((message) => message.kind === 'originatingTransaction');
    const isCancelled = messages.some(({ kind }) => kind === 'proxyPutCancel');
    if (isCancelled && origin !== undefined) this.#options.emit({ kind: 'proxyPutCancel', id: origin.id });
  }

  /** The transaction `id` sends what `originating` asked for. */
  begun(id: TransactionId, originating: TransactionId): void {
    this.#served.set(id, originating);
  }

  ended(id: TransactionId, outcome: Outcome): void {
    const originating = this.#served.get(id);
    this.#served.delete(id);
    if (originating !== undefined) this.answer(originating, outcome);
  }

  /** Notes an answer (O1). */
  answer(originating: TransactionId, { condition, complete }: Pick<Outcome, 'condition' | 'complete'>): void {
    if (this.#answers.length >= CFDP_DOWNLOADS) return;
    const { retained, unreported } = fileStatus;
    const status = complete ? retained : unreported;
    const response = { kind: 'proxyPutResponse', condition, complete, fileStatus: status } as const;
    this.#answers.push([response, originatingMessage(originating, this.#options.settings)]);
  }

  /** Sends the answers for which there is room. */
  flush(now: number): void {
    for (let first = this.#answers[0]; first !== undefined; first = this.#answers[0]) {
      if (!this.#options.send(first, now)) return;
      this.#answers.shift();
    }
  }
}

/** Names the transaction that asked for something. */
export function originatingMessage(
  id: TransactionId,
  { idBytes, sequenceBytes }: Pick<CfdpSettings, 'idBytes' | 'sequenceBytes'>,
): UserMessage {
  return { kind: 'originatingTransaction', id, idBytes, sequenceBytes };
}
