/**
 * The functions of the file memory: 9 to 13 of 8,1, and the packets that answer them, 8,130 and 8,131 of
 * `missions/demo/README.md`.
 */

import type { ListedFile } from './onboard-files.ts';
import type { OnboardState } from './onboard-state.ts';
import { type Execution, FAILURE, type Failure, type Task } from './task.ts';

const LISTING = { service: 8, subtype: 130 } as const;
const PART = { service: 8, subtype: 131 } as const;
const LISTED_AT_ONCE = 16;
const ENTRY_BYTES = 13;
/** Longest part: its packet is full. */
const PART_BYTES = 65_500;
/** File, offset, length. */
const WRITE_HEAD = 8;
const GENERATION_BYTES = 2;

/** As many packets as it takes; one without entries says that there are no files. */
export function listFiles({ files }: OnboardState, { send }: Execution): undefined {
  const listed = files.listing();
  for (let from = 0; from === 0 || from < listed.length; from += LISTED_AT_ONCE) {
    const entries = listed.slice(from, from + LISTED_AT_ONCE).map(entryOf);
    send({ ...LISTING, data: Buffer.concat([Buffer.from([entries.length]), ...entries]) });
  }
}

function entryOf({ id, type, size, crc32, generation }: ListedFile): Buffer {
  const entry = Buffer.alloc(ENTRY_BYTES);
  entry.writeUInt16BE(id, 0);
  entry.writeUInt8(type, 2);
  entry.writeUInt32BE(size, 3);
  entry.writeUInt32BE(crc32, 7);
  entry.writeUInt16BE(generation & 0xffff, 11);
  return entry;
}

export function readFile(data: Buffer): Task | Failure {
  const [file, offset, length] = [data.readUInt16BE(0), data.readUInt32BE(2), data.readUInt16BE(6)];
  if (length > PART_BYTES) return FAILURE.range;
  return ({ files }, { send }) => {
    const part = files.read(file, offset, length);
    if (part === undefined) return FAILURE.range;
    if (files.faults.has('no_chunks')) return undefined;
    const head = Buffer.alloc(8);
    head.writeUInt16BE(file, 0);
    head.writeUInt16BE(part.generation & 0xffff, 2);
    head.writeUInt32BE(offset, 4);
    send({ ...PART, data: Buffer.concat([head, part.bytes]) });
    return undefined;
  };
}

/** The generation may be left out. */
export function writeFile(data: Buffer): Task | Failure {
  if (data.length < WRITE_HEAD) return FAILURE.length;
  const end = WRITE_HEAD + data.readUInt16BE(6);
  if (data.length !== end && data.length !== end + GENERATION_BYTES) return FAILURE.length;
  const [file, offset] = [data.readUInt16BE(0), data.readUInt32BE(2)];
  const generation = data.length === end ? 0 : data.readUInt16BE(end);
  const bytes = Buffer.from(data.subarray(WRITE_HEAD, end));
  return ({ files }) => (files.write(file, generation, offset, bytes) ? undefined : FAILURE.range);
}

export function deleteFile(data: Buffer): Task {
  const file = data.readUInt16BE(0);
  return ({ files }) => (files.delete(file) ? undefined : FAILURE.range);
}

export function regenerateFile(data: Buffer): Task {
  const file = data.readUInt16BE(0);
  return ({ files }, { nowMs }) => (files.regenerate(file, nowMs) ? undefined : FAILURE.range);
}
