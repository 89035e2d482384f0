/**
 * One stream of the twin: messages by position, conditional appends, remembered ids. Buckets are streams too, as on the
 * real server, so that their revisions are positions.
 *
 * S1. An id inside the window is stored once; that is looked at before the expectation, as the real server does.
 * S2. Positions rise by one and are used again only where the store went back, or the stream was created again: what
 *     was stored later is gone then, with its ids.
 * S4. Copies that differ lose messages in its middle or at its end: their positions stay empty, their ids may be known
 *     still.
 * S3. A stream that is full discards its oldest messages; positions go on.
 */

import type { Headers } from '../../../ports/bus.ts';

export interface StoredMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: Headers;
  readonly seq: number;
  readonly at: number;
  /** Place among everything that was stored anywhere. */
  readonly order: number;
  /** What the writer expected of the subject; undefined: it did not care. */
  readonly expect: number | undefined;
  /** Position of the message before it on the subject; 0: none. */
  readonly before: number;
  /** Tells one write from another with the same id. */
  readonly writer: string;
  /** The process that wrote it. */
  readonly by: string;
  /** In a bucket: the key was removed. */
  readonly removal: boolean;
  /** Place among everything that was stored at which it was gone, because the store went back. */
  readonly lostAt?: number;
  /** It was gone alone, and what came behind it stayed (S4). */
  readonly isHole?: true;
  /** The same where the stream was full (S3). */
  readonly discardedAt?: number;
}

export interface Publication {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: Headers;
  readonly id: string;
  readonly expect: number | undefined;
  readonly writer: string;
  readonly by: string;
  readonly removal: boolean;
}

export type PublishAnswer =
  | { readonly outcome: 'stored' | 'duplicate'; readonly seq: number }
  | { readonly outcome: 'conflict' };

export class StoredStream {
  readonly name: string;
  readonly #dedupeMs: number;
  /** Ignores what writers expect: a planted defect. */
  readonly #ignoresExpectations: boolean;
  readonly #messages: StoredMessage[] = [];
  readonly #lost: StoredMessage[] = [];
  readonly #discarded: StoredMessage[] = [];
  /** Positions in front of the first message. */
  #base = 0;
  /** When the last message was stored that it held since it was made or went back. */
  #lastAt: number | undefined;
  /** The last position of those that S4 emptied at the end. */
  #emptyUpTo = 0;
  readonly #bySubject = new Map<string, StoredMessage[]>();
  readonly #ids = new Map<string, { seq: number; at: number }>();
  readonly #listeners = new Set<(message: StoredMessage) => void>();
  readonly #rewound = new Set<() => void>();
  readonly #discards = new Set<(upTo: number) => void>();

  #madeAt: number;

  constructor(
    { name, dedupeMs }: { readonly name: string; readonly dedupeMs: number },
    madeAt: number,
    ignoresExpectations: boolean,
  ) {
    this.name = name;
    this.#dedupeMs = dedupeMs;
    this.#madeAt = madeAt;
    this.#ignoresExpectations = ignoresExpectations;
  }

  get messages(): readonly StoredMessage[] {
    return this.#messages;
  }

  /** What was stored and is gone since the store went back. */
  get lost(): readonly StoredMessage[] {
    return this.#lost;
  }

