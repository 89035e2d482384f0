/**
 * Where a received PDU goes: to its transaction, to a new one, or nowhere. CCSDS 727.0-B-5, sections 4.6 and 4.7.
 *
 * M1. EOF and Finished are acknowledged whether or not their transaction is known: whoever sends them waits for it.
 * M2. Metadata, file data or an EOF that is no cancellation begin a transaction, as long as there is room.
 * M3. A directive that goes the wrong way is dropped.
 * M4. Metadata that differ from those of a file that is still open here are of another file: whoever sends it has
 *     begun its numbers again. The open one ends without another word, which would be for the new one.
 * M5. While another entity of the same identifier has the link, what is unknown here is of that one: it begins nothing
 *     and is not answered, unless its metadata name a request that is open here. An answer that waits until this one
 *     has the link again would end a transaction of the other.
 */

import { CFDP_TRANSACTIONS } from '../../contract/limits/cfdp.ts';
import { crc32 } from '../crc.ts';
import { type Condition, condition } from './condition.ts';
import { type Metadata, transactionStatus, writeDirective } from './directive.ts';
import type { TransactionEvent } from './event.ts';
import { Receiver } from './file-receiver.ts';
import type { PduHeader } from './header.ts';
import { type Pdu, type PduAddress, type PduBody, readPdu } from './pdu.ts';
import type { Replies } from './replies.ts';
import { type CfdpSettings, roomOf } from './settings.ts';
import type { Transactions } from './transactions.ts';
import type { TransactionId } from './user-message.ts';

/** PDUs that were dropped, by reason. */
export interface IncomingCounts {
  malformed: number;
  /** Of other entities, or for others. */
  foreign: number;
  misdirected: number;
  /** Of transactions that are not known and begin none. */
  unknown: number;
  /** That would begin one transaction too many. */
  refused: number;
}

export interface IncomingOptions {
  readonly settings: CfdpSettings;
  readonly peer: bigint;
  readonly transactions: Transactions;
  readonly replies: Replies;
  readonly isLinkUp: () => boolean;
  /** Whether another entity of the same identifier has the link (M5). */
  readonly leavesUnknown: () => boolean;
  /** Whether metadata name a request that is open here. */
  readonly isAwaited: (metadata: Metadata) => boolean;
  readonly accept: (metadata: Metadata, id: TransactionId) => Condition;
  readonly emit: (id: TransactionId, event: TransactionEvent) => void;
}

export class Incoming {
  readonly counts: IncomingCounts = { malformed: 0, foreign: 0, misdirected: 0, unknown: 0, refused: 0 };
  readonly #options: IncomingOptions;

  constructor(options: IncomingOptions) {
    this.#options = options;
  }

  receive(bytes: Buffer, now: number): void {
    const { crcRequired } = this.#options.settings;
    const read = readPdu(bytes, { crcRequired });
    if (!read.ok) this.counts.malformed += 1;
    else if (!this.#isOurs(read.value.header)) this.counts.foreign += 1;
    else if (!goesItsWay(read.value)) this.counts.misdirected += 1;
    else if (read.value.header.towards === 'sender') this.#toSender(read.value, now);
    else this.#toReceiver(read.value, now);
  }

  #isOurs({ towards, source, destination }: PduHeader): boolean {
    const { peer, settings } = this.#options;
    const [theirs, ours] = towards === 'receiver' ? [source, destination] : [destination, source];
    return theirs === peer && ours === settings.local;
  }

