/**
 * The CFDP entity of a simulated spacecraft over its file memory: gives files that the ground asks for by proxy put
 * requests, and takes those that it sends. CCSDS 727.0-B-5; what this spacecraft makes of it is in
 * `missions/demo/README.md`. Without any input or output: the caller gives the time and takes PDUs.
 *
 * J1. A name is the identifier of a file in decimal digits. Another one, and a file that is not there, is refused.
 * J2. What is sent for a request is the file as it was when it was asked for: a file that is deleted or written again
 *     meanwhile ends the transaction, and no byte of another generation leaves in it.
 * J3. A file that comes is in the memory when its transaction says that it is whole, not before.
 * J4. A restart forgets every transaction, and with it what came of files.
 * J5. Nothing that the ground sends is kept but in transactions and pages of files, both of them bounded.
 */

import { condition } from '../../protocol/cfdp/condition.ts';
import type { Metadata } from '../../protocol/cfdp/directive.ts';
import { keyOf } from '../../protocol/cfdp/downloads.ts';
import { CfdpEntity, type EntityOptions } from '../../protocol/cfdp/entity.ts';
import type { CfdpEvent } from '../../protocol/cfdp/event.ts';
import type { TransactionId } from '../../protocol/cfdp/user-message.ts';
import { IncomingFile } from './incoming-file.ts';
import { ONBOARD_FILE_BYTES, type OnboardFiles, type OpenedFile } from './onboard-files.ts';

/** How often it repeats itself and asks again, every ten seconds: it does not know of passes. */
const ATTEMPTS = 30;

export interface CfdpDesign {
  /** Of the space packets that carry PDUs, both ways. */
  readonly apid: number;
  /** This entity, and the one of the ground. */
  readonly entity: bigint;
  readonly ground: bigint;
  /** The largest PDU that is sent. */
  readonly pduBytes: number;
}

/** What is sent for a request. */
interface Outgoing {
  readonly id: TransactionId;
  readonly file: OpenedFile;
  /** The request. */
  readonly originating: TransactionId;
}

/** Of a moment: `now` as the machine counts, `wallMs` of the calendar. */
export interface Moment {
  readonly now: number;
  readonly wallMs: number;
}

export class OnboardCfdp {
  /** Bytes of PDUs sent since the last boot. */
  sentBytes = 0;
  readonly #design: CfdpDesign;
  readonly #files: OnboardFiles;
  readonly #outgoing = new Map<string, Outgoing>();
  readonly #incoming = new Map<string, IncomingFile>();
  /** Transactions that found no room in the memory. */
  readonly #full: TransactionId[] = [];
  #entity: CfdpEntity;
  #now: number;

  constructor(design: CfdpDesign, files: OnboardFiles, moment: Moment) {
    this.#design = design;
    this.#files = files;
    this.#now = moment.now;
    this.#entity = this.#newEntity(moment);
  }

  get transactions(): number {
    return this.#entity.transactions;
  }

  /** J4 */
  restart(moment: Moment): void {
    for (const file of this.#incoming.values()) file.discard();
    this.#incoming.clear();
    this.#outgoing.clear();
    this.#full.length = 0;
    this.sentBytes = 0;
    this.#now = moment.now;
    this.#entity = this.#newEntity(moment);
  }

  receive(pdu: Buffer, now: number): void {
    this.#now = now;
    this.#entity.receive(pdu, now);
    this.#endFull(now);
  }

  /** The next PDU for the ground; undefined when there is none now. */
  next(now: number): Buffer | undefined {
    this.#now = now;
    this.#entity.tick(now);
    this.#endChanged(now);
    this.#give(now);
    const pdu = this.#entity.pull(now);
    this.sentBytes += pdu?.length ?? 0;
    return pdu;
  }

  /** When `next` has something to do at the latest, behind one that gave nothing. */
  due(now: number): number | undefined {
    return this.#entity.nextDue(now);
  }

  #newEntity({ now, wallMs }: Moment): CfdpEntity {
    const { entity: local, ground: peer, pduBytes } = this.#design;
    const limits = { ackLimit: ATTEMPTS, nakLimit: ATTEMPTS, fileBytes: ONBOARD_FILE_BYTES };
    const settings: EntityOptions['settings'] = { local, pduBytes, ...limits };
    const accept = (metadata: Metadata, id: TransactionId): boolean => this.#accept(metadata, id);
    return new CfdpEntity({ settings, peer, wallMs, accept, emit: (event) => this.#on(event) }, now);
  }

  #on(event: CfdpEvent): void {
    switch (event.kind) {
      case 'proxyPut':
        return this.#serve(event);
      case 'proxyPutCancel':
        return this.#cancel(event.id);
      case 'chunk':
        return this.#take(event.id, event.offset, event.bytes);
      case 'ended':
        return this.#ended(event.id, event.outcome.complete && event.outcome.condition === condition.noError);
      default:
        return;
    }
  }

  /** J1, J2. With the fault `no_chunks` nothing more is said of the request. */
  #serve({ id, destination, sourceName, destinationName }: Extract<CfdpEvent, { kind: 'proxyPut' }>): void {
    if (this.#files.faults.has('no_chunks')) return;
    const number = identifierOf(sourceName);
    const file = number === undefined ? undefined : this.#files.open(number);
    if (file === undefined || destination !== this.#design.ground) return this.#refuse(id);
    const order = { file: { sourceName, destinationName, size: file.size }, originating: id };
    const put = this.#entity.put(order, this.#now);
    if (put.ok) this.#outgoing.set(keyOf(put.value), { id: put.value, file, originating: id });
    else this.#refuse(id);
  }

  #refuse(request: TransactionId): void {
    this.#entity.refusePut(request, condition.filestoreRejection, this.#now);
  }

  #cancel(request: TransactionId): void {
    for (const { id, originating } of this.#outgoing.values())
      if (keyOf(originating) === keyOf(request)) this.#entity.cancel(id, this.#now);
  }

  /** J2 */
  #endChanged(now: number): void {
    for (const { id, file } of this.#outgoing.values())
      if (!file.isCurrent()) this.#entity.cancel(id, now, condition.filestoreRejection);
  }

  #give(now: number): void {
    for (const { id, range } of this.#entity.wanted()) {
      const [start, end] = range;
      this.#entity.give(id, start, this.#outgoing.get(keyOf(id))?.file.read(start, end - start), now);
    }
  }

  #accept({ destinationName, size }: Metadata, id: TransactionId): boolean {
    const number = identifierOf(destinationName);
    if (number === undefined || !this.#files.hasRoomFor(number, size)) return false;
    this.#incoming.get(keyOf(id))?.discard();
    this.#incoming.set(keyOf(id), new IncomingFile(number, this.#files));
    return true;
  }

  #take(id: TransactionId, offset: number, bytes: Uint8Array): void {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (this.#incoming.get(keyOf(id))?.write(offset, data) === false) this.#full.push(id);
  }

  /** Behind the call in which it was found: an entity is not called out of its own calls for what it is doing. */
  #endFull(now: number): void {
    for (const id of this.#full.splice(0)) this.#entity.cancel(id, now, condition.filestoreRejection);
  }

  /** J3 */
  #ended(id: TransactionId, isWhole: boolean): void {
    this.#outgoing.delete(keyOf(id));
    const file = this.#incoming.get(keyOf(id));
    this.#incoming.delete(keyOf(id));
    if (isWhole) file?.keep();
    else file?.discard();
  }
}

/** J1 */
function identifierOf(name: string): number | undefined {
  return /^[1-9]\d{0,4}$/.test(name) && Number(name) <= 0xffff ? Number(name) : undefined;
}
