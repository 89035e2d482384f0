/**
 * One file, or metadata without one, sent in acknowledged mode (class 2). CCSDS 727.0-B-5, section 4.6.
 *
 * S1. Metadata first, then the content in order of offset, then EOF; what is asked for again goes before what was never
 *     sent, in every state until the transaction is over.
 * S2. EOF is repeated until it is acknowledged; after so many times since the receiver last asked for something it is
 *     a fault. Behind that the receiver may be silent for so long. When time runs again, what waits for an
 *     acknowledgement is sent at once. Who asks for the metadata behind EOF may have lost EOF with them, and gets it
 *     once more behind what else was asked for, although it is acknowledged. The NAK may overtake the acknowledgement.
 * S3. `Finished` ends it in every state, also before EOF was acknowledged. The result is reported once.
 * S4. A cancelled transaction sends an EOF that says so and waits for its acknowledgement; without one it is abandoned.
 */

import { type ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import { type Condition, condition } from './condition.ts';
import type { Ack, Eof, Finished, KeepAlive, Metadata, Nak, Prompt } from './directive.ts';
import { transactionStatus } from './directive.ts';
import type { TransactionEvent } from './event.ts';
import { FileOutput } from './file-output.ts';
import { Machine } from './machine.ts';
import type { PduBody } from './pdu.ts';
import { Repeated } from './repeated.ts';
import type { CfdpSettings } from './settings.ts';
import { faultLocation } from './tlv.ts';

type SenderState = 'sending' | 'ending' | 'awaitingFinished' | 'cancelling' | 'closed';

export class Sender extends Machine {
  readonly role = 'sender';
  #state: SenderState = 'sending';
  readonly #settings: CfdpSettings;
  readonly #metadata: Metadata;
  readonly #file: FileOutput;
  #metadataDue = true;
  #metadataSent = false;
  readonly #eof: Repeated<Eof>;
  #eofDueAgain = false;
  #promptDue: Prompt['response'] | undefined;

  /** `segmentBytes`: the most file data that fits a PDU of this transaction. */
  constructor(
    metadata: Metadata,
    segmentBytes: number,
    settings: CfdpSettings,
    emit: (event: TransactionEvent) => void,
  ) {
    super(settings.faultHandlers, emit);
    this.#settings = settings;
    this.#metadata = metadata;
    this.#file = new FileOutput(metadata.size, segmentBytes, metadata.checksumType, settings.repeatMs);
    this.#eof = new Repeated(this.time, settings.ackMs, settings.ackLimit);
  }

  get state(): SenderState {
    return this.#state;
  }

  get progress(): { readonly bytes: number; readonly size: number } {
    return { bytes: this.#file.sent, size: this.#file.size };
  }

  /** The bytes of the file that are needed to go on. */
  get wanted(): ByteRange | undefined {
    return this.#state === 'closed' || this.#state === 'cancelling' ? undefined : this.#file.wanted;
  }

  give(offset: number, bytes: Uint8Array): void {
    this.#file.give(offset, bytes);
  }

  prompt(response: Prompt['response']): void {
    this.#promptDue = response;
  }

  /** A PDU of the receiver. */
  override receive(body: PduBody, now: number): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'awaitingFinished') this.#awaitFinished(now, this.#settings.inactivityMs);
    switch (body.kind) {
      case 'ack':
        return this.#onAck(body, now);
      case 'nak':
        return this.#onNak(body, now);
      case 'finished':
        return this.#onFinished(body);
      case 'keepAlive':
        return this.#onKeepAlive(body, now);
      default:
        this.ignored += 1;
    }
  }

  #onAck({ of, condition: code, status }: Ack, now: number): void {
    if (of !== 'eof') return;
    if (this.#state === 'cancelling' && code !== condition.noError) return this.close();
    if (this.#state !== 'ending') return;
    this.#eof.end();
    this.#state = 'awaitingFinished';
    // Who does not know the transaction will not finish it.
    const isKnown = status === transactionStatus.active || status === transactionStatus.unrecognized;
    this.#awaitFinished(now, isKnown ? this.#settings.inactivityMs : this.#settings.ackMs);
  }

  #onNak({ segments }: Nak, now: number): void {
    if (this.#state === 'cancelling') return;
    this.#eof.heard();
    const asked = new ByteRanges();
    for (const [start, end] of segments) {
      if (start === 0 && end === 0) this.#onMetadataAsked();
      else if (start >= end || end > this.#file.size) this.ignored += 1;
      else asked.add(start, end);
    }
    for (const [start, end] of asked.list()) this.#file.repeat(start, end, now);
  }

  #onMetadataAsked(): void {
    this.#metadataDue = true;
    this.#eofDueAgain = this.#state !== 'sending';
  }

  #onFinished({ condition: code, complete }: Finished): void {
    // A transaction that was cancelled here stays so, whatever the receiver made of it before.
    this.report({ condition: code, complete, verified: complete });
    this.close();
  }

  #onKeepAlive({ progress }: KeepAlive, now: number): void {
    if (this.#file.sent - progress > this.#settings.keepAliveBytes) this.fault(condition.keepAliveLimit, now);
  }

  /** What is sent next; undefined when there is nothing to send, or nothing may be (S1, S2). */
  override pull(now: number): PduBody | undefined {
    if (!this.time.running || this.#state === 'closed') return undefined;
    if (this.#state === 'cancelling') return this.#eof.take(now);
    if (this.#metadataDue) {
      this.#metadataDue = false;
      this.#metadataSent = true;
      return this.#metadata;
    }
    return this.#takePrompt() ?? this.#eof.take(now) ?? this.#takeData(now);
  }

  #takePrompt(): Prompt | undefined {
    const response = this.#promptDue;
    this.#promptDue = undefined;
    return response && { kind: 'prompt', response };
  }

  #takeData(now: number): PduBody | undefined {
    const data = this.#file.next(now);
    if (data !== undefined) {
      if (this.#state === 'awaitingFinished') this.#awaitFinished(now, this.#settings.inactivityMs);
      return data;
    }
    if (this.#isEofDueAgain) return this.#takeEofAgain();
    if (this.#state !== 'sending' || !this.#file.sentOnce) return undefined;
    this.#state = 'ending';
    this.#end(condition.noError);
    return this.#eof.take(now);
  }

  #end(code: Condition): void {
    this.#eof.begin(this.#eofOf(code));
  }

  get #isEofDueAgain(): boolean {
    return this.#eofDueAgain && this.#state === 'awaitingFinished' && this.#file.wanted === undefined;
  }

  #takeEofAgain(): Eof {
    this.#eofDueAgain = false;
    return this.#eofOf(condition.noError);
  }

  #eofOf(code: Condition): Eof {
    const { idBytes, local } = this.#settings;
    const options = code === condition.noError ? [] : [faultLocation(local, idBytes)];
    const { checksum, sent: size } = this.#file;
    return { kind: 'eof', condition: code, checksum, size, options };
  }

  /** What is due by now. */
  override tick(now: number): void {
    if (this.time.isOver('inactivity', now)) this.fault(condition.inactivity, now);
    if (!this.#eof.isUnanswered(now)) return;
    if (this.#state === 'cancelling') this.giveUp();
    else this.fault(condition.positiveAckLimit, now);
  }

  #awaitFinished(now: number, ms: number): void {
    this.time.set('inactivity', now, ms);
  }

  /** What was under way when time stopped is lost (S2). */
  protected override afterStop(): void {
    this.#file.forgetMoment();
    this.#eof.afterStop();
  }

  /** Ends it with a condition, also while it is suspended (S4). */
  override cancel(now: number, code: Condition = condition.cancelRequested): void {
    if (this.#state === 'closed' || this.#state === 'cancelling') return;
    this.#failed(code);
    this.time.clearAll();
    this.time.start('suspended', now);
    this.#eof.end();
    if (!this.#metadataSent) return this.close();
    this.#state = 'cancelling';
    this.#end(code);
  }

  protected override tolerate(_code: Condition, now: number): void {
    this.#eof.again();
    if (this.#state === 'awaitingFinished') this.#awaitFinished(now, this.#settings.inactivityMs);
  }

  #failed(code: Condition): void {
    this.report({ condition: code, complete: false, verified: false });
  }

  protected override close(): void {
    this.#state = 'closed';
    this.#eof.end();
    this.time.clearAll();
  }
}
