/**
 * One file on its way in, in acknowledged mode (class 2) or unacknowledged (class 1). CCSDS 727.0-B-5, section 4.6.
 *
 * R1. Bytes are given out once and at once; whether they are a file is known at the end, from size and checksum.
 * R2. Every EOF is acknowledged, also a second one and one that cancels. EOF before the last data is no fault.
 * R3. Finished is repeated until it is acknowledged, so many times at most. The result is reported before, once.
 * R4. When time runs again everything that is missing is asked for at once.
 */

import type { ByteRanges } from '../../contract/byte-ranges.ts';
import { type Condition, condition } from './condition.ts';
import * as directive from './directive.ts';
import type { TransactionEvent } from './event.ts';
import { Machine } from './machine.ts';
import type { FileData, PduBody } from './pdu.ts';
import { ReceivedFile } from './received-file.ts';
import { Recovery } from './recovery.ts';
import { Repeated } from './repeated.ts';
import type { CfdpSettings } from './settings.ts';
import { faultHandlersOf, faultLocation, faultLocationOf } from './tlv.ts';

type ReceiverState = 'receiving' | 'finishing' | 'closed';

export interface ReceiverOptions {
  readonly settings: CfdpSettings;
  readonly mode: 'acknowledged' | 'unacknowledged';
  readonly large: boolean;
  /** The entity that sends the file, and the width of identifiers in this transaction. */
  readonly source: bigint;
  readonly idBytes: number;
  /** Octets of a directive that fits a PDU of this transaction. */
  readonly room: number;
  /** No error, or the condition with which the file is refused. */
  readonly accept: (metadata: directive.Metadata) => Condition;
  readonly emit: (event: TransactionEvent) => void;
}

interface Verdict {
  readonly condition: Condition;
  readonly fileStatus?: number;
  readonly complete?: boolean;
  readonly verified?: boolean;
  /** The entity at which it was cancelled. */
  readonly location?: bigint | undefined;
}

export class Receiver extends Machine {
  readonly role = 'receiver';
  #state: ReceiverState = 'receiving';
  readonly #options: ReceiverOptions;
  readonly #settings: CfdpSettings;
  readonly #file = new ReceivedFile();
  /** Only in acknowledged mode. */
  readonly #recovery: Recovery | undefined;
  readonly #finished: Repeated<directive.Finished>;
  #metadata: directive.Metadata | undefined;
  /** Size and checksum of the whole file. */
  #end: directive.Eof | undefined;
  /** The condition of the EOF that is not acknowledged yet. */
  #ackDue: Condition | undefined;
  #promptDue: directive.Prompt['response'] | undefined;
  #checks = 0;

  constructor(options: ReceiverOptions, now: number) {
    const { settings } = options;
    super(settings.faultHandlers, options.emit);
    this.#options = options;
    this.#settings = settings;
    this.#finished = new Repeated(this.time, settings.ackMs, settings.ackLimit);
    if (options.mode === 'acknowledged') {
      this.#recovery = new Recovery({ ...options, file: this.#file, time: this.time });
    }
    this.#awaitAnything(now);
  }

  get state(): ReceiverState {
    return this.#state;
  }

  get progress(): { readonly bytes: number; readonly size: number | undefined } {
    return { bytes: this.#file.ranges.total, size: this.#end?.size ?? this.#metadata?.size };
  }

  get received(): ByteRanges {
    return this.#file.ranges;
  }

  override receive(body: PduBody, now: number): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'receiving') this.#awaitAnything(now);
    switch (body.kind) {
      case 'metadata':
        return this.#onMetadata(body, now);
      case 'fileData':
        return this.#onData(body, now);
      case 'eof':
        return this.#onEof(body, now);
      case 'ack':
        if (this.#state === 'finishing' && body.of === 'finished') this.close();
        return;
      case 'prompt':
        this.#promptDue = body.response;
        return;
      default:
        this.ignored += 1;
    }
  }

