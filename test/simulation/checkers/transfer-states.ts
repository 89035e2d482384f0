/** What becomes of the record of a transfer: Mission Control Service, section 3.5; MC-XFER-015, MC-XFER-021 to MC-XFER-031. */

import { isDeepStrictEqual } from 'node:util';
import { isOpenTransfer, receivedBy, type StoredTransfer } from '../../../contract/transfer.ts';
import type { FileHistory, TransferVersion } from '../transfers/history.ts';
import { lateParts } from '../transfers/terms.ts';
import type { Checker } from './checker.ts';

/** The rows of section 3.5; a state may be written again. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  REQUESTED: ['PARTIAL', 'SUPERSEDED'],
  PARTIAL: ['COMPLETE', 'SUPERSEDED'],
  COMPLETE: ['VERIFIED', 'CORRUPTED'],
  VERIFIED: ['PROCESSED'],
  PROCESSED: [],
  CORRUPTED: [],
  SUPERSEDED: [],
};

/** Whether it is another upload, that took the place of the one before. */
function isAnother({ record, before }: TransferVersion): boolean {
  return before === undefined || record.source !== before.record.source;
}

export const walksItsStates: Checker = {
  name: 'transfers-walk-their-states',
  overRewinds: 'kept-if-even',
  promise:
    'a transfer goes through the states of section 3.5 alone, each for its reason, and remembers every one',
  *check({ files }) {
    for (const version of files?.versions ?? []) {
      const { key, record, before, message } = version;
      const { state, actor } = record;
      if (actor.changes.at(-1)?.state !== state)
        yield `${key} (${message.seq}) is ${state} and does not remember it`;
      if (isAnother(version)) {
        const isBegun = state === 'REQUESTED' || (state === 'COMPLETE' && record.size === 0);
        if (!isBegun) yield `${key} (${message.seq}) begins as ${state}`;
        if (before !== undefined && record.direction === 'download') yield `${key} is made twice`;
        continue;
      }
      const from = before!.record;
      const past = actor.changes.slice(0, from.actor.changes.length);
      if (!isDeepStrictEqual(past, from.actor.changes)) yield `${key} (${message.seq}) has another past`;
      if (record.created_at !== from.created_at) yield `${key} (${message.seq}) is made again`;
      if (state === from.state) continue;
      if (!NEXT[from.state]!.includes(state))
        yield `${key} (${message.seq}) was ${from.state} and is ${state}`;
      const fault = causeFault(version, files!);
      if (fault !== undefined) yield `${key} (${message.seq}) is ${state}: ${fault}`;
    }
  },
};

function causeFault({ record, message }: TransferVersion, files: FileHistory): string | undefined {
  const { state, size, target, file_id, generation, reason } = record;
  switch (state) {
    case 'PARTIAL':
      return receivedBy(record).total > 0 ? undefined : 'nothing of it is there';
    case 'COMPLETE':
      return receivedBy(record).covers(0, size) ? undefined : 'not all of it is there';
    case 'SUPERSEDED': {
      const newer = [
        ...[...files.chunks, ...files.lostChunks].filter(
          (chunk) => chunk.target === target && chunk.file === file_id,
        ),
        ...files.said
          .filter((said) => said.target === target && said.sample.file === file_id)
          .map(({ sample, message }) => ({ generation: sample.generation ?? 0, message })),
      ].some((each) => each.generation > generation && each.message.order < message.order);
      return newer ? undefined : 'no newer generation was seen';
    }
    case 'VERIFIED':
      return reason === undefined ? undefined : `it says ${reason}`;
    case 'CORRUPTED':
      return reason?.includes(', listed is ') === true ? undefined : 'it does not say why';
    default:
      return undefined;
  }
}

export const finalTransfersStay: Checker = {
  name: 'final-transfers-stay',
  overRewinds: 'kept-if-even',
  promise: 'a transfer that is over is never written again, but by another upload',
  *check({ files }) {
    for (const version of files?.versions ?? []) {
      const { key, before, message, record } = version;
      if (before === undefined || isAnother(version) || isOpenTransfer(before.record)) continue;
      yield `${key} was ${before.record.state} and is written again (${message.seq} by ${message.by}) as ${record.state}`;
    }
  },
};

export const nothingReceivedIsLost: Checker = {
  name: 'nothing-received-is-lost',
  promise:
    'what a record has of a file its next version has too, whoever leads; each is written behind the one before',
  *check({ files }) {
    const late = files === undefined ? new Set() : lateParts(files);
    for (const version of files?.versions ?? []) {
      const { key, before, message, record } = version;
      if (message.expect !== message.before)
        yield `${key} (${message.seq}) is written behind ${message.expect}`;
      if (before === undefined || isAnother(version) || late.has(key)) continue;
      const now = receivedBy(record);
      for (const [start, end] of missing(before.record, now))
        yield `${key} had ${start} to ${end}, and ${message.seq} by ${message.by} has not`;
    }
  },
};

function missing(
  before: StoredTransfer,
  now: ReturnType<typeof receivedBy>,
): readonly (readonly [number, number])[] {
  return receivedBy(before)
    .list()
    .filter(([start, end]) => !now.covers(start, end));
}
