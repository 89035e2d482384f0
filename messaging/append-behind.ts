/**
 * One message appended to its subject behind the last one that its writer knows: an event of a telecommand, of a run or
 * of an alarm. Decision 70.
 *
 * A1. That the stream knows the id of a message and has nothing behind the expected position means that it lost the
 *     message and not its id: copies of a stream may differ. It is appended under another id, unless its writer goes by
 *     what was lost. What was appended so may be lost as well, and is appended once more.
 * A2. An append whose answer was lost in an outage is asked for again; that the message stands there already, with the
 *     same content and by the same owner, is success and not the work of another owner.
 */

import { header } from '../contract/bus/headers.ts';
import type { StreamDefinition } from '../contract/bus/streams.ts';
import type { Appended, Bus, Headers, StreamMessage } from '../ports/bus.ts';

export interface Behind {
  readonly id: string;
  /** Position of the last message of the subject that the writer knows; 0: none. */
  readonly expected: number;
  readonly headers: Headers;
  /** Not asked for again behind an outage. */
  readonly once?: boolean;
  /** Nothing is appended where the stream lost a message under this id (A1). */
  readonly stopsAtLoss?: boolean;
}

/** How often one message is appended again because it was lost; a bus that loses more of them keeps nothing. */
const LOSSES_OF_A_MESSAGE = 8;

export type AppendedBehind =
  | Extract<Appended, { outcome: 'stored' }>
  /** Something else may stand there; the last message of the subject. */
  | { readonly outcome: 'refused'; readonly last: StreamMessage | undefined }
  /** The stream lost a message of that id (A1). */
  | { readonly outcome: 'lost' };

/** Throws `Outage`. */
export async function appendBehind(
  bus: Bus,
  stream: StreamDefinition,
  to: string,
  body: Uint8Array,
  { id, expected, headers, once = false, stopsAtLoss = false }: Behind,
): Promise<AppendedBehind> {
  const append = (under: string): Promise<Appended> =>
    bus.append(stream, to, body, {
      id: under,
      expectLastSubjectSeq: expected,
      headers,
      ...(once && { once }),
    });
  let under = id;
  let last: StreamMessage | undefined;
  for (let losses = 0; losses <= LOSSES_OF_A_MESSAGE; losses += 1) {
    const appended = await append(under);
    if (appended.outcome === 'stored') return appended;
    last = await bus.last(stream, to);
    if (appended.outcome !== 'duplicate' || (last?.seq ?? 0) !== expected) break;
    // A1
    if (stopsAtLoss) return { outcome: 'lost' };
    under = `${id}-behind-${expected}-lost-${appended.seq}`;
  }
  return { outcome: 'refused', last };
}

/** The same; a message that stands there already may be its own (A2). Throws `Outage`. */
export async function appendOwn(
  bus: Bus,
  stream: StreamDefinition,
  to: string,
  body: Uint8Array,
  how: Behind,
): Promise<{ readonly outcome: 'stored'; readonly seq: number } | { readonly outcome: 'refused' | 'lost' }> {
  const appended = await appendBehind(bus, stream, to, body, how);
  if (appended.outcome !== 'refused') return appended;
  const { last } = appended;
  const isOwn = last !== undefined && last.seq > how.expected && isSame(last, body, how.headers);
  return isOwn ? { outcome: 'stored', seq: last.seq } : { outcome: 'refused' };
}

const OURS = Object.values(header);

/** Whether it is the very message that was meant, with the headers that its writer gave it and no other of ours. */
function isSame(message: StreamMessage, body: Uint8Array, headers: Headers): boolean {
  return (
    Buffer.compare(message.data, body) === 0 && OURS.every((key) => message.headers[key] === headers[key])
  );
}
