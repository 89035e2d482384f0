/**
 * A CFDP entity: many transactions with one other entity over one link, both directions, without any I/O.
 * CCSDS 727.0-B-5.
 *
 * E1. The caller gives the time with every call, monotonic milliseconds, and takes PDUs at the rate of its link: none
 *     is made before it is taken, so nothing queues up here.
 * E2. A PDU that is malformed, of another entity, or goes the wrong way is dropped and counted; the next one counts.
 * E3. Transactions, requests and replies are bounded; the other entity chooses none of the bounds.
 * E4. While the link is down nothing is sent and no timer of any transaction moves. What is received counts.
 * E5. A file that nobody asked for is refused unless the caller accepts it, and its name stays below a folder.
 */

import { CFDP_DOWNLOADS, CFDP_TRANSACTIONS } from '../../contract/limits/cfdp.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import { type Condition, condition } from './condition.ts';
import type { Metadata, Prompt } from './directive.ts';
import { Downloads } from './downloads.ts';
import type { CfdpEvent, Outcome, TransactionEvent } from './event.ts';
import type { Receiver } from './file-receiver.ts';
import type { Sender } from './file-sender.ts';
import { Incoming, type IncomingCounts } from './incoming.ts';
import { isNameBelow } from './names.ts';
import { metadataOf, type PutOrder, senderOf } from './put-order.ts';
import { Replies } from './replies.ts';
import { SequenceNumbers } from './sequence-numbers.ts';
import { originatingMessage, ServedRequests } from './served-requests.ts';
import { type CfdpSettings, DEFAULT_SETTINGS } from './settings.ts';
import { Transactions, type Wanted } from './transactions.ts';
import { type TransactionId, type UserMessage, userMessagesOf } from './user-message.ts';

export interface EntityOptions {
  /** What differs from the defaults; `local` is this entity. */
  readonly settings: Pick<CfdpSettings, 'local'> & Partial<CfdpSettings>;
  /** The other entity. */
  readonly peer: bigint;
  /** Whether a file that was not asked for may come (E5); default: no. */
  readonly accept?: (metadata: Metadata, id: TransactionId) => boolean;
  /** Whether what is unknown here is left to another entity of this identifier (incoming.M5); default: no. */
  readonly leavesUnknown?: () => boolean;
  readonly emit: (event: CfdpEvent) => void;
  /** Milliseconds of the calendar at the moment of construction. */
  readonly wallMs: number;
}

export interface GetOrder {
  /** The file at the other entity. */
  readonly sourceName: string;
  /** What it is to be called here; only handed back. */
  readonly destinationName: string;
}

export interface TransactionReport {
  readonly role: 'sender' | 'receiver';
  readonly state: string;
  readonly bytes: number;
  readonly size: number | undefined;
  readonly suspended: boolean;
}

export class CfdpEntity {
  readonly settings: CfdpSettings;
  readonly #options: EntityOptions;
  readonly #numbers: SequenceNumbers;
  readonly #transactions = new Transactions();
  readonly #downloads: Downloads;
  readonly #replies: Replies;
  readonly #incoming: Incoming;
  readonly #served: ServedRequests;
  #isLinkUp = true;
  /** The moment of the current call. */
  #now: number;

