/**
 * Decodes one file that came down, and publishes its samples as deferred ones. Mission Control Service, section 4.7
 * rule 6; decision 43.
 *
 * F1. The file is read from the store a piece at a time: what is in memory is a piece, a frame and a batch.
 * F2. What is live goes first: after each few kB whatever waits in the process has its turn, one batch is under way to
 *     the stream, and no more bytes are decoded in a second than `FILE_DECODE_BYTES_PER_S`.
 * F3. Batches are published in order, each once (decoding-mark.M1). While the bus is away it waits, and goes on from
 *     what is published.
 * F4. Whatever the file is, there is an answer within the time of the offer. What is not decoded by then is left to the
 *     next offer, which goes on where this one stands.
 * F5. A process that slept may wake behind another one that has decoded the file, so long ago that the ids of the
 *     batches are forgotten: behind a pause of half that time it goes on from what is published, as behind an outage.
 */

import { encodeBatch } from '../../contract/batch.ts';
import { objectStores } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { DecodeFileCall, DecodeFileReply } from '../../contract/file-decoding.ts';
import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import {
  FILE_DECODE_BYTES_PER_S,
  FILE_DECODE_MARK_MS,
  FILE_DECODE_SLICE_BYTES,
  FILE_PASS_SLICE_BYTES,
} from '../../contract/limits/transfer.ts';
import { ContentGone, Outage } from '../../contract/outage.ts';
import type { FramingConfiguration } from '../../mission/endpoint.ts';
import type { Bus, StoredContent } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { recognizedMs } from '../../ports/id-window.ts';
import type { Log } from '../../ports/log.ts';
import type { Driver, LinkSource } from '../driver/driver.ts';
import {
  batchHeader,
  batchId,
  type Decoding,
  type DecodingMark,
  keepMark,
  openMark,
} from './decoding-mark.ts';
import { type FileBatch, FileReader, leftOut } from './file-reader.ts';

export interface OfferedFile {
  readonly call: DecodeFileCall;
  readonly source: LinkSource;
  readonly driver: Driver;
  readonly framing: FramingConfiguration;
  /** Of the configuration. */
  readonly revision: string;
}

export interface DecodingTools {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** So many samples of it are published. */
  readonly published: (samples: number) => void;
  /** Ends it early. */
  readonly signal: AbortSignal;
  /** By when it is answered, on the monotonic clock. */
  readonly until: number;
}

/** What came of it. Never rejects. */
export async function decodeFile(file: OfferedFile, tools: DecodingTools): Promise<DecodeFileReply> {
  const { clock, log, signal, until } = tools;
  const work = new FileDecoding(file, tools);
  for (;;) {
    try {
      return await work.attempt();
    } catch (error) {
      if (error instanceof ContentGone) return contentGone();
      if (!(error instanceof Outage)) {
        log.error({ err: error, object: file.call.object }, 'file could not be decoded');
        return failed(`an error of its driver: ${error instanceof Error ? error.message : String(error)}`);
      }
      if (error.remedy !== undefined) return failed(`${error.message}. ${error.remedy}`);
      await paused(clock, BUS_RETRY_MS, signal);
      if (signal.aborted || clock.monotonic() >= until) return failed(`the bus is away: ${error.message}`);
    }
  }
}

class FileDecoding {
  readonly #file: OfferedFile;
  readonly #tools: DecodingTools;
  readonly #decoding: Decoding;
  readonly #longestPauseMs: number;
  #markedAt = Number.NEGATIVE_INFINITY;
  /** When it last did something, on the monotonic clock (F5). */
  #awakeAt = Number.NEGATIVE_INFINITY;
  /** Position of the last batch that it published. */
  #after: number | undefined;

  constructor(file: OfferedFile, tools: DecodingTools) {
    const { call, source, framing } = file;
    const { bus } = tools;
    this.#file = file;
    this.#tools = tools;
    this.#longestPauseMs = recognizedMs(bus, streams.decoded);
    this.#decoding = { bus, target: source.target.name, call, framing: JSON.stringify(framing) };
  }

