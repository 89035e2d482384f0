/** What of a file comes down is what the spacecraft has: MC-GEN-022, MC-XFER-023 to MC-XFER-026, MC-XFER-047. */

import { createHash } from 'node:crypto';
import { ByteRanges } from '../../../contract/byte-ranges.ts';
import { contentObject, receivedBy, type StoredTransfer } from '../../../contract/transfer.ts';
import { keyOf } from '../run-history.ts';
import type { Generation } from '../transfers/board.ts';
import type { FileHistory, TransferVersion } from '../transfers/history.ts';
import { lateParts } from '../transfers/terms.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import type { Checker } from './checker.ts';

/** No write has more. */
const WRITTEN_BYTES = 100;

export const oneGenerationEach: Checker = {
  name: 'files-are-one-generation',
  overRewinds: 'complete',
  promise:
    'what is stored of a file, in parts and whole, is byte for byte what the spacecraft has of the very generation',
  *check({ files }) {
    if (files === undefined) return;
    for (const message of files.objects) if (!message.removal) yield* partFaults(message, files);
    for (const version of files.versions) yield* contentFaults(version, files);
  },
};

function* partFaults(message: StoredMessage, files: FileHistory): Iterable<string> {
  const [target = '', file_id = '', generation = '', offset] = keyOf(message).split('.');
  // A spacecraft that says wrong generations is found by its checksums.
  if (files.lied.has(target)) return;
  const made = files.generation({ target, file_id, generation: Number(generation) });
  const start = Number(offset ?? 0);
  if (made === undefined || !isOf(made, start, message.data))
    yield `${keyOf(message)} (${message.seq} by ${message.by}) is not of that generation`;
}

/** One that is written while it is read has what it had at one time or another. */
function isOf({ versions, isWritten }: Generation, start: number, data: Uint8Array): boolean {
  const has = (bytes: Uint8Array, at: number): boolean =>
    versions.some((version) => Buffer.compare(version.subarray(at, at + bytes.length), bytes) === 0);
  if (!isWritten) return has(data, start);
  return data.every((_, n) => has(data.subarray(n, n + 1), start + n));
}

function* contentFaults({ key, record, before }: TransferVersion, files: FileHistory): Iterable<string> {
  const { state, actor, size, direction } = record;
  if (before?.record.state === state || !['COMPLETE', 'VERIFIED', 'CORRUPTED', 'PROCESSED'].includes(state))
    return;
  const made = files.generation(record);
  const hashes = (made?.versions ?? []).map(hashed);
  const sha256 = actor.content?.sha256 ?? '';
  const isLiar = files.lied.has(record.target) && state !== 'VERIFIED';
  const isLoose = isLiar || (made?.isWritten === true && state !== 'VERIFIED');
  if (direction === 'upload') yield* uploadFaults(key, record, hashes, files);
  else if (size > 0 && !isLoose && !hashes.includes(sha256))
    yield `${key} is ${state} with ${sha256}, which no generation ${record.generation} on board was`;
}

function* uploadFaults(
  key: string,
  { state, source = '', target }: StoredTransfer,
  hashes: readonly string[],
  { mislisted }: FileHistory,
): Iterable<string> {
  if (state === 'VERIFIED' && !hashes.includes(source)) yield `${key} is VERIFIED, and was never on board`;
  if (state === 'CORRUPTED' && hashes.at(-1) === source && !mislisted.has(target))
    yield `${key} is CORRUPTED, and on board as it was sent`;
}

export const storedBeforeRecorded: Checker = {
  name: 'stored-before-recorded',
  overRewinds: 'kept-if-even',
  promise:
    'what a record says to be there is in the store then, in parts until the file is whole, and came as chunks before',
  *check({ files, complete }) {
    if (files === undefined) return;
    const late = lateParts(files);
    // Of a chunk that is lost behind it its part is there.
    const ever = complete?.files ?? files;
    for (const version of files.versions) {
      const { record, key, message } = version;
      if (record.received === undefined) continue;
      if (record.direction === 'upload') {
        yield* unwritten(version, files);
        continue;
      }
      const isOpen = record.state === 'PARTIAL' || record.state === 'REQUESTED';
      const there = isOpen ? partsAt(key, message.order, files) : ByteRanges.from([[0, record.size]])!;
      const came = chunksBefore(record, message.order, ever);
      for (const [start, end] of receivedBy(record).list()) {
        if (!there.covers(start, end) && !late.has(key))
          yield `${key} (${message.seq}) has ${start} to ${end}, and the store has not`;
        if (!came.covers(start, end))
          yield `${key} (${message.seq}) has ${start} to ${end}, which never came`;
      }
    }
  },
};

/** What is acknowledged of an upload was on board, of this very content. */
function* unwritten({ key, record, message }: TransferVersion, files: FileHistory): Iterable<string> {
  const content = files.uploaded.get(record.source ?? '');
  const versions = files.generation(record)?.versions ?? [];
  for (const [start, end] of receivedBy(record).list())
    for (let at = start; at < end; at += WRITTEN_BYTES) {
      const bytes = content?.subarray(at, Math.min(end, at + WRITTEN_BYTES));
      const was = versions.some((version) => bytes?.equals(version.subarray(at, at + bytes.length)));
      if (!was)
        yield `${key} (${message.seq}) has ${at} to ${at + WRITTEN_BYTES} acknowledged, which was never on board`;
    }
}

export const verifiedHasItsBytes: Checker = {
  name: 'verified-has-its-bytes',
  overRewinds: 'complete',
  promise: 'a download becomes VERIFIED or PROCESSED only while its whole content is in the store',
  *check({ files }) {
    for (const { key, record, before, message } of files?.versions ?? []) {
      const { state, size, direction } = record;
      const isNow = state === 'VERIFIED' || state === 'PROCESSED';
      if (direction === 'upload' || size === 0 || !isNow || before?.record.state === state) continue;
      const name = contentObject(record).replaceAll('/', '.');
      const stored = files!.objects.findLast(
        (each) =>
          keyOf(each) === name &&
          each.order < message.order &&
          (each.lostAt ?? Number.POSITIVE_INFINITY) > message.order,
      );
      if (stored === undefined || stored.removal || stored.data.length !== size)
        yield `${key} (${message.seq} by ${message.by}) is ${state}, and the store does not have its content`;
    }
  },
};

function partsAt(key: string, order: number, { objects }: FileHistory): ByteRanges {
  const sizes = new Map<number, number>();
  for (const message of objects) {
    const name = keyOf(message);
    if (message.order > order || !name.startsWith(`${key}.`)) continue;
    sizes.set(Number(name.slice(key.length + 1)), message.removal ? 0 : message.data.length);
  }
  const ranges = new ByteRanges();
  for (const [start, size] of sizes) ranges.add(start, start + size);
  return ranges;
}

function chunksBefore(
  { target, file_id, generation }: StoredTransfer,
  order: number,
  files: FileHistory,
): ByteRanges {
  const ranges = new ByteRanges();
  for (const chunk of files.chunks)
    if (
      chunk.message.order < order &&
      chunk.target === target &&
      chunk.file === file_id &&
      chunk.generation === generation
    )
      ranges.add(chunk.offset, chunk.offset + chunk.data.length);
  return ranges;
}

function hashed(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
