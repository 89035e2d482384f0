/**
 * The conditional write: into a stream or, beneath a bucket, on the subject of a key. Mission Control Service,
 * section 6; P1 of `ports/bus.ts`.
 *
 * W1. Every write carries a message id, so that trying again is harmless. An expectation alone lets two writers win on
 *     a cluster (the leader checks it before the write is agreed); with the id made from it, one wins.
 * W2. Every call carries a writer's mark. A duplicate or a conflict met on a later attempt is compared with it: one's
 *     own earlier attempt is a success. What cannot be read back any more counts as somebody else's.
 */

import { randomUUID } from 'node:crypto';
import { Outage } from '../contract/outage.ts';
import type { Headers, StreamMessage } from '../ports/bus.ts';
import type { AssetHandle } from './assets.ts';
import { ApiError, apiError } from './fault.ts';
import type { JetStream, PublishAck } from './jetstream.ts';
import type { StoredMessage } from './message.ts';
import { storedMessage, WRITER_HEADER } from './message.ts';

export interface Write {
  readonly asset: AssetHandle;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers?: Headers | undefined;
  /** Given by the caller; without one the expectation makes it. */
  readonly id?: string | undefined;
  readonly expect?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly once?: boolean | undefined;
}

export type WriteOutcome =
  | { readonly outcome: 'stored'; readonly seq: number }
  | { readonly outcome: 'duplicate'; readonly seq: number }
  | { readonly outcome: 'conflict' };

const instance = randomUUID();
let calls = 0;

/** Stores once or tells why not; rejects with `bus.unavailable` at the deadline, when the outcome is unknown. */
export async function write(jetstream: JetStream, request: Write): Promise<WriteOutcome> {
  const writer = `${instance}.${(calls++).toString(36)}`;
  const { asset, subject } = request;
  let tries = 0;
  return jetstream.retrying(
    request.deadlineMs,
    async (left): Promise<WriteOutcome> => {
      const { stream } = await asset.ensure(left());
      const first = tries++ === 0;
      try {
        const headers = headersOf(request, stream, writer);
        const ack = await jetstream.publish(subject, request.data, headers, left());
        if (ack.duplicate !== true) return { outcome: 'stored', seq: ack.seq };
        return await judgeDuplicate(jetstream, request, { stream, ack, writer, timeoutMs: left(), first });
      } catch (error) {
        if (error instanceof Outage && error.code === 'bus.no-responder') asset.forget();
        if (!isConflict(error)) throw error;
        if (first) return { outcome: 'conflict' };
        return judgeConflict(await readLast(jetstream, { stream, subject, timeoutMs: left() }), writer);
      }
    },
    { once: request.once === true },
  );
}

/** The last message of a subject with all its headers, in one attempt; undefined if there is none. */
export function readLast(
  jetstream: JetStream,
  { stream, subject, timeoutMs }: { stream: string; subject: string; timeoutMs: number },
): Promise<StreamMessage | undefined> {
  return readOne(jetstream, stream, { last_by_subj: subject }, timeoutMs);
}

async function readOne(
  jetstream: JetStream,
  stream: string,
  which: { readonly last_by_subj: string } | { readonly seq: number },
  timeoutMs: number,
): Promise<StreamMessage | undefined> {
  try {
    return storedMessage(await jetstream.ask<StoredMessage>(`STREAM.MSG.GET.${stream}`, which, timeoutMs));
  } catch (error) {
    if (error instanceof ApiError && error.is(apiError.noMessage)) return undefined;
    throw error;
  }
}

function headersOf(request: Write, stream: string, writer: string): Headers {
  const { expect, id, subject } = request;
  const made = expect === undefined || expect === 0 ? writer : `${subject}@${expect}`;
  // Written name by name: spreads of what may be absent cost more than everything else here.
  const headers: Record<string, string> = {};
  for (const name in request.headers) headers[name] = request.headers[name]!;
  headers[WRITER_HEADER] = writer;
  headers['Nats-Msg-Id'] = id ?? made;
  headers['Nats-Expected-Stream'] = stream;
  if (expect !== undefined) headers['Nats-Expected-Last-Subject-Sequence'] = String(expect);
  return headers;
}

interface Duplicate {
  readonly stream: string;
  readonly ack: PublishAck;
  readonly writer: string;
  readonly timeoutMs: number;
  readonly first: boolean;
}

async function judgeDuplicate(
  jetstream: JetStream,
  { id }: Write,
  { stream, ack, writer, timeoutMs, first }: Duplicate,
): Promise<WriteOutcome> {
  const stored = first ? undefined : await readOne(jetstream, stream, { seq: ack.seq }, timeoutMs);
  if (stored?.headers[WRITER_HEADER] === writer) return { outcome: 'stored', seq: ack.seq };
  return id === undefined ? { outcome: 'conflict' } : { outcome: 'duplicate', seq: ack.seq };
}

function judgeConflict(last: StreamMessage | undefined, writer: string): WriteOutcome {
  return last?.headers[WRITER_HEADER] === writer
    ? { outcome: 'stored', seq: last.seq }
    : { outcome: 'conflict' };
}

function isConflict(error: unknown): boolean {
  return (
    error instanceof ApiError && error.is(apiError.wrongLastSequence, apiError.wrongLastSequenceConstant)
  );
}