  /** From where it stands to its end, or as far as there is time. Rejects with `Outage` and `ContentGone`. */
  async attempt(): Promise<DecodeFileReply> {
    const { bus, clock } = this.#tools;
    const { call, source, driver, framing } = this.#file;
    const mark = await openMark(this.#decoding, clock.now());
    this.#awakeAt = clock.monotonic();
    if (mark.reply !== undefined) return mark.reply;
    const content = await bus.objects(objectStores.files).read(call.object);
    if (content === undefined) return contentGone();
    const reader = new FileReader({ source, driver, framing, groundMs: mark.begun, from: mark.account });
    const ended = await this.#read(content, reader, mark);
    if (ended !== undefined) return ended;
    const last = reader.end();
    if (last !== undefined) await this.#publish(last, mark);
    const reply = replyOf(reader);
    const { account } = reader;
    this.#demandAwake();
    await keepMark(this.#decoding, { ...mark, after: this.#after ?? mark.after, account, reply });
    return reply;
  }

  /** What ended it before the end of the file. */
  async #read(
    { pieces }: StoredContent,
    reader: FileReader,
    mark: DecodingMark,
  ): Promise<DecodeFileReply | undefined> {
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length; ) {
        const bytes = reader.isPassing ? FILE_PASS_SLICE_BYTES : FILE_DECODE_SLICE_BYTES;
        const slice = piece.subarray(at, at + bytes);
        at += slice.length;
        for (const batch of reader.push(slice)) await this.#publish(batch, mark);
        await this.#giveWay(slice.length);
        const ended = this.#ended(reader);
        if (ended !== undefined) return ended;
      }
    }
    return undefined;
  }

  /** F4 */
  #ended({ account }: FileReader): DecodeFileReply | undefined {
    const { clock, signal, until } = this.#tools;
    const far = `${account.samples} samples until now`;
    if (signal.aborted) return failed(`the process that decoded it ended: ${far}`);
    return clock.monotonic() < until ? undefined : failed(`not decoded in time, to be continued: ${far}`);
  }

  /** F2. What is only counted costs the time of a turn. */
  async #giveWay(bytes: number): Promise<void> {
    const { clock, signal } = this.#tools;
    const isPassing = bytes > FILE_DECODE_SLICE_BYTES;
    await paused(clock, isPassing ? 0 : (bytes / FILE_DECODE_BYTES_PER_S) * 1_000, signal);
    this.#demandAwake();
  }

  /** F5 */
  #demandAwake(): void {
    const now = this.#tools.clock.monotonic();
    const pausedMs = now - this.#awakeAt;
    this.#awakeAt = now;
    if (pausedMs > this.#longestPauseMs)
      throw new Outage('bus.unavailable', 'another process may have decoded the file meanwhile');
  }

  async #publish(batch: FileBatch, mark: DecodingMark): Promise<void> {
    if (batch.blocks.length === 0) return;
    this.#demandAwake();
    const { bus, clock } = this.#tools;
    const { source, revision } = this.#file;
    const { target, link, platform } = source;
    const data = encodeBatch({
      platform: platform.digest,
      link: link.name,
      blocks: batch.blocks,
      reports: [],
    });
    const appended = await bus.append(streams.decoded, subject.decoded(target.name), data, {
      id: batchId(this.#decoding, mark, batch),
      headers: {
        [header.config]: revision,
        [header.delivery]: 'deferred',
        [header.file]: batchHeader(this.#decoding, mark, batch),
      },
    });
    this.#demandAwake();
    if (appended.outcome === 'conflict') return;
    if (appended.outcome === 'stored') this.#tools.published(samplesIn(batch));
    this.#after = appended.seq;
    const now = clock.monotonic();
    if (now - this.#markedAt < FILE_DECODE_MARK_MS) return;
    this.#markedAt = now;
    await keepMark(this.#decoding, { ...mark, after: appended.seq, account: batch.account });
  }
}

function samplesIn({ blocks }: FileBatch): number {
  return blocks.reduce((sum, { raw }) => sum + raw.length, 0);
}

function replyOf(reader: FileReader): DecodeFileReply {
  const { samples, frames } = reader.account;
  const left_out = leftOut(reader.account, reader.skipped, reader.firstFault);
  if (samples > 0) return { outcome: 'decoded', samples, ...(left_out !== undefined && { left_out }) };
  const reason = frames === 0 ? 'no frame in it' : 'no sample in it';
  return { outcome: 'not_decodable', reason: left_out === undefined ? reason : `${reason}: ${left_out}` };
}

function contentGone(): DecodeFileReply {
  return { outcome: 'not_decodable', reason: 'its content is not in the store any more' };
}

function failed(reason: string): DecodeFileReply {
  return { outcome: 'failed', reason };
}

/** Resolves after `ms`, or as soon as `signal` is aborted. */
function paused(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