  /** What was ever stored, in its order. */
  get everything(): readonly StoredMessage[] {
    if (this.#lost.length + this.#discarded.length === 0) return this.#messages;
    return [...this.#messages, ...this.#lost, ...this.#discarded].sort(
      (one, other) => one.order - other.order,
    );
  }

  get lastSeq(): number {
    return Math.max(this.#emptyUpTo, this.#messages.at(-1)?.seq ?? this.#base);
  }

  /** As `bus/past.ts` makes it of what a server says. */
  get holesUntil(): number | undefined {
    const messages = this.#messages;
    if (messages.length === 0) return this.#lastAt;
    if (this.lastSeq - messages[0]!.seq + 1 === messages.length) return undefined;
    let behind = messages.length;
    for (let next = this.lastSeq + 1; messages[behind - 1]!.seq + 1 === next; behind -= 1) next -= 1;
    return messages[behind]?.at ?? this.#lastAt;
  }

  /** Likewise. */
  get leftUntil(): number {
    const [first] = this.#messages;
    if (first === undefined) return this.#lastAt ?? this.#madeAt;
    return first.seq > 1 ? first.at : this.#madeAt;
  }

  at(seq: number): StoredMessage | undefined {
    // As many stand in front of it as there are positions, or fewer.
    let at = Math.min(seq - this.#base, this.#messages.length) - 1;
    while (at >= 0 && this.#messages[at]!.seq > seq) at -= 1;
    const found = this.#messages[at];
    return found?.seq === seq ? found : undefined;
  }

  last(subject: string): StoredMessage | undefined {
    return this.#bySubject.get(subject)?.at(-1);
  }

  /** The last message of each subject, in the order of their positions. */
  lasts(): StoredMessage[] {
    return [...this.#bySubject.values()].map((messages) => messages.at(-1)!).sort((a, b) => a.seq - b.seq);
  }

  publish(publication: Publication, now: number, order: number): PublishAnswer {
    const known = this.#ids.get(publication.id);
    if (known !== undefined && now - known.at < this.#dedupeMs)
      return { outcome: 'duplicate', seq: known.seq };
    const before = this.last(publication.subject)?.seq ?? 0;
    const { expect } = publication;
    if (expect !== undefined && expect !== before && !this.#ignoresExpectations)
      return { outcome: 'conflict' };
    const { id, ...rest } = publication;
    const message: StoredMessage = { ...rest, seq: this.lastSeq + 1, at: now, order, before };
    this.#messages.push(message);
    this.#lastAt = now;
    this.#ids.set(id, { seq: message.seq, at: now });
    const ofSubject = this.#bySubject.get(message.subject);
    if (ofSubject === undefined) this.#bySubject.set(message.subject, [message]);
    else ofSubject.push(message);
    for (const listener of [...this.#listeners]) listener(message);
    return { outcome: 'stored', seq: message.seq };
  }

  /** The store goes back to what it held at a moment. */
  rewind(to: number, order: number): void {
    const first = this.#messages.findIndex(({ at }) => at > to);
    if (first === -1) return;
    this.#emptyUpTo = 0;
    for (const message of this.#messages.splice(first).reverse()) {
      this.#lost.push({ ...message, lostAt: order });
      const ofSubject = this.#bySubject.get(message.subject);
      ofSubject?.pop();
      if (ofSubject?.length === 0) this.#bySubject.delete(message.subject);
    }
    this.#lastAt = this.#messages.at(-1)?.at;
    for (const [id, { seq }] of this.#ids) if (seq > this.lastSeq) this.#ids.delete(id);
    for (const listener of [...this.#rewound]) listener();
  }

  /** S4: so many messages, with so many newer ones behind them. */
  lose(
    {
      count,
      behind,
      keepsIds,
    }: { readonly count: number; readonly behind: number; readonly keepsIds: boolean },
    order: number,
  ): void {
    this.#emptyUpTo = this.lastSeq;
    const end = Math.max(0, this.#messages.length - behind);
    const gone = this.#messages.splice(Math.max(0, end - count), Math.min(count, end));
    const seqs = new Set(gone.map(({ seq }) => seq));
    for (const message of gone) {
      this.#lost.push({ ...message, lostAt: order, isHole: true });
      const left = this.#bySubject.get(message.subject)?.filter(({ seq }) => !seqs.has(seq)) ?? [];
      if (left.length === 0) this.#bySubject.delete(message.subject);
      else this.#bySubject.set(message.subject, left);
    }
    if (!keepsIds) for (const [id, { seq }] of this.#ids) if (seqs.has(seq)) this.#ids.delete(id);
  }

  /** The stream is deleted and created again: it begins with position 1 (S2). */
  createAgain(order: number, now: number): void {
    this.rewind(Number.NEGATIVE_INFINITY, order);
    this.#madeAt = now;
    this.#base = 0;
    this.#emptyUpTo = 0;
    this.#ids.clear();
  }

  /** All but the newest so many are gone (S3). */
  discard(left: number, order: number): void {
    const count = this.#messages.length - left;
    if (count <= 0) return;
    const end = this.lastSeq;
    for (const message of this.#messages.splice(0, count)) {
      this.#discarded.push({ ...message, discardedAt: order });
      const ofSubject = this.#bySubject.get(message.subject);
      ofSubject?.shift();
      if (ofSubject?.length === 0) this.#bySubject.delete(message.subject);
    }
    this.#base = (this.#messages[0]?.seq ?? end + 1) - 1;
    for (const listener of [...this.#discards]) listener(this.#base);
  }

  /** Called with the last position that is gone. */
  onDiscarded(listener: (upTo: number) => void): () => void {
    this.#discards.add(listener);
    return () => void this.#discards.delete(listener);
  }

  onRewound(listener: () => void): () => void {
    this.#rewound.add(listener);
    return () => void this.#rewound.delete(listener);
  }

  onStored(listener: (message: StoredMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** What of a stream is looked at. */
export type Held = (stream: StoredStream) => readonly StoredMessage[];
/** What it holds in the end, and what it ever held. */
export const kept: Held = ({ messages }) => messages;
export const everStored: Held = ({ everything }) => everything;

/** Whether a subject is one that the filter means: `*` is one token, `>` the rest. */
export function matcher(filter: string): (subject: string) => boolean {
  if (!/[*>]/.test(filter)) return (subject) => subject === filter;
  const pattern = filter
    .split('.')
    .map((token) => (token === '*' ? '[^.]+' : token === '>' ? '.+' : token.replace(/[$]/g, '\\$&')))
    .join('\\.');
  const expression = new RegExp(`^${pattern}$`);
  return (subject) => expression.test(subject);
}
