/**
 * Acknowledgements that no transaction sends: of EOF and Finished of transactions that are over or were never known.
 * CCSDS 727.0-B-5, section 4.7.
 *
 * Q1. One of each kind waits for each transaction, and so many in all: what does not fit, the other entity asks for by
 *     repeating itself.
 */

import { CFDP_REPLIES_WAITING } from '../../contract/limits/cfdp.ts';
import type { Ack } from './directive.ts';
import { keyOf } from './downloads.ts';
import type { PduHeader } from './header.ts';
import { type PduAddress, writePdu } from './pdu.ts';
import type { CfdpSettings } from './settings.ts';

export class Replies {
  readonly #settings: Pick<CfdpSettings, 'crc'>;
  readonly #waiting = new Map<string, { readonly address: PduAddress; readonly ack: Ack }>();

  constructor(settings: Pick<CfdpSettings, 'crc'>) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Answers a PDU of the other entity. */
  add(header: PduHeader, ack: Ack): void {
    const key = `${ack.of} ${keyOf(header)}`;
    if (this.#waiting.size >= CFDP_REPLIES_WAITING && !this.#waiting.has(key)) return;
    const towards = header.towards === 'receiver' ? 'sender' : 'receiver';
    const address: PduAddress = { ...header, towards, crc: this.#settings.crc, segmentation: false };
    this.#waiting.set(key, { address, ack });
  }

  take(): Buffer | undefined {
    for (const [key, { address, ack }] of this.#waiting) {
      this.#waiting.delete(key);
      return writePdu(address, ack);
    }
    return undefined;
  }
}
