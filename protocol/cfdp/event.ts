/** What an entity reports while its transactions go on. */

import type { Condition, FaultHandler } from './condition.ts';
import type { Metadata } from './directive.ts';
import type { TransactionId } from './user-message.ts';

/** How a transaction ended. */
export interface Outcome {
  readonly condition: Condition;
  /** Whether every byte is there and the checksum holds, as far as this entity knows. */
  readonly complete: boolean;
  /** Whether the type of checksum was one that can be computed. */
  readonly verified: boolean;
}

export type TransactionEvent =
  /** The metadata of a received file; before any chunk of it. */
  | {
      readonly kind: 'metadata';
      readonly metadata: Metadata;
      readonly mode: 'acknowledged' | 'unacknowledged';
    }
  /** What the sender of a received file says at its end, once. */
  | { readonly kind: 'eof'; readonly size: number; readonly checksum: number }
  /** Bytes of a received file, each of them once; a view of the PDU, valid until the next call. */
  | { readonly kind: 'chunk'; readonly offset: number; readonly bytes: Uint8Array }
  /** A fault and what is done about it. */
  | { readonly kind: 'fault'; readonly condition: Condition; readonly handler: FaultHandler }
  /** The result, once; the closing exchange may follow. */
  | { readonly kind: 'ended'; readonly outcome: Outcome };

export type CfdpEvent =
  | (TransactionEvent & { readonly id: TransactionId; readonly role: 'sender' | 'receiver' })
  /** The other entity asks for a file: answer with `put` or `refusePut`. */
  | {
      readonly kind: 'proxyPut';
      readonly id: TransactionId;
      readonly destination: bigint;
      readonly sourceName: string;
      readonly destinationName: string;
    }
  /** The other entity takes back what it asked for in the transaction `id`. */
  | { readonly kind: 'proxyPutCancel'; readonly id: TransactionId }
  /** A download asked for with `get` begins to arrive in the transaction `by`. */
  | { readonly kind: 'downloadBegun'; readonly id: TransactionId; readonly by: TransactionId }
  | { readonly kind: 'downloadEnded'; readonly id: TransactionId; readonly outcome: Outcome };
