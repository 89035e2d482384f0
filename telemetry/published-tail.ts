/**
 * What an owner of a target published behind its checkpoint, as the next owner finds it in the value stream.
 * Architecture, "Life of a sample".
 *
 * U1. What the value stream holds counts. A new owner takes it as it stands and computes nothing of it again: what the
 *     clock had caused between two samples would come out differently behind the second.
 * U2. A batch may be missing in front of the last ones: its append was lost, and with it its owner. It is made now,
 *     behind them. No more than `VALUE_APPENDS` are on their way at once, so only the last ones have to be known one by
 *     one.
 * U3. A message that does not say what it was made from is taken as it stands, and says nothing of what is missing.
 */

import { header } from '../contract/bus/headers.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import { VALUE_TAIL } from '../contract/limits/value.ts';
import type { Bus, StreamMessage } from '../ports/bus.ts';

export class PublishedTail {
  /** The highest position of decoded samples that a batch was made from. */
  last = 0;
  /** Everything up to here has been published, and of what is behind the positions in `#made`. */
  #oldest = 0;
  readonly #made = new Set<number>();

  /** U3: `decoded` may be no position. */
  note(decoded: number): void {
    if (!Number.isSafeInteger(decoded) || decoded < 1) return;
    this.last = Math.max(this.last, decoded);
    this.#made.add(decoded);
    if (this.#made.size <= VALUE_TAIL) return;
    const [oldest] = this.#made;
    this.#made.delete(oldest!);
    this.#oldest = Math.max(this.#oldest, oldest!);
  }

  /** Whether a batch made from the decoded message stands in the value stream. */
  has(decoded: number): boolean {
    return decoded <= this.#oldest || this.#made.has(decoded);
  }
}

interface TailOptions {
  readonly bus: Bus;
  readonly target: string;
  /** Positions in the value stream: behind the first, up to the second. */
  readonly after: number;
  readonly upTo: number;
  readonly take: (message: StreamMessage) => Promise<void>;
}

/** Reads what stands behind the checkpoint, in order. Rejects with `Outage`. */
export async function readTail({ bus, target, after, upTo, take }: TailOptions): Promise<PublishedTail> {
  const tail = new PublishedTail();
  if (upTo <= after) return tail;
  const from = { from: 'seq', seq: after + 1 } as const;
  const follower = await bus.follow(streams.values, subject.values(target), from, async (message) => {
    if (message.seq > upTo) return;
    // Of what is in several messages the last one says that it was made.
    if (message.headers[header.part] === undefined) tail.note(Number(message.headers[header.source] ?? 0));
    await take(message);
  });
  await follower.caughtUp;
  await follower.stop();
  return tail;
}
