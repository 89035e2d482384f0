/**
 * The last message of a subject as it is stored. Part of the conditional write and of `last`.
 *
 * L1. A server that says there is none is not believed at once: one whose account was at its limit has forgotten what
 *     stands before a message that it took out again (seen with nats-server 2.9.10, until it restarts or the next
 *     message is stored). Then the subject is searched by position.
 * L2. The search asks once for each halving of the stream, whatever it holds.
 * L3. A bucket or object store that is gone since it was ensured is made again, and holds nothing: who only reads it
 *     has no other sign of it.
 */

import { Outage } from '../contract/outage.ts';
import type { StreamMessage } from '../ports/bus.ts';
import type { AssetHandle } from './asset.ts';
import { ApiError, apiError } from './fault.ts';
import type { JetStream } from './jetstream.ts';
import { type StoredMessage, storedMessage } from './message.ts';

type Which =
  | { readonly last_by_subj: string }
  | { readonly seq: number }
  | { readonly next_by_subj: string; readonly seq: number };

interface LastOf {
  readonly stream: string;
  readonly subject: string;
  /** How long the next question may take. */
  readonly timeoutMs: () => number;
}

/** The last message of a subject of an asset, which is made where it is missing (L3). Rejects with an outage. */
export function lastOf(
  jetstream: JetStream,
  asset: AssetHandle,
  subject: string,
): Promise<StreamMessage | undefined> {
  const read = async (left: () => number): Promise<StreamMessage | undefined> => {
    const { stream } = await asset.ensure(left());
    try {
      return await readLast(jetstream, { stream, subject, timeoutMs: left });
    } catch (error) {
      if (!(error instanceof ApiError && error.is(apiError.noStream))) throw error;
      asset.forget();
      throw new Outage('bus.unavailable', `stream ${stream} is gone`, { cause: error });
    }
  };
  return jetstream.retrying(undefined, read, { stream: asset.name });
}

/** The last message of a subject with all its headers, each question asked once; undefined if there is none. */
export async function readLast(jetstream: JetStream, last: LastOf): Promise<StreamMessage | undefined> {
  const { stream, subject, timeoutMs } = last;
  const known = await readAt(jetstream, stream, { last_by_subj: subject }, timeoutMs());
  return known ?? (await search(jetstream, last));
}

/** One message; undefined if there is none. */
export async function readAt(
  jetstream: JetStream,
  stream: string,
  which: Which,
  timeoutMs: number,
): Promise<StreamMessage | undefined> {
  try {
    return storedMessage(await jetstream.ask<StoredMessage>(`STREAM.MSG.GET.${stream}`, which, timeoutMs));
  } catch (error) {
    if (error instanceof ApiError && error.is(apiError.noMessage)) return undefined;
    throw error;
  }
}

/** L2 */
async function search(
  jetstream: JetStream,
  { stream, subject, timeoutMs }: LastOf,
): Promise<StreamMessage | undefined> {
  const from = (seq: number): Promise<StreamMessage | undefined> =>
    readAt(jetstream, stream, { seq, next_by_subj: subject }, timeoutMs());
  let found = await from(1);
  if (found === undefined) return undefined;
  const { state } = await jetstream.ask<{ readonly state: { readonly last_seq: number } }>(
    `STREAM.INFO.${stream}`,
    undefined,
    timeoutMs(),
  );
  // Nothing of the subject stands at `end` or behind it.
  for (let end = state.last_seq + 1; found.seq + 1 < end; ) {
    const middle = Math.floor((found.seq + 1 + end) / 2);
    const later = await from(middle);
    if (later === undefined) end = middle;
    else found = later;
  }
  return found;
}
