/**
 * Which bytes are asked for, and when: the requests of one target in one direction. Mission Control Service, section
 * 4.7 rule 3. Pure: time comes with each call.
 *
 * P1. What is asked and not yet received stays below two seconds of the rate.
 * P2. A byte that is asked is not asked again before its request has failed, has been without its chunk for 15 s since
 *     it was sent, or has been without any end for 60 s. A byte that was received is never asked.
 * P3. Whoever has the higher priority is served first, then whoever is older; a file from its beginning.
 * P4. A request is as long as a chunk may be, and no longer than a part of the pipeline, so that one is on its way
 *     while another is answered. A rest of the pipeline that is smaller than the next request waits until there is
 *     room.
 * P5. Behind a failure the next request waits, longer each time, until one does not fail: a target that refuses is not
 *     asked four times a second. Requests that were made before a failure and fail behind it count once with it.
 * P6. What is written awaits its end instead of a chunk (MC-UPL-009).
 * P7. Less is asked where requests wait long for their turn to leave (`queue-room.ts`). One that was forgotten before
 *     it left may still be in front of the link: it counts there until it ends or is too old to leave, and what it
 *     brings counts as well.
 */

import { type ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import { TC_MAX_AGE_MS } from '../../contract/limits/telecommand.ts';
import {
  TRANSFER_CHUNK_WAIT_MS,
  TRANSFER_FAILED_MS,
  TRANSFER_FORGOTTEN_MS,
  TRANSFER_PIPELINE_MS,
  TRANSFER_PIPELINE_PARTS,
  TRANSFER_TICK_MS,
} from '../../contract/limits/transfer.ts';
import { QueueRoom } from './queue-room.ts';
import { type Request, Requests } from './requests.ts';

/** A transfer that waits for bytes. */
export interface Waiting {
  readonly key: string;
  readonly priority: number;
  /** ms since 1970 */
  readonly createdAt: number;
  readonly size: number;
  readonly received: ByteRanges;
}

export interface Asked {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

interface PipelineLimits {
  /** bit/s */
  readonly rate: number;
  /** Bytes. */
  readonly maxChunk: number;
}

export class Pipeline {
  readonly #awaits: 'chunk' | 'end';
  readonly #requests: Requests;
  /** What is asked and neither received nor given up, by transfer. */
  readonly #open = new Map<string, ByteRanges>();
  readonly #room = new QueueRoom();
  /** Forgotten before they left, the oldest first (P7). */
  readonly #late = new Map<string, Request>();
  #lateBytes = 0;
  readonly #gone: (id: string) => void;
  #failures = 0;
  /** When the failure was that counts last. */
  #failedAt = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** `gone` is called with the identifier of each request of which nothing is known any more. */
  constructor(awaits: 'chunk' | 'end' = 'chunk', gone: (id: string) => void = () => undefined) {
    this.#awaits = awaits;
    this.#gone = gone;
    this.#requests = new Requests((id) => {
      if (!this.#late.has(id)) gone(id);
    });
  }

  /** Bytes asked and not yet received. */
  get underWay(): number {
    let bytes = 0;
    for (const ranges of this.#open.values()) bytes += ranges.total;
    return bytes;
  }

  get idle(): boolean {
    return this.#requests.size === 0;
  }

  /** What may be asked now, one after the other; each counts once it is given to `asked`. */
  *next(waiting: readonly Waiting[], limits: PipelineLimits, now: number): Generator<Asked> {
    this.#expire(now);
    if (now < this.#notBefore) return;
    const most = bytesUnder(limits.rate);
    const length = Math.max(1, Math.min(limits.maxChunk, Math.floor(most / TRANSFER_PIPELINE_PARTS)));
    for (const transfer of [...waiting].sort(byTurn)) {
      for (;;) {
        const range = this.#missing(transfer, length);
        if (range === undefined) break;
        const bytes = range[1] - range[0];
        if (!this.#hasRoom(bytes, most) || now < this.#notBefore) return;
        yield { key: transfer.key, start: range[0], end: range[1] };
        // One that was not taken ends the turn: the next would be the same.
        if (!this.#isAsked(transfer.key, range)) return;
      }
    }
  }

  /** A request was made under this identifier. */
  asked(id: string, { key, start, end }: Asked, now: number): void {
    this.#openOf(key).add(start, end);
    const ahead = this.underWay + this.#lateBytes;
    this.#requests.add({ id, key, start, end, at: now, ahead, sentAt: undefined });
  }

  /** Which bytes a request is about, also one that was forgotten; undefined where nothing is known of it. */
  request(id: string): Asked | undefined {
    return this.#requests.get(id) ?? this.#late.get(id);
  }

  sent(id: string, at: number): void {
    const request = this.#requests.get(id);
    if (request === undefined) return this.#leftLate(id, at);
    if (request.sentAt !== undefined) return;
    request.sentAt = at;
    this.#left(request, at);
  }

  /** It ended well: its chunk is awaited, or, of what was written, it is done. */
  ended(id: string, at: number): void {
    this.#failures = 0;
    this.sent(id, at);
    this.#noLonger(id);
    if (this.#awaits === 'end') this.#drop(id);
  }

  /** Its bytes are asked again (P5). */
  failed(id: string | undefined, at: number): void {
    const request = id === undefined ? undefined : this.#requests.get(id);
    if (id !== undefined && request === undefined) return this.#noLonger(id);
    if (id !== undefined) this.#drop(id);
    // A clock that was set back lets no failure pass.
    if (request !== undefined && request.at < this.#failedAt && this.#failedAt <= at) return;
    this.#failedAt = at;
    this.#notBefore = at + Math.min(TRANSFER_FAILED_MS, TRANSFER_TICK_MS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 10);
  }

  /** These bytes of a transfer are there. */
  received(key: string, start: number, end: number, at: number): void {
    this.#failures = 0;
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#take(key, start, end);
    for (const request of this.#requests.touching(key, start, end)) {
      if (open.overlaps(request.start, request.end)) continue;
      if (request.sentAt === undefined) this.#left(request, at);
      this.#requests.delete(request.id);
    }
  }

  /** Nothing of a transfer is asked any more. */
  forget(key: string): void {
    this.#open.delete(key);
    for (const { id } of this.#requests.ofKey(key)) this.#requests.delete(id);
    for (const request of this.#late.values()) if (request.key === key) this.#noLonger(request.id);
  }

  /** P2 */
  #expire(now: number): void {
    for (const request of this.#requests.all()) {
      if (!this.#isOver(request, now)) continue;
      if (request.sentAt === undefined && now > request.at) this.#isLate(request, now);
      this.#drop(request.id);
    }
    for (const { id, at } of this.#late.values())
      if (now < at || now - at > TC_MAX_AGE_MS) this.#noLonger(id);
  }

  /** P1, P7: one request may always be made. */
  #hasRoom(bytes: number, most: number): boolean {
    const all = this.underWay + bytes;
    return all <= most && (all === bytes || all + this.#lateBytes <= this.#room.bytes);
  }

  #isLate(request: Request, now: number): void {
    this.#left(request, now);
    this.#late.set(request.id, request);
    this.#lateBytes += request.end - request.start;
  }

  #leftLate(id: string, at: number): void {
    const request = this.#late.get(id);
    if (request === undefined || request.sentAt !== undefined) return;
    request.sentAt = at;
    this.#lateBytes -= request.end - request.start;
    this.#left(request, at);
  }

  /** Nothing more is known of it, where it is one that was forgotten. */
  #noLonger(id: string): void {
    const request = this.#late.get(id);
    if (request === undefined) return;
    this.#late.delete(id);
    if (request.sentAt === undefined) this.#lateBytes -= request.end - request.start;
    this.#gone(id);
  }

  /** It waits no more to leave: P7. */
  #left({ start, end, at, ahead }: Request, now: number): void {
    this.#room.left(end - start, ahead, now - at);
  }

  #isOver({ at, sentAt }: Request, now: number): boolean {
    // A clock that was set back keeps nobody waiting for longer.
    if (now < at) return true;
    if (now - at >= TRANSFER_FORGOTTEN_MS) return true;
    return this.#awaits === 'chunk' && sentAt !== undefined && now - sentAt >= TRANSFER_CHUNK_WAIT_MS;
  }

  #drop(id: string): void {
    const request = this.#requests.get(id);
    if (request === undefined) return;
    this.#requests.delete(id);
    this.#take(request.key, request.start, request.end);
  }

  #take(key: string, start: number, end: number): void {
    const open = this.#open.get(key);
    open?.remove(start, end);
    if (open?.total === 0) this.#open.delete(key);
  }

  #openOf(key: string): ByteRanges {
    const open = this.#open.get(key) ?? new ByteRanges();
    this.#open.set(key, open);
    return open;
  }

  #isAsked(key: string, [start, end]: ByteRange): boolean {
    return this.#open.get(key)?.covers(start, end) === true;
  }

  /** The first bytes that are neither there nor asked, at most so many. */
  #missing({ key, size, received }: Waiting, length: number): ByteRange | undefined {
    const open = this.#open.get(key);
    for (let at = 0; at < size; ) {
      const [gap] = received.missing(at, size, 1);
      if (gap === undefined) return undefined;
      const [free] = open === undefined ? [gap] : open.missing(gap[0], gap[1], 1);
      if (free !== undefined) return [free[0], Math.min(free[1], free[0] + length)];
      at = gap[1];
    }
    return undefined;
  }
}

/** The most bytes that stay below the time of the pipeline, at least one (P1). */
export function bytesUnder(rate: number): number {
  return Math.max(1, Math.ceil((rate * TRANSFER_PIPELINE_MS) / 8_000) - 1);
}

/** P3 */
export function byTurn(one: Waiting, other: Waiting): number {
  if (one.priority !== other.priority) return other.priority - one.priority;
  if (one.createdAt !== other.createdAt) return one.createdAt - other.createdAt;
  return one.key < other.key ? -1 : 1;
}
