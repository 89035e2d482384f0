/**
 * The files that one CFDP entity brings down or up for whoever calls its verb `cfdp`. Mission Control Service, section
 * 4.7 rule 7. Without any input or output of its own, as the entity: the caller gives the time and takes PDUs.
 *
 * W1. A call begins a transaction where there is none of the same transfer; repeated, it says how that one goes
 *     (MC-CFDP-004). `failed` is answered once: the next call begins again (MC-CFDP-006).
 * W2. `completed` of a download is answered for a minute. Who calls for it still then does not have it: it begins
 *     again. An upload that is completed is on board: that is answered for as long as somebody calls, and it is never
 *     written again by itself. Neither is forgotten while the link is away.
 * W3. What is not called for any more stands still, and is given up later: its run has lost the lease, it was
 *     superseded, or the manager is changing. The link being away is no reason, and costs no time.
 * W4. Bytes come from a file of the size that was listed: of another size it is another generation (MC-GEN-022). A
 *     spacecraft that does not say the size first is believed up to the listed one, and judged at the end.
 *     Whether its bytes are those of one writing: `cfdp-download.ts`.
 * W5. `completed` of a download is answered once its bytes are stored, however long that takes; until then it runs.
 * W6. No handler that the spacecraft asks for makes a file run for ever: what is suspended at a fault is resumed by the
 *     next call, and fails when no byte has come until the next one; a fault of waiting that is ignored fails the file.
 */

import type { CfdpCall, CfdpReply } from '../../contract/cfdp.ts';
import type { FileChunk } from '../../contract/file-chunk.ts';
import {
  CFDP_COMPLETED_MS,
  CFDP_DOWNLOADS,
  CFDP_GIVEN_UP_MS,
  CFDP_UNASKED_MS,
} from '../../contract/limits/cfdp.ts';
import { transferKey } from '../../contract/transfer.ts';
import {
  type Condition,
  condition,
  conditionText,
  type FaultHandler,
} from '../../protocol/cfdp/condition.ts';
import { CfdpEntity, type EntityOptions } from '../../protocol/cfdp/entity.ts';
import type { CfdpEvent, Outcome } from '../../protocol/cfdp/event.ts';
import type { TransactionId } from '../../protocol/cfdp/user-message.ts';
import { type Bringing, DownloadedBytes, type DownloadedPiece } from './cfdp-download.ts';

export interface CfdpFilesOptions
  extends Pick<EntityOptions, 'settings' | 'peer' | 'wallMs' | 'leavesUnknown'> {
  /** A name for the transaction of a download; none is ever given twice. */
  readonly newTransaction: () => string;
  /** Bytes of a download; a view, valid until the next call. */
  readonly chunk: (chunk: FileChunk & { readonly target: string }) => void;
  /** Whether all that was given to `chunk` of a download is stored (W5); default: it is. */
  readonly isStored?: (call: CfdpCall) => boolean;
}

/** Content of an upload that is needed to go on; `give` it. */
export interface WantedContent {
  readonly id: TransactionId;
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

interface File {
  readonly call: CfdpCall;
  readonly id: TransactionId;
  /** What brings it, of a download. */
  by: TransactionId | undefined;
  askedAt: number;
  isSuspended: boolean;
  /** Bytes that were there when a fault suspended it. */
  bytesAtFault: number | undefined;
  /** Of a download whose bytes have begun to come. */
  download: DownloadedBytes | undefined;
  /** Why it cannot be what is asked for (W4). */
  refusal: string | undefined;
  end: End | undefined;
}

interface End {
  readonly at: number;
  readonly failed: string | undefined;
}

/** Faults that come again for ever where they are ignored and nothing comes. */
const WAITED_IN_VAIN: ReadonlySet<Condition> = new Set([
  condition.nakLimit,
  condition.inactivity,
  condition.checkLimit,
]);

export class CfdpFiles {
  readonly entity: CfdpEntity;
  readonly #files = new Map<string, File>();
  /** Downloads that failed and may be continued, the oldest first (cfdp-download.N3). */
  readonly #unfinished = new Map<string, DownloadedBytes>();
  readonly #newTransaction: () => string;
  readonly #chunk: CfdpFilesOptions['chunk'];
  readonly #isStored: (call: CfdpCall) => boolean;
  #isLinkUp = true;
  #downSince = 0;
  #now: number;

