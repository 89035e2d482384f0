/**
 * Bytes of one download by CFDP on their way out. All that goes out under one name is of one writing of the file, as
 * far as the spacecraft vouches for it (MC-GEN-022).
 *
 * N1. Each transaction of class 2 has a name of its own: it brings the whole file, and who asks again may get another
 *     writing of it.
 * N2. The bytes with which the file would be whole are kept back until the checksum that its sender says was right:
 *     nobody has a whole file of a transaction that failed.
 * N3. In class 1 nothing is sent again, so the transactions of a file complement each other under one name, where their
 *     checksum is one that can be computed. The file is whole when the bytes of all of them have the checksum that the
 *     last one says; otherwise none of them is used again.
 */

import { type ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import { TRANSFER_RANGES } from '../../contract/limits/transfer.ts';
import { checksumType, type FileChecksum, fileChecksum } from '../../protocol/cfdp/checksum.ts';
import { condition, conditionText } from '../../protocol/cfdp/condition.ts';
import type { Outcome } from '../../protocol/cfdp/event.ts';

export interface DownloadedPiece {
  readonly offset: number;
  readonly data: Uint8Array;
}

/** How a transaction brings a file. */
export interface Bringing {
  readonly mode: 'acknowledged' | 'unacknowledged';
  readonly checksumType: number;
}

/** What transactions of class 1 have in common (N3). */
interface Together {
  readonly ranges: ByteRanges;
  readonly checksum: FileChecksum;
}

export class DownloadedBytes {
  readonly name: string;
  /** Of the file, as it is listed. */
  readonly size: number;
  readonly #by: Bringing;
  readonly #together: Together | undefined;
  #bytes = 0;
  #last: DownloadedPiece | undefined;
  #end: { readonly size: number; readonly checksum: number } | undefined;

  constructor(name: string, size: number, by: Bringing) {
    this.name = name;
    this.size = size;
    this.#by = by;
    this.#together = togetherOf(by);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a transaction that failed has left what the next one may complement. */
  get isUnfinished(): boolean {
    return this.#together !== undefined && this.#bytes > 0 && this.#bytes < this.size;
  }

  /** Whether the transaction that begins complements these bytes. */
  isContinuedBy({ mode, checksumType: type }: Bringing): boolean {
    return this.isUnfinished && mode === this.#by.mode && type === this.#by.checksumType;
  }

  /** Takes bytes of the transaction, each of them once; gives what may go out now. */
  take(offset: number, data: Uint8Array): readonly DownloadedPiece[] {
    const fresh: readonly ByteRange[] =
      this.#together === undefined
        ? [[offset, offset + data.length]]
        : (this.#together.ranges.add(offset, offset + data.length) ?? []);
    const pieces = fresh.map(([start, end]) => ({
      offset: start,
      data: data.subarray(start - offset, end - offset),
    }));
    return pieces.filter((piece) => this.#isOut(piece));
  }

  /** What the sender says at the end of the file. */
  ends(size: number, checksum: number): void {
    this.#end = { size, checksum };
  }

  /** The transaction is over: gives the bytes that were kept back, or why it is not the file. */
  close({ condition: code, complete }: Outcome): readonly DownloadedPiece[] | string {
    if (this.#together !== undefined) return this.#closeTogether(code);
    if (code !== condition.noError) return conditionText(code);
    if (!complete) return 'the other entity does not have all of it';
    return this.#whole();
  }

  /** N3 */
  #closeTogether(code: Outcome['condition']): readonly DownloadedPiece[] | string {
    // Complete or not in itself: what counts is what all of them brought.
    const isOver = code === condition.noError || code === condition.checkLimit;
    if (!isOver || this.#bytes !== this.size || this.#end === undefined) {
      return code === condition.noError ? this.#short() : conditionText(code);
    }
    const { size, checksum } = this.#end;
    if (size === this.size && this.#together?.checksum.value(size) === checksum) return this.#whole();
    return 'its transactions did not bring the same file: it begins again';
  }

  #whole(): readonly DownloadedPiece[] | string {
    if (this.#bytes !== this.size) return this.#short();
    return this.#last === undefined ? [] : [this.#last];
  }

  #short(): string {
    return `${this.#bytes} bytes came, and ${this.size} are listed`;
  }

  /** N2 */
  #isOut(piece: DownloadedPiece): boolean {
    this.#bytes += piece.data.length;
    this.#together?.checksum.add(piece.offset, piece.data);
    if (this.#bytes !== this.size) return true;
    this.#last = { offset: piece.offset, data: Uint8Array.from(piece.data) };
    return false;
  }
}

function togetherOf({ mode, checksumType: type }: Bringing): Together | undefined {
  const checksum = fileChecksum(type);
  if (mode === 'acknowledged' || checksum === undefined || type === checksumType.none) return undefined;
  return { ranges: new ByteRanges(TRANSFER_RANGES), checksum };
}
