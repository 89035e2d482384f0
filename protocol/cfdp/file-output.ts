/**
 * The content of a file on its way out: once in the order of offsets, and again what was asked for.
 *
 * F1. No more of the file is in memory than two blocks: the caller is asked for the next bytes and gives them.
 * F2. What was asked for again is a set: asked for twice it is sent once, and what was sent again within the last
 *     moment is not sent once more, because NAKs are doubled on their way.
 * F3. The checksum is that of the bytes as they were first sent.
 */

import { assert } from '../../contract/assert.ts';
import { type ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import { CFDP_CONTENT_BYTES, CFDP_REPEAT_RANGES } from '../../contract/limits/cfdp.ts';
import { type FileChecksum, fileChecksum } from './checksum.ts';
import type { FileData } from './pdu.ts';

interface Block {
  readonly start: number;
  readonly bytes: Uint8Array;
}

export class FileOutput {
  readonly size: number;
  readonly #segmentBytes: number;
  readonly #repeatMs: number;
  readonly #checksum: FileChecksum;
  /** Everything before was sent once. */
  #sent = 0;
  #again = new ByteRanges(CFDP_REPEAT_RANGES);
  /** Sent again in this moment and in the one before (F2). */
  #justSent = new ByteRanges(CFDP_REPEAT_RANGES);
  #sentBefore = new ByteRanges(CFDP_REPEAT_RANGES);
  #momentAt = 0;
  #inOrder: Block | undefined;
  #repeated: Block | undefined;

  constructor(size: number, segmentBytes: number, type: number, repeatMs: number) {
    this.size = size;
    this.#segmentBytes = segmentBytes;
    this.#repeatMs = repeatMs;
    const checksum = fileChecksum(type);
    assert(checksum !== undefined, 'F3 a type of checksum that can be computed');
    this.#checksum = checksum;
  }

  /** Bytes sent at least once; what comes first is a prefix of the file. */
  get sent(): number {
    return this.#sent;
  }

  get sentOnce(): boolean {
    return this.#sent === this.size;
  }

  /** Of the bytes sent so far. */
  get checksum(): number {
    return this.#checksum.value(this.#sent);
  }

  /** The bytes needed next; undefined while there is something to send or nothing to do (F1). */
  get wanted(): ByteRange | undefined {
    const repeat = this.#again.first;
    if (repeat !== undefined && !holds(this.#repeated, this.#segmentOf(repeat))) {
      return [repeat[0], Math.min(repeat[1], repeat[0] + CFDP_CONTENT_BYTES)];
    }
    if (this.sentOnce || holds(this.#inOrder, this.#segmentOf([this.#sent, this.size]))) return undefined;
    return [this.#sent, Math.min(this.size, this.#sent + CFDP_CONTENT_BYTES)];
  }

  /** The bytes of the file from `offset`: what was wanted. */
  give(offset: number, bytes: Uint8Array): void {
    const block = { start: offset, bytes };
    if (offset < this.#sent) this.#repeated = block;
    else this.#inOrder = block;
  }

  /** Notes that bytes are to be sent again; those that were never sent come anyway. */
  repeat(start: number, end: number, now: number): void {
    this.#turn(now);
    for (const [low, high] of this.#justSent.missing(start, Math.min(end, this.#sent))) {
      for (const [from, to] of this.#sentBefore.missing(low, high)) this.#again.add(from, to);
    }
  }

  /** What was sent within the last moment was lost with the link. */
  forgetMoment(): void {
    this.#justSent = new ByteRanges(CFDP_REPEAT_RANGES);
    this.#sentBefore = new ByteRanges(CFDP_REPEAT_RANGES);
  }

  /** The next segment whose bytes are there. */
  next(now: number): FileData | undefined {
    const repeat = this.#again.first;
    const segment = repeat && this.#segmentOf(repeat);
    if (segment !== undefined && holds(this.#repeated, segment)) {
      this.#again.remove(...segment);
      this.#turn(now);
      this.#justSent.add(...segment);
      return dataOf(this.#repeated!, segment);
    }
    if (this.sentOnce) return undefined;
    const [start, end] = this.#segmentOf([this.#sent, this.size]);
    if (!holds(this.#inOrder, [start, end])) return undefined;
    const said = dataOf(this.#inOrder!, [start, end]);
    this.#checksum.add(start, said.data);
    this.#sent = end;
    return said;
  }

  #segmentOf([start, end]: ByteRange): ByteRange {
    return [start, Math.min(end, start + this.#segmentBytes)];
  }

  #turn(now: number): void {
    if (now - this.#momentAt < this.#repeatMs) return;
    const isNext = now - this.#momentAt < 2 * this.#repeatMs;
    this.#sentBefore = isNext ? this.#justSent : new ByteRanges(CFDP_REPEAT_RANGES);
    this.#justSent = new ByteRanges(CFDP_REPEAT_RANGES);
    this.#momentAt = now;
  }
}

function holds(block: Block | undefined, [start, end]: ByteRange): boolean {
  return block !== undefined && block.start <= start && end <= block.start + block.bytes.length;
}

function dataOf(block: Block, [start, end]: ByteRange): FileData {
  return {
    kind: 'fileData',
    offset: start,
    data: block.bytes.subarray(start - block.start, end - block.start),
  };
}
