/**
 * A program as it is stored in bucket `mcs_ir`: canonical JSON, named by its SHA-256. Mission Control Service, section
 * 4.2 rule 5 and section 9 item 3.
 *
 * G1. The same program has the same bytes, so one name means one program and a repeated store changes nothing.
 * G2. A stored program is not checked again: it is what its name says, or it is refused.
 */

import { createHash } from 'node:crypto';
import type { Program } from '../../contract/program.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import { canonicalJson } from '../canonical.ts';

export interface ProgramDocument {
  /** SHA-256 (hexadecimal) of `canonical`: the key it is stored under. */
  readonly ir: string;
  readonly canonical: string;
}

/** The stored form of a program. */
export function programDocument(program: Program): ProgramDocument {
  const canonical = canonicalJson(program);
  return { ir: hashOf(canonical), canonical };
}

/**
 * How many bytes the stored form has, at least and about, reported without making it; past `most` not reported to its
 * end. A long input stands in every statement that may show it, so texts are measured once.
 */
export function programBytes(program: unknown, most: number): number {
  const texts = new Map<string, number>();
  let bytes = 0;
  const measure = (value: unknown): void => {
    if (typeof value === 'string') bytes += textBytes(value, texts);
    else if (typeof value !== 'object' || value === null) bytes += String(value).length;
    else if (Array.isArray(value)) members(value, 0);
    else members(Object.values(value), 4, Object.keys(value));
  };
  const members = (values: readonly unknown[], around: number, keys: readonly string[] = []): void => {
    bytes += 2;
    for (let index = 0; index < values.length && bytes <= most; index += 1) {
      bytes += (keys[index]?.length ?? 0) + around + 1;
      measure(values[index]);
    }
  };
  measure(program);
  return bytes;
}

/** As JSON: a control character takes six bytes. */
function textBytes(text: string, known: Map<string, number>): number {
  let bytes = known.get(text);
  if (bytes === undefined) {
    bytes = Buffer.byteLength(JSON.stringify(text));
    known.set(text, bytes);
  }
  return bytes;
}

/** The program stored under `ir`; refuses bytes of another hash and another format. */
export function readProgram(bytes: Uint8Array, ir: string): Result<Program, string> {
  const hash = hashOf(bytes);
  if (hash !== ir) return refused(`the program stored under ${ir} has the hash ${hash}`);
  const program = JSON.parse(Buffer.from(bytes).toString('utf8')) as Program;
  if (program.format === 1) return accepted(program);
  return refused(`the program ${ir} is of format ${String(program.format)}; this service reads format 1`);
}

function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
