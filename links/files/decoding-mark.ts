/**
 * How far the decoding of a file came, so that it goes on there when it is begun again: by the next offer, or by
 * another process behind a death. Mission Control Service, section 4.7 rule 6; decision 43.
 *
 * M1. The mark stands before the first batch leaves, and says where the stream of decoded samples stood then. What left
 *     since the mark was written stands behind that, and is found there by its header: a batch is published once,
 *     however long it takes until somebody goes on. The ids of messages only keep apart those who decode it at once.
 * M2. Everybody who goes on with a decoding has its time of beginning from the mark: it is the ground time of its
 *     samples and part of the ids.
 * M3. Where the stream does not hold any more what stood there, or the framing has changed, it begins again from the
 *     start.
 * M4. What was answered is answered again.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import {
  type DecodeFileCall,
  type DecodeFileReply,
  readDecodeFileReply,
} from '../../contract/file-decoding.ts';
import { isInstant } from '../../contract/instant.ts';
import { readReply } from '../../contract/reply.ts';
import { transferKey } from '../../contract/transfer.ts';
import type { Bucket, Bus, StreamMessage } from '../../ports/bus.ts';
import { type Account, type FileBatch, NOTHING_READ } from './file-reader.ts';

/** Of one decoding. */
export interface DecodingMark {
  /** When it began, ms since 1970. */
  readonly begun: number;
  readonly framing: string;
  /** Position in the stream of decoded samples; what left since stands behind it (M1). */
  readonly after: number;
  /** What is published up to there. */
  readonly account: Account;
  /** What was answered in the end. */
  readonly reply?: DecodeFileReply;
}

export interface Decoding {
  readonly bus: Bus;
  readonly target: string;
  readonly call: DecodeFileCall;
  /** As text. */
  readonly framing: string;
}

/** Where to go on, or begin. Throws `Outage`. */
export async function openMark(decoding: Decoding, now: number): Promise<DecodingMark> {
  for (;;) {
    const entry = await bucketOf(decoding).get(keyOf(decoding));
    const standing = entry && readMark(entry.value);
    if (standing !== undefined && (await isOf(decoding, standing))) {
      if (standing.reply !== undefined) return standing;
      return { ...standing, account: await published(decoding, standing) };
    }
    const { bus, target, framing } = decoding;
    const last = await bus.last(streams.decoded, subject.decoded(target));
    const fresh = { begun: now, framing, after: last?.seq ?? 0, account: NOTHING_READ };
    const written = await bucketOf(decoding).put(keyOf(decoding), bytesOf(fresh), entry?.revision ?? 0);
    if (written.outcome === 'written') return fresh;
  }
}

/** It came so far. Of two who decode it at once the one that is behind may write last: more is then read again. */
export async function keepMark(decoding: Decoding, mark: DecodingMark): Promise<void> {
  await bucketOf(decoding).overwrite(keyOf(decoding), bytesOf(mark));
}

/** Identifier of the message with a batch (M2). */
export function batchId({ target, call }: Decoding, { begun }: DecodingMark, { first }: FileBatch): string {
  return `file-${transferKey({ ...call, target, direction: 'download' })}-${begun}-${first}`;
}

/** The header of the message with a batch: which decoding, and what came of it up to its end. */
export function batchHeader({ call }: Decoding, { begun }: DecodingMark, { account }: FileBatch): string {
  const { frames, samples, unreadable, empty, undated } = account;
  return [begun, frames, samples, unreadable, empty, undated, call.object].join(' ');
}

/** The furthest that batches of it in the stream came (M1). */
async function published(decoding: Decoding, mark: DecodingMark): Promise<Account> {
  const { bus, target, call } = decoding;
  let furthest = mark.account;
  const take = ({ headers }: Pick<StreamMessage, 'headers'>): void => {
    const said = headers[header.file]?.split(' ') ?? [];
    const [begun, frames = 0, samples = 0, unreadable = 0, empty = 0, undated = 0] = said
      .slice(0, 6)
      .map(Number);
    const account = { frames, samples, unreadable, empty, undated };
    const isOfIt = begun === mark.begun && said[6] === call.object && isAccount(account);
    if (isOfIt && frames > furthest.frames) furthest = account;
  };
  const from = { from: 'seq', seq: mark.after + 1 } as const;
  const follower = await bus.follow(streams.decoded, subject.decoded(target), from, take);
  try {
    await follower.caughtUp;
  } finally {
    await follower.stop();
  }
  return furthest;
}

/** M3 */
async function isOf({ bus, target, framing }: Decoding, mark: DecodingMark): Promise<boolean> {
  if (mark.framing !== framing) return false;
  if (mark.after === 0) return true;
  return bus.stillHolds(streams.decoded, { seq: mark.after, subject: subject.decoded(target) });
}

function bucketOf({ bus }: Decoding): Bucket {
  return bus.bucket(buckets.decodings);
}

function keyOf({ target, call }: Decoding): string {
  return transferKey({ ...call, target, direction: 'download' });
}

function bytesOf(mark: DecodingMark): Buffer {
  return Buffer.from(JSON.stringify(mark));
}

/** Undefined where it is none: it begins again from the start. */
function readMark(bytes: Uint8Array): DecodingMark | undefined {
  const { begun, framing, after, account, reply } = readReply(bytes) ?? {};
  if (
    !isWhole(begun) ||
    !isInstant(begun) ||
    typeof framing !== 'string' ||
    !isWhole(after) ||
    !isAccount(account)
  )
    return undefined;
  const given = reply === undefined ? undefined : readDecodeFileReply(Buffer.from(JSON.stringify(reply)));
  return { begun, framing, after, account, ...(given !== undefined && { reply: given }) };
}

function isAccount(value: unknown): value is Account {
  if (typeof value !== 'object' || value === null) return false;
  const { frames, samples, unreadable, empty, undated } = value as Partial<Account>;
  return [frames, samples, unreadable, empty, undated].every(isWhole);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