  #onMetadata(metadata: directive.Metadata, now: number): void {
    if (this.#metadata !== undefined || this.#state !== 'receiving') return;
    this.#metadata = metadata;
    this.#recovery?.metadataCame(now);
    this.handlers = { ...this.#settings.faultHandlers, ...faultHandlersOf(metadata.options) };
    const refusal = this.#options.accept(metadata);
    this.emit({ kind: 'metadata', metadata, mode: this.#options.mode });
    if (refusal !== condition.noError) {
      return this.#finish({ condition: refusal, fileStatus: directive.fileStatus.rejected });
    }
    for (const chunk of this.#file.begin(metadata.checksumType)) this.emit({ kind: 'chunk', ...chunk });
    this.#finishWhenComplete(now);
  }

  #onData({ offset, data }: FileData, now: number): void {
    if (this.#state !== 'receiving' || data.length === 0) return;
    const before = this.#file.ranges.end;
    const end = offset + data.length;
    if (end > (this.#end?.size ?? this.#settings.fileBytes)) return this.fault(condition.fileSizeError, now);
    this.#recovery?.awaitMetadata(now);
    const chunks = this.#file.add(offset, data);
    if (chunks === undefined) return;
    this.#checks = 0;
    this.#recovery?.bytesCame(offset, end, before, now);
    for (const chunk of chunks) this.emit({ kind: 'chunk', ...chunk });
    this.#finishWhenComplete(now);
  }

  #onEof(eof: directive.Eof, now: number): void {
    if (this.#options.mode === 'acknowledged') this.#ackDue = eof.condition;
    if (this.#state !== 'receiving') return;
    if (eof.condition !== condition.noError) return this.#onCancel(eof);
    if (this.#end !== undefined) return;
    if (this.#file.ranges.end > eof.size || eof.size > this.#settings.fileBytes) {
      return this.fault(condition.fileSizeError, now);
    }
    this.#end = eof;
    this.emit({ kind: 'eof', size: eof.size, checksum: eof.checksum });
    this.#finishWhenComplete(now);
    if (this.#state !== 'receiving') return;
    if (this.#recovery === undefined) this.time.set('check', now, this.#settings.checkMs);
    else this.#recovery.endCame(eof.size, now);
  }

  /** The sender gives up; what is there may be the whole file all the same. */
  #onCancel({ condition: code, checksum, size, options }: directive.Eof): void {
    const isWhole = size > 0 && this.#metadata?.size === size && this.#file.ranges.covers(0, size);
    const complete = isWhole && this.#file.isSound(checksum, size) === true;
    this.#finish({ condition: code, complete, location: faultLocationOf(options) ?? this.#options.source });
  }

  #awaitAnything(now: number): void {
    this.time.set('inactivity', now, this.#settings.inactivityMs);
  }

  /** Metadata without a file needs no EOF. */
  get #isWithoutFile(): boolean {
    const { sourceName = '?', destinationName = '?', size = 1 } = this.#metadata ?? {};
    return sourceName === '' && destinationName === '' && size === 0;
  }

  #finishWhenComplete(now: number): void {
    if (this.#metadata === undefined || this.#state !== 'receiving') return;
    if (this.#isWithoutFile) {
      const { unreported } = directive.fileStatus;
      return this.#finish({ condition: condition.noError, fileStatus: unreported, complete: true });
    }
    if (this.#end === undefined || !this.#file.ranges.covers(0, this.#end.size)) return;
    const verified = this.#file.isSound(this.#end.checksum, this.#end.size);
    if (verified === false) return this.fault(condition.checksumFailure, now);
    if (verified === undefined) this.fault(condition.unsupportedChecksum, now);
    if (this.#state === 'receiving') this.#finishComplete(verified ?? false);
  }

  #finishComplete(verified: boolean): void {
    const fileStatus = directive.fileStatus.retained;
    this.#finish({ condition: condition.noError, fileStatus, complete: true, verified });
  }

  /** The result is known: it is reported and said to the sender (R3). */
  #finish(verdict: Verdict): void {
    const { condition: code, complete = false, verified = complete } = verdict;
    this.#state = 'finishing';
    this.time.clearAll();
    this.report({ condition: code, complete, verified });
    if (this.#options.mode === 'unacknowledged' && this.#metadata?.closure !== true) return this.close();
    const { discarded, retained } = directive.fileStatus;
    const fileStatus = verdict.fileStatus ?? (this.#settings.keepIncomplete ? retained : discarded);
    const location = faultLocation(verdict.location ?? this.#settings.local, this.#options.idBytes);
    const options = code === condition.noError ? [] : [location];
    this.#finished.begin({ kind: 'finished', condition: code, complete, fileStatus, options });
  }

  override pull(now: number): PduBody | undefined {
    if (!this.time.running || this.#state === 'closed') return undefined;
    return this.#takeAck() ?? this.#takeFinished(now) ?? this.#takeAnswer(now);
  }

  #takeAck(): directive.Ack | undefined {
    const code = this.#ackDue;
    this.#ackDue = undefined;
    const status = directive.transactionStatus.active;
    return code === undefined ? undefined : { kind: 'ack', of: 'eof', condition: code, status };
  }

  #takeFinished(now: number): directive.Finished | undefined {
    const finished = this.#finished.take(now);
    if (finished !== undefined && this.#options.mode === 'unacknowledged') this.close();
    return finished;
  }

  /** A keep alive or a NAK. */
  #takeAnswer(now: number): PduBody | undefined {
    if (this.#state !== 'receiving' || this.#recovery === undefined) return undefined;
    const asked = this.#promptDue;
    this.#promptDue = undefined;
    if (asked === 'keepAlive') return { kind: 'keepAlive', progress: this.#file.ranges.end };
    if (asked === 'nak') this.#recovery.askAll(now);
    return this.#recovery.take(now, asked === 'nak');
  }

  override get nextDue(): number | undefined {
    const asking = this.#state === 'receiving' ? this.#recovery?.nextDue : undefined;
    const due = [super.nextDue, asking].filter((at) => at !== undefined);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  override tick(now: number): void {
    if (!this.time.running) return;
    if (this.#finished.isUnanswered(now)) this.giveUp();
    if (this.time.isOver('inactivity', now)) this.fault(condition.inactivity, now);
    if (this.time.isOver('check', now)) this.#onCheckTimer(now);
    if (this.#state === 'receiving' && this.#recovery?.isInVain(now) === true) {
      this.fault(condition.nakLimit, now);
    }
  }

  #onCheckTimer(now: number): void {
    this.#checks += 1;
    if (this.#checks >= this.#settings.checkLimit) this.fault(condition.checkLimit, now);
    if (this.#state === 'receiving') this.time.set('check', now, this.#settings.checkMs);
  }

  protected override afterStop(now: number): void {
    this.#finished.afterStop();
    if (this.#state === 'receiving') this.#recovery?.afterStop(now);
  }

  override cancel(now: number, code: Condition = condition.cancelRequested): void {
    if (this.#state !== 'receiving') return;
    this.#finish({ condition: code });
    this.time.start('suspended', now);
  }

  /** Its sender has begun another transaction of its number (incoming.M4). */
  leave(): void {
    this.abandon(condition.inactivity);
  }

  protected override tolerate(code: Condition, now: number): void {
    this.#checks = 0;
    this.#awaitAnything(now);
    if (code === condition.nakLimit) this.#recovery?.again(now);
    else if (code === condition.checksumFailure) this.#finishComplete(false);
  }

  protected override close(): void {
    this.#state = 'closed';
    this.time.clearAll();
  }
}
