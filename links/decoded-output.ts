/**
 * What one message of frames says of one link, as it is stored: batches of samples, and chunks of files.
 *
 * O1. Each message has an id of its own, made from the message of frames and its place in what was made of it: made
 *     again, it is a duplicate (frame-decoder.G1).
 * O2. A batch holds no more files than fit in a message of the bus; those beyond follow in batches of their own.
 */

import { type DecodedBatch, encodeBatch } from '../contract/batch.ts';
import { header } from '../contract/bus/headers.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import { chunkHeaders, type FileChunk } from '../contract/file-chunk.ts';
import { FILES_PER_MESSAGE } from '../contract/limits/transfer.ts';
import type { Bus } from '../ports/bus.ts';
import type { LinkSource, Reading } from './driver/driver.ts';

export interface DecodedOutput {
  readonly batches: readonly DecodedBatch[];
  readonly chunks: readonly FileChunk[];
}

/** What was read; undefined when it is nothing. */
export function outputOf(
  { samples, files, reports }: Reading,
  { platform, link }: LinkSource,
): DecodedOutput | undefined {
  if (samples.empty && reports.length === 0 && files.samples.length === 0 && files.chunks.length === 0)
    return undefined;
  const source = { platform: platform.digest, link: link.name };
  const batches: DecodedBatch[] = [];
  if (!samples.empty || reports.length > 0) batches.push({ ...source, blocks: samples.take(), reports });
  for (let from = 0; from < files.samples.length; from += FILES_PER_MESSAGE) {
    const listed = files.samples.slice(from, from + FILES_PER_MESSAGE);
    batches.push({ ...source, blocks: [], reports: [], files: listed });
  }
  return { batches, chunks: files.chunks };
}

interface Origin {
  readonly bus: Bus;
  readonly target: string;
  /** Of the message of frames and the link; ids begin with it. */
  readonly id: string;
  /** Position of the message of frames, and when it was stored. */
  readonly seq: number;
  readonly at: number;
  readonly revision: string;
  /** So many of its batches are stored already. */
  readonly storedBefore: number;
}

/** Stores all of it, batches in order; rejects with `Outage` when the bus does not take it. */
export async function storeOutput({ batches, chunks }: DecodedOutput, origin: Origin): Promise<void> {
  const { bus, target, id, seq, at, revision, storedBefore } = origin;
  const from = { [header.source]: String(seq), [header.sourceAt]: String(at), [header.config]: revision };
  for (const [index, batch] of batches.entries()) {
    if (index < storedBefore) continue;
    const own = index === 0 ? id : `${id}+${index}`;
    await bus.append(streams.decoded, subject.decoded(target), encodeBatch(batch), {
      id: own,
      headers: from,
    });
  }
  // Side by side: a chunk says where it belongs, and one after the other each would wait for the way to the server.
  const stored = chunks.map((chunk, index) => {
    const headers = { ...chunkHeaders(chunk), [header.config]: revision };
    const to = subject.fileChunk(target, chunk.file);
    return bus.append(streams.fileChunks, to, chunk.data, { id: `${id}~${index}`, headers });
  });
  for (const each of await Promise.allSettled(stored)) if (each.status === 'rejected') throw each.reason;
}
