/**
 * Rows in the binary form of COPY: 64-bit integers, NaN and times bit for bit, and nothing to escape.
 *
 * Y1. A text of PostgreSQL cannot hold the character NUL: it is stored as its picture, `␀` (U+2400).
 * Y2. Rows are written one field after the other; whoever takes the bytes takes whole rows.
 */

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);
const FIRST_BYTES = 64 * 1024;
/** 2000-01-01 in ms since 1970: times of PostgreSQL count from there, in microseconds. */
const EPOCH_MS = 946_684_800_000;
const TWO_32 = 2 ** 32;
/** Escapes in a JSON text; of surrogates it escapes halves alone. */
const ESCAPES = /\\(?:u[0-9a-f]{4}|[^u])/gi;

export class CopyBytes {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  /** Rows that were begun here. */
  count = 0;

  /** The beginning of a COPY; `part`: rows alone, to be put into one. */
  constructor(part?: 'part') {
    if (part === undefined) this.#append(SIGNATURE);
  }

  get length(): number {
    return this.#length;
  }

  /** Whole rows so far; what is returned is good until the next field is written. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.allocUnsafe(this.#bytes.length);
    this.#length = 0;
    return taken;
  }

  /** A copy of the rows so far, which are forgotten. */
  cut(): Uint8Array {
    const rows = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return rows;
  }

  /** The end of all rows. */
  end(): Buffer {
    this.#append(TRAILER);
    return this.take();
  }

  row(fields: number): void {
    this.count += 1;
    this.#room(2);
    this.#length = this.#bytes.writeInt16BE(fields, this.#length);
  }

  none(): void {
    this.#room(4);
    this.#length = this.#bytes.writeInt32BE(-1, this.#length);
  }

  bool(value: boolean): void {
    this.#room(5);
    this.#bytes.writeInt32BE(1, this.#length);
    this.#length = this.#bytes.writeUInt8(value ? 1 : 0, this.#length + 4);
  }

  int2(value: number): void {
    this.#room(6);
    this.#bytes.writeInt32BE(2, this.#length);
    this.#length = this.#bytes.writeInt16BE(value, this.#length + 4);
  }

  int4(value: number): void {
    this.#room(8);
    this.#bytes.writeInt32BE(4, this.#length);
    this.#length = this.#bytes.writeInt32BE(value, this.#length + 4);
  }

  /** An integer that a double holds. */
  int8(value: number): void {
    this.#room(12);
    this.#bytes.writeInt32BE(8, this.#length);
    const high = Math.floor(value / TWO_32);
    this.#bytes.writeInt32BE(high, this.#length + 4);
    this.#length = this.#bytes.writeUInt32BE(value - high * TWO_32, this.#length + 8);
  }

  float8(value: number): void {
    this.#room(12);
    this.#bytes.writeInt32BE(8, this.#length);
    this.#length = this.#bytes.writeDoubleBE(value, this.#length + 4);
  }

  /** ms since 1970, to the microsecond. */
  time(ms: number): void {
    const whole = Math.floor(ms);
    this.int8((whole - EPOCH_MS) * 1_000 + Math.round((ms - whole) * 1_000));
  }

  text(value: string): void {
    // Y1
    const text = value.includes('\0') ? value.replaceAll('\0', '␀') : value;
    const length = Buffer.byteLength(text);
    this.#room(4 + length);
    this.#bytes.writeInt32BE(length, this.#length);
    this.#bytes.write(text, this.#length + 4);
    this.#length += 4 + length;
  }

  bytes(value: Uint8Array): void {
    this.#room(4 + value.length);
    this.#bytes.writeInt32BE(value.length, this.#length);
    this.#bytes.set(value, this.#length + 4);
    this.#length += 4 + value.length;
  }

  /** An integer of any size, as `numeric`: its digits to the base 10,000. */
  numeric(value: bigint): void {
    const text = (value < 0n ? -value : value).toString();
    const groups = Math.ceil(text.length / 4);
    const padded = text.padStart(groups * 4, '0');
    this.#room(12 + groups * 2);
    let at = this.#bytes.writeInt32BE(8 + groups * 2, this.#length);
    at = this.#bytes.writeInt16BE(groups, at);
    at = this.#bytes.writeInt16BE(groups - 1, at);
    at = this.#bytes.writeUInt16BE(value < 0n ? 0x4000 : 0, at);
    at = this.#bytes.writeUInt16BE(0, at);
    for (let group = 0; group < groups; group += 1)
      at = this.#bytes.writeInt16BE(Number(padded.slice(group * 4, group * 4 + 4)), at);
    this.#length = at;
  }

  /** JSON as `jsonb`, which can hold neither NUL (Y1) nor half a character. */
  json(value: unknown): void {
    const text = JSON.stringify(value).replace(ESCAPES, (sequence) =>
      sequence === '\\u0000' ? '␀' : /^\\ud[89a-f]/i.test(sequence) ? '\ufffd' : sequence,
    );
    const length = Buffer.byteLength(text);
    this.#room(5 + length);
    this.#bytes.writeInt32BE(length + 1, this.#length);
    // Version of the binary form of jsonb.
    this.#bytes.writeUInt8(1, this.#length + 4);
    this.#bytes.write(text, this.#length + 5);
    this.#length += 5 + length;
  }

  /** Bytes of whole rows that were written elsewhere. */
  rows(bytes: Uint8Array): void {
    this.#append(bytes);
  }

  #append(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #room(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
