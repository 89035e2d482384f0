/**
 * The conditional write: into a stream or, beneath a bucket, on the subject of a key. Mission Control Service,
 * section 6; ports/bus.P1.
 *
 * W1. Every write carries a message id, so that trying again is harmless. An expectation alone lets two writers win on
 *     a cluster (the leader checks it before the write is agreed); with the id made from it, one wins.
 * W2. Every call carries a writer's mark. A duplicate or a conflict met on a later attempt is compared with it: one's
 *     own earlier attempt is a success. What cannot be read back any more counts as somebody else's.
 * W3. A server that has removed the last message of a subject (an account at its limit stores each message and takes it
 *     out again) may have forgotten those before: it says there is none, and refuses every append behind the one that
 *     is there (`stored-last.ts`). Such an append is made behind what the server believes, once the message that was
 *     expected is found to be the last.
 * W4. Where a stream has one copy the server may look at the expectation before the id (nats-server 2.15; 2.9 and 2.10
 *     look at the id first). So behind a conflict it is asked whether it knows the id, by a message that it cannot
 *     store. A stream with more copies looks at the id first and is never asked this way: on nats-server 2.15.1 it
 *     stops answering, and on 2.10 the id counts as known from then on (decision 84).
 */

import { randomUUID } from 'node:crypto';
import { Outage } from '../contract/outage.ts';
import type { Headers, StreamMessage } from '../ports/bus.ts';
import type { AssetHandle } from './asset.ts';
import { ApiError, apiError, toOutage } from './fault.ts';
import type { JetStream, PublishAck } from './jetstream.ts';
import { WRITER_HEADER } from './message.ts';
import { readAt, readLast } from './stored-last.ts';

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

const EXPECTED_LAST = 'Nats-Expected-Last-Subject-Sequence';
/** An id that no message has. */
const NO_MESSAGE = 'no message';
const NOTHING = new Uint8Array();
const instance = randomUUID();
let calls = 0;

/** Stores once or reports why not; rejects with `bus.unavailable` at the deadline, when the outcome is unknown. */
export async function write(jetstream: JetStream, request: Write): Promise<WriteOutcome> {
  const writer = `${instance}.${(calls++).toString(36)}`;
  const { asset } = request;
  let tries = 0;
  return jetstream.retrying(
    request.deadlineMs,
    async (left): Promise<WriteOutcome> => {
      const { stream } = await asset.ensure(left());
      const first = tries++ === 0;
      return writeOnce(jetstream, request, { stream, writer, first, timeoutMs: left });
    },
    { once: request.once === true, stream: asset.name },
  );
}

interface Attempt {
  readonly stream: string;
  readonly writer: string;
  readonly first: boolean;
  /** How long the next question may take. */
  readonly timeoutMs: () => number;
  /** What the server believes to be the last position of the subject, where it is wrong (W3). */
  readonly believed?: number;
}

async function writeOnce(jetstream: JetStream, request: Write, attempt: Attempt): Promise<WriteOutcome> {
  const { asset, subject, data, id, expect } = request;
  const { stream, writer, first, timeoutMs, believed } = attempt;
  try {
    const ack = await jetstream.publish(subject, data, headersOf(request, attempt), timeoutMs());
    if (ack.duplicate !== true) return { outcome: 'stored', seq: ack.seq };
    return await judgeDuplicate(jetstream, request, attempt, ack);
  } catch (error) {
    if (error instanceof Outage && error.code === 'bus.no-responder') asset.forget();
    if (error instanceof ApiError && error.isOfOneStream) throw toOutage(error, `stream ${stream}`);
    if (!isConflict(error)) throw error;
    const states = believed === undefined ? lowerThan(expect, error) : undefined;
    if (states === undefined) {
      const known = first && id === undefined ? undefined : await knownAt(jetstream, request, attempt);
      if (known !== undefined) return judgeDuplicate(jetstream, request, attempt, known);
      if (first) return { outcome: 'conflict' };
    }
    const last = await readLast(jetstream, { stream, subject, timeoutMs });
    if (states === undefined || last?.seq !== expect) return judgeConflict(last, writer);
    return writeOnce(jetstream, request, { ...attempt, believed: states });
  }
}

function headersOf(request: Write, { stream, writer, believed }: Attempt): Headers {
  const { expect, id, subject } = request;
  const made = expect === undefined || expect === 0 ? writer : `${subject}@${expect}`;
  // Written name by name: spreads of what may be absent cost more than everything else here.
  const headers: Record<string, string> = {};
  for (const name in request.headers) headers[name] = request.headers[name]!;
  headers[WRITER_HEADER] = writer;
  headers['Nats-Msg-Id'] = id ?? made;
  headers['Nats-Expected-Stream'] = stream;
  const last = believed ?? expect;
  if (last !== undefined) headers[EXPECTED_LAST] = String(last);
  return headers;
}

/** Where the message of this id is; undefined where the server knows none, or none any more (W4). */
async function knownAt(
  jetstream: JetStream,
  request: Write,
  attempt: Attempt,
): Promise<PublishAck | undefined> {
  const { asset, subject } = request;
  const { timeoutMs } = attempt;
  if ((await asset.look(timeoutMs())).replicas > 1) return undefined;
  const { [EXPECTED_LAST]: _, ...others } = headersOf(request, attempt);
  const headers = { ...others, 'Nats-Expected-Last-Msg-Id': NO_MESSAGE };
  try {
    const ack = await jetstream.publish(subject, NOTHING, headers, timeoutMs());
    return ack.duplicate === true ? ack : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.is(apiError.wrongLastId)) return undefined;
    throw error;
  }
}

async function judgeDuplicate(
  jetstream: JetStream,
  { id }: Write,
  { stream, writer, timeoutMs, first }: Attempt,
  ack: PublishAck,
): Promise<WriteOutcome> {
  const stored = first ? undefined : await readAt(jetstream, stream, { seq: ack.seq }, timeoutMs());
  if (stored?.headers[WRITER_HEADER] === writer) return { outcome: 'stored', seq: ack.seq };
  return id === undefined ? { outcome: 'conflict' } : { outcome: 'duplicate', seq: ack.seq };
}

function judgeConflict(last: StreamMessage | undefined, writer: string): WriteOutcome {
  return last?.headers[WRITER_HEADER] === writer
    ? { outcome: 'stored', seq: last.seq }
    : { outcome: 'conflict' };
}

/**
 * The last position the server states, where it lies before the one expected: nobody can have written behind that (W3).
 */
function lowerThan(expect: number | undefined, { message }: ApiError): number | undefined {
  const stated = /wrong last sequence: (\d+)/.exec(message)?.[1];
  if (expect === undefined || stated === undefined) return undefined;
  return Number(stated) < expect ? Number(stated) : undefined;
}

function isConflict(error: unknown): error is ApiError {
  return (
    error instanceof ApiError && error.is(apiError.wrongLastSequence, apiError.wrongLastSequenceConstant)
  );
}