  constructor({ chunk, newTransaction, isStored = () => true, ...options }: CfdpFilesOptions, now: number) {
    this.#now = now;
    this.#newTransaction = newTransaction;
    this.#chunk = chunk;
    this.#isStored = isStored;
    this.entity = new CfdpEntity({ ...options, emit: (event) => this.#onEvent(event) }, now);
  }

  /** The verb. */
  answer(call: CfdpCall, now: number): CfdpReply {
    this.tick(now);
    const key = transferKey(call);
    const known = this.#files.get(key);
    if (known === undefined || !isSame(known.call, call)) return this.#begin(key, call, known, now);
    known.askedAt = now;
    if (known.end !== undefined) return this.#ended(key, known, known.end, now);
    if (known.isSuspended) this.entity.resume(known.id, now);
    known.isSuspended = false;
    return { outcome: 'running', bytes: this.#bytesOf(known) };
  }

  receive(pdu: Buffer, now: number): void {
    this.#now = now;
    this.entity.receive(pdu, now);
  }

  pull(now: number): Buffer | undefined {
    this.#now = now;
    return this.entity.pull(now);
  }

  tick(now: number): void {
    this.#now = now;
    this.entity.tick(now);
    for (const [key, file] of this.#files) {
      if (file.end !== undefined) {
        if (this.#isLinkUp && now - file.end.at >= 2 * CFDP_COMPLETED_MS) this.#files.delete(key);
      } else if (file.refusal !== undefined) this.#giveUp(file, file.refusal, now);
      else if (this.#isLinkUp) this.#tickUnasked(file, now);
    }
  }

  linkDown(now: number): void {
    if (this.#isLinkUp) this.#downSince = now;
    this.#isLinkUp = false;
    this.entity.linkDown(now);
  }

  linkUp(now: number): void {
    if (this.#isLinkUp) return;
    this.#isLinkUp = true;
    // Nobody calls while the link is away (W2, W3).
    for (const file of this.#files.values()) {
      file.askedAt += now - this.#downSince;
      if (file.end === undefined) continue;
      const { at, failed } = file.end;
      file.end = { at: at + now - Math.max(at, this.#downSince), failed };
    }
    this.entity.linkUp(now);
  }

  wanted(): WantedContent[] {
    return this.entity.wanted().flatMap(({ id, range: [start, end] }) => {
      const source = this.#of(id)?.call.source;
      return source === undefined ? [] : [{ id, source, start, end }];
    });
  }

  give(id: TransactionId, offset: number, bytes: Uint8Array | undefined, now: number): void {
    this.#now = now;
    const file = this.#of(id);
    if (bytes === undefined && file !== undefined)
      file.refusal ??= `its content ${file.call.source} is not stored from byte ${offset} on`;
    this.entity.give(id, offset, bytes, now);
  }

  /** Whether nothing is under way or waits to be sent, and nothing that is over is forgotten by time alone. */
  get isIdle(): boolean {
    const isAnswering = this.#isLinkUp
      ? this.#files.size > 0
      : [...this.#files.values()].some(({ end }) => end === undefined);
    return !isAnswering && this.entity.isIdle;
  }

  get isLinkUp(): boolean {
    return this.#isLinkUp;
  }

  #begin(key: string, call: CfdpCall, before: File | undefined, now: number): CfdpReply {
    if (before !== undefined && before.end === undefined) this.entity.cancel(before.id, now);
    this.#files.delete(key);
    const { direction, file_id: name, size } = call;
    const begun =
      direction === 'download'
        ? this.entity.get({ sourceName: name, destinationName: name }, now)
        : this.entity.put({ file: { sourceName: name, destinationName: name, size } }, now);
    if (!begun.ok) return { outcome: 'failed', reason: begun.faults[0] };
    const fresh = {
      by: undefined,
      isSuspended: false,
      bytesAtFault: undefined,
      download: undefined,
      refusal: undefined,
      end: undefined,
    };
    this.#files.set(key, { call, id: begun.value, askedAt: now, ...fresh });
    return { outcome: 'running', bytes: 0 };
  }

  /** W1, W2, W5 */
  #ended(key: string, file: File, { at, failed }: End, now: number): CfdpReply {
    const { direction, size } = file.call;
    if (failed === undefined && direction === 'upload') {
      file.end = { at: now, failed };
      return { outcome: 'completed' };
    }
    if (failed === undefined && !this.#isStored(file.call)) {
      file.end = { at: now, failed };
      return { outcome: 'running', bytes: size };
    }
    if (failed === undefined && now - at < CFDP_COMPLETED_MS) return { outcome: 'completed' };
    if (failed === undefined) return this.#begin(key, file.call, file, now);
    this.#files.delete(key);
    return { outcome: 'failed', reason: failed };
  }

  #bytesOf({ id, download, call }: File): number {
    return call.direction === 'download' ? (download?.bytes ?? 0) : (this.entity.report(id)?.bytes ?? 0);
  }

  /** W3 */
  #tickUnasked(file: File, now: number): void {
    const unasked = now - file.askedAt;
    if (unasked >= CFDP_GIVEN_UP_MS) this.#giveUp(file, 'it was not asked for any more', now);
    else if (unasked >= CFDP_UNASKED_MS && !file.isSuspended) {
      file.isSuspended = true;
      this.entity.suspend(file.id, now);
    }
  }

  #giveUp(file: File, failed: string, now: number): void {
    this.#isOver(file, { at: now, failed });
    this.entity.cancel(file.id, now);
  }

  #onEvent(event: CfdpEvent): void {
    const file = this.#of(event.id);
    if (file === undefined) return;
    switch (event.kind) {
      case 'downloadBegun':
        file.by = event.by;
        return;
      case 'metadata': {
        this.#checkSize(file, event.metadata.size);
        return this.#isBrought(file, { mode: event.mode, checksumType: event.metadata.checksumType });
      }
      case 'chunk':
        return this.#take(file, event.offset, event.bytes);
      case 'eof':
        return file.download?.ends(event.size, event.checksum);
      case 'fault':
        return this.#onFault(file, event.condition, event.handler);
      case 'ended':
        if (file.call.direction === 'upload') this.#end(file, event.outcome);
        return;
      case 'downloadEnded':
        return this.#end(file, event.outcome);
      default:
        return;
    }
  }

  /** W4; 0: it does not say. */
  #checkSize(file: File, size: number): void {
    const { direction, size: listed } = file.call;
    if (direction === 'download' && size !== 0 && size !== listed)
      file.refusal ??= `the file has ${size} bytes on board, and ${listed} are listed`;
  }

  /** A transaction begins to bring it. */
  #isBrought(file: File, by: Bringing): void {
    const { call } = file;
    if (call.direction !== 'download') return;
    const key = transferKey(call);
    const unfinished = this.#unfinished.get(key);
    this.#unfinished.delete(key);
    const isContinued = unfinished?.size === call.size && unfinished.isContinuedBy(by);
    file.download = isContinued ? unfinished : new DownloadedBytes(this.#newTransaction(), call.size, by);
  }

  #take(file: File, offset: number, data: Uint8Array): void {
    const { direction, size } = file.call;
    if (offset + data.length > size)
      file.refusal ??= `the file has more than the ${size} bytes that are listed`;
    if (file.refusal !== undefined || file.end !== undefined || direction !== 'download') return;
    this.#publish(file, file.download?.take(offset, data) ?? []);
  }

  #publish({ call, download }: File, pieces: readonly DownloadedPiece[]): void {
    const { target, file_id, generation } = call;
    for (const { offset, data } of pieces)
      this.#chunk({ target, file: file_id, generation, offset, data, transaction: download!.name });
  }

  /** Whatever its sender says is to be done about it: with a wrong checksum it is not the file. Else W6. */
  #onFault(file: File, code: Condition, handler: FaultHandler): void {
    const isWrong =
      file.call.direction === 'download' && code === condition.checksumFailure && file.download !== undefined;
    if (isWrong || (handler === 'ignore' && WAITED_IN_VAIN.has(code))) file.refusal ??= conditionText(code);
    if (handler !== 'suspend') return;
    const bytes = this.entity.report(file.id)?.bytes;
    if (bytes === file.bytesAtFault) file.refusal ??= conditionText(code);
    file.bytesAtFault = bytes;
    file.isSuspended = true;
  }

