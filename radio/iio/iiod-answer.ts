/**
 * What iiod answers with: whole numbers in a line, counted values behind one.
 *
 * Y1. A malformed answer of these is an error, never a guess: the stream is out of step then.
 */

import type { ByteStream } from './byte-stream.ts';
import { errno, IioFailure } from './context.ts';

const NEWLINE = 0x0a;
const WHOLE = /^-?\d{1,10}$/;

/** Asks with one line and takes a number; throws an `IioFailure` that names what was asked when that is negative. */
export async function askNumber(stream: ByteStream, command: string, what: string): Promise<number> {
  await stream.write(`${command}\r\n`);
  return takeNumber(stream, what);
}

/** The number in the next line; throws an `IioFailure` when it is negative. */
export async function takeNumber(stream: ByteStream, what: string): Promise<number> {
  const line = await stream.line();
  if (!WHOLE.test(line)) throw new Error(`iiod answers "${line.slice(0, 40)}", which is no number`);
  const number = Number(line);
  if (number < 0) throw refusal(-number, what);
  return number;
}

/** The value behind its length, which is no longer than the limit. */
export async function takeValue(stream: ByteStream, length: number, limit: number): Promise<Buffer> {
  if (length > limit) throw new Error(`iiod answers with ${length} bytes, more than ${limit}`);
  const value = await stream.bytes(length + 1);
  if (value[length] !== NEWLINE) throw new Error(`no end of line after a value of ${length} bytes`);
  return value.subarray(0, length);
}

/** An attribute without the end mark that iiod puts behind it. */
export function attributeText(value: Buffer): string {
  const end = value.at(-1) === 0 ? value.length - 1 : value.length;
  return value.toString('utf8', 0, end);
}

function refusal(number: number, what: string): IioFailure {
  const name = Object.entries(errno).find(([, known]) => known === number)?.[0] ?? `error ${number}`;
  return new IioFailure(number, `${what}: iiod refuses with ${name}`);
}