  #toSender({ header, body }: Pdu, now: number): void {
    const { transactions, replies, leavesUnknown } = this.#options;
    const id = idOf(header);
    const isKnown = transactions.get(id) !== undefined || transactions.closed.has(id, now);
    if (body.kind === 'finished' && (isKnown || !leavesUnknown())) {
      const status = isKnown ? transactionStatus.terminated : transactionStatus.undefined;
      replies.add(header, { kind: 'ack', of: 'finished', condition: body.condition, status });
    }
    const isOpen = transactions.with(id, now, ({ machine }) => {
      if (machine.role === 'sender') machine.receive(body, now);
    });
    if (!isOpen) this.counts.unknown += 1;
  }

  #toReceiver(pdu: Pdu, now: number): void {
    const { transactions } = this.#options;
    const id = idOf(pdu.header);
    if (pdu.body.kind === 'metadata') this.#leaveOther(id, contentOf(pdu.body), now);
    if (transactions.get(id) === undefined && !this.#begin(pdu, id, now)) return;
    transactions.with(id, now, (transaction) => {
      const { machine } = transaction;
      if (machine.role !== 'receiver') return;
      if (pdu.body.kind === 'metadata') transaction.content ??= contentOf(pdu.body);
      machine.receive(pdu.body, now);
    });
  }

  /** M4 */
  #leaveOther(id: TransactionId, content: string, now: number): void {
    this.#options.transactions.with(id, now, (open) => {
      const isOther = open.content !== undefined && open.content !== content;
      if (isOther && open.machine.role === 'receiver') open.machine.leave();
    });
  }

  /** Begins the transaction of a PDU; false when it begins none (M2). */
  #begin({ header, body }: Pdu, id: TransactionId, now: number): boolean {
    const { transactions } = this.#options;
    if (transactions.closed.has(id, now) && !this.#isOther(body, id))
      return this.#answerUnknown(header, body, true);
    if (this.#isLeft(body)) return this.#leave();
    const begins = body.kind === 'metadata' || body.kind === 'fileData' || body.kind === 'eof';
    const isCancel = body.kind === 'eof' && body.condition !== condition.noError;
    if (!begins || isCancel) return this.#answerUnknown(header, body, false);
    if (transactions.size >= CFDP_TRANSACTIONS) {
      this.counts.refused += 1;
      return false;
    }
    this.#open(header, id, now);
    return true;
  }

  /** M5 */
  #isLeft(body: PduBody): boolean {
    const { leavesUnknown, isAwaited } = this.#options;
    return leavesUnknown() && !(body.kind === 'metadata' && isAwaited(body));
  }

  #leave(): false {
    this.counts.unknown += 1;
    return false;
  }

  #isOther(body: PduBody, id: TransactionId): boolean {
    return body.kind === 'metadata' && this.#options.transactions.closed.isOther(id, contentOf(body));
  }

  #answerUnknown(header: PduHeader, body: PduBody, wasKnown: boolean): false {
    this.counts.unknown += 1;
    if (body.kind === 'eof' && header.mode === 'acknowledged') {
      const status = wasKnown ? transactionStatus.terminated : transactionStatus.undefined;
      this.#options.replies.add(header, { kind: 'ack', of: 'eof', condition: body.condition, status });
    }
    return false;
  }

  #open(header: PduHeader, id: TransactionId, now: number): void {
    const { settings, transactions, accept, emit, isLinkUp } = this.#options;
    const { mode, large, source, idBytes } = header;
    const address: PduAddress = { ...header, towards: 'sender', crc: settings.crc, segmentation: false };
    const room = roomOf(settings, address);
    const machine = new Receiver(
      {
        settings,
        mode,
        large,
        source,
        idBytes,
        room,
        accept: (metadata) => accept(metadata, id),
        emit: (event) => emit(id, event),
      },
      now,
    );
    if (!isLinkUp()) machine.linkDown(now);
    transactions.add({ id, machine, address, from: now });
  }
}

function idOf({ source, sequence }: PduHeader): TransactionId {
  return { source, sequence };
}

/** Short for what metadata say. */
function contentOf(metadata: Metadata): string {
  const bytes = writeDirective(metadata, true);
  return `${bytes.length}:${crc32(bytes)}`;
}

/** Whether a PDU goes towards the entity that its kind is for (M3). */
function goesItsWay({ header: { towards }, body }: Pdu): boolean {
  const toSender =
    body.kind === 'finished' ||
    body.kind === 'nak' ||
    body.kind === 'keepAlive' ||
    (body.kind === 'ack' && body.of === 'eof');
  return toSender === (towards === 'sender');
}