  constructor(options: EntityOptions, now: number) {
    this.#now = now;
    this.settings = { ...DEFAULT_SETTINGS, ...options.settings };
    this.#options = options;
    this.#numbers = new SequenceNumbers(this.settings.sequenceBytes, now, options.wallMs);
    this.#replies = new Replies(this.settings);
    this.#downloads = new Downloads({
      noProgressMs: this.settings.noProgressMs,
      begun: (id, by) => this.#onBegun(id, by),
      ended: (id, by, outcome) => this.#onDownloadEnded(id, by, outcome),
    });
    this.#served = new ServedRequests({
      settings: this.settings,
      send: (messages, at) => this.put({ messages }, at).ok,
      emit: options.emit,
    });
    this.#incoming = new Incoming({
      settings: this.settings,
      peer: options.peer,
      transactions: this.#transactions,
      replies: this.#replies,
      isLinkUp: () => this.#isLinkUp,
      leavesUnknown: options.leavesUnknown ?? (() => false),
      isAwaited: (metadata) => this.#downloads.isAwaited(userMessagesOf(metadata.options)),
      accept: (metadata, id) => this.#accept(metadata, id),
      emit: (id, event) => this.#onEvent(id, 'receiver', event),
    });
  }

  get counts(): IncomingCounts {
    return this.#incoming.counts;
  }

  get transactions(): number {
    return this.#transactions.size;
  }

  /** Whether it has nothing to do until it is called. */
  get isIdle(): boolean {
    return this.#transactions.size === 0 && this.#downloads.size === 0 && this.#replies.size === 0;
  }

  /** Sends a file; its content is asked for with `wanted`. */
  put(order: PutOrder, now: number): Result<TransactionId, string> {
    if (this.#transactions.size >= CFDP_TRANSACTIONS) {
      return refused(`${CFDP_TRANSACTIONS} transactions are under way: try again when one is over`);
    }
    const metadata = metadataOf(order, this.settings);
    if (typeof metadata === 'string') return refused(metadata);
    const { local } = this.settings;
    const { sequence, from } = this.#numbers.next(now, (number) => this.#isTaken(number, now));
    const id = { source: local, sequence };
    const { machine, address } = senderOf(metadata, id, this.#options.peer, this.settings, (event) =>
      this.#onEvent(id, 'sender', event),
    );
    if (!this.#isLinkUp) machine.linkDown(now);
    this.#transactions.add({ id, machine, address, from });
    if (order.originating !== undefined) this.#served.begun(id, order.originating);
    return accepted(id);
  }

  #isTaken(sequence: bigint, now: number): boolean {
    const id = { source: this.settings.local, sequence };
    return this.#transactions.get(id) !== undefined || this.#transactions.closed.has(id, now);
  }

  /** Asks the other entity for a file; the identifier is that of the request (downloads.J1). */
  get({ sourceName, destinationName }: GetOrder, now: number): Result<TransactionId, string> {
    if (this.#downloads.size >= CFDP_DOWNLOADS) {
      return refused(`${CFDP_DOWNLOADS} downloads are under way: try again when one is over`);
    }
    const { local: destination, idBytes } = this.settings;
    const kind = 'proxyPutRequest';
    const messages: UserMessage[] = [{ kind, destination, idBytes, sourceName, destinationName }];
    const asked = this.put({ messages }, now);
    if (asked.ok) this.#downloads.begin(asked.value, now, this.#isLinkUp);
    return asked;
  }

  /** Says that a file the other entity asked for will not come. */
  refusePut(id: TransactionId, code: Condition, now: number): void {
    this.#served.answer(id, { condition: code, complete: false });
    this.#served.flush(now);
  }

  /** Takes a PDU from the link. */
  receive(pdu: Buffer, now: number): void {
    this.#now = now;
    this.#incoming.receive(pdu, now);
  }

  #accept(metadata: Metadata, id: TransactionId): Condition {
    const isFile = metadata.sourceName !== '' || metadata.destinationName !== '';
    if (!isFile || this.#downloads.take(userMessagesOf(metadata.options), id)) return condition.noError;
    const isAccepted = isNameBelow(metadata.destinationName) && this.#options.accept?.(metadata, id) === true;
    return isAccepted ? condition.noError : condition.filestoreRejection;
  }

  #onEvent(id: TransactionId, role: 'sender' | 'receiver', event: TransactionEvent): void {
    this.#options.emit({ ...event, id, role });
    if (event.kind === 'metadata') this.#onMessages(id, userMessagesOf(event.metadata.options));
    if (event.kind !== 'ended') return;
    this.#downloads.transactionEnded(id, role, event.outcome);
    this.#served.ended(id, event.outcome);
  }

  #onMessages(id: TransactionId, messages: readonly UserMessage[]): void {
    const failed = this.#downloads.answered(messages);
    if (failed !== undefined) this.#transactions.get(failed)?.machine.cancel(this.#now);
    this.#served.take(id, messages);
  }

  /** What is due by now. */
  tick(now: number): void {
    this.#now = now;
    this.#transactions.each(now, (machine) => machine.tick(now));
    this.#downloads.tick(now);
    this.#served.flush(now);
  }

  /** When `tick` and `pull` have something to do at the latest. */
  nextDue(now: number): number | undefined {
    const due = [this.#transactions.nextDue(now), this.#downloads.nextDue].filter((at) => at !== undefined);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  /** The next PDU for the link (E1). */
  pull(now: number): Buffer | undefined {
    if (!this.#isLinkUp) return undefined;
    return this.#replies.take() ?? this.#transactions.pull(now);
  }

  /** Bytes of files that are needed to go on. */
  wanted(): Wanted[] {
    return this.#transactions.wanted();
  }

  /** The bytes of a file from `offset` on; undefined when they cannot be read. */
  give(id: TransactionId, offset: number, bytes: Uint8Array | undefined, now: number): void {
    this.#transactions.with(id, now, ({ machine }) => {
      if (machine.role !== 'sender') return;
      if (bytes === undefined || bytes.length === 0) machine.cancel(now, condition.filestoreRejection);
      else machine.give(offset, bytes);
    });
  }

  linkDown(now: number): void {
    this.#isLinkUp = false;
    this.#transactions.each(now, (machine) => machine.linkDown(now));
    this.#downloads.linkDown(now);
  }

  linkUp(now: number): void {
    this.#isLinkUp = true;
    this.#transactions.each(now, (machine) => machine.linkUp(now));
    this.#downloads.linkUp(now);
  }

  /** Ends a transaction or a download. */
  cancel(id: TransactionId, now: number, code: Condition = condition.cancelRequested): void {
    this.#now = now;
    const by = this.#downloads.broughtBy(id);
    const isOpen = this.#downloads.has(id) && by === undefined;
    this.#downloads.cancel(id);
    this.#transactions.with(by ?? id, now, ({ machine }) => machine.cancel(now, code));
    if (isOpen)
      this.put({ messages: [{ kind: 'proxyPutCancel' }, originatingMessage(id, this.settings)] }, now);
  }

  /** Stops a transaction, or a download with everything that belongs to it, until `resume`. */
  suspend(id: TransactionId, now: number): void {
    this.#downloads.suspend(id, now);
    for (const each of this.#parts(id)) each.suspend(now);
  }

  resume(id: TransactionId, now: number): void {
    this.#downloads.resume(id, now);
    for (const each of this.#parts(id)) each.resume(now);
  }

  /** The request of a download and what brings its file. */
  #parts(id: TransactionId, by = this.#downloads.broughtBy(id)): (Sender | Receiver)[] {
    const ids = [id, by];
    return ids.flatMap((each) => (each && this.#transactions.get(each)?.machine) ?? []);
  }

  #onBegun(id: TransactionId, by: TransactionId): void {
    if (this.#downloads.isSuspended(id)) this.#transactions.get(by)?.machine.suspend(this.#now);
    this.#options.emit({ kind: 'downloadBegun', id, by });
  }

  /** What belongs to it says its last words, also where it was suspended. */
  #onDownloadEnded(id: TransactionId, by: TransactionId | undefined, outcome: Outcome): void {
    for (const each of this.#parts(id, by)) each.resume(this.#now);
    this.#options.emit({ kind: 'downloadEnded', id, outcome });
  }

  /** Asks the receiver of a file for a NAK or for its progress. */
  prompt(id: TransactionId, response: Prompt['response'], now: number): void {
    this.#transactions.with(id, now, ({ machine }) => machine.role === 'sender' && machine.prompt(response));
  }

  /** How far a transaction, or the file of a download, is; undefined when it is over. */
  report(id: TransactionId): TransactionReport | undefined {
    const machine = this.#transactions.get(this.#carrying(id))?.machine;
    if (machine === undefined) return undefined;
    const { role, state } = machine;
    return { role, state, ...machine.progress, suspended: machine.time.isStopped('suspended') };
  }

  #carrying(id: TransactionId): TransactionId {
    return this.#downloads.broughtBy(id) ?? id;
  }
}