  #end(file: File, outcome: Outcome): void {
    if (file.end !== undefined) return;
    this.#isOver(file, { at: this.#now, failed: file.refusal ?? this.#close(file, outcome) });
  }

  /** The number of what brought it may come again, with another file. */
  #isOver(file: File, end: End): void {
    file.end = end;
    file.by = undefined;
  }

  /** Why it is not the file that was asked for; undefined when it is, and all of it is given out. */
  #close(file: File, outcome: Outcome): string | undefined {
    const { call, download } = file;
    if (call.direction === 'upload' || download === undefined) return failureOf(call, outcome);
    const closed = download.close(outcome);
    if (typeof closed !== 'string') return void this.#publish(file, closed);
    if (!download.isUnfinished) return closed;
    this.#unfinished.set(transferKey(call), download);
    const [oldest] = this.#unfinished.keys();
    if (this.#unfinished.size > CFDP_DOWNLOADS && oldest !== undefined) this.#unfinished.delete(oldest);
    return closed;
  }

  #of(id: TransactionId): File | undefined {
    for (const file of this.#files.values())
      if (isId(file.id, id) || (file.by !== undefined && isId(file.by, id))) return file;
    return undefined;
  }
}

/** Of an upload, and of a download that did not begin to come. */
function failureOf(
  { direction, size }: CfdpCall,
  { condition: code, complete }: Outcome,
): string | undefined {
  if (code !== condition.noError) return conditionText(code);
  if (!complete) return 'the other entity does not have all of it';
  return direction === 'download' ? `0 bytes came, and ${size} are listed` : undefined;
}

function isId(a: TransactionId, b: TransactionId): boolean {
  return a.source === b.source && a.sequence === b.sequence;
}

/** Whether it is the same transfer, not another of that name. */
function isSame(a: CfdpCall, b: CfdpCall): boolean {
  return a.size === b.size && a.source === b.source;
}
