/**
 * One stream of the twin: messages by position, conditional appends, remembered ids. Buckets are streams too, as on the
 * real server, so that their revisions are positions.
 *
 * S1. An id inside the window is stored once; that is looked at before the expectation, as the real server does.
 * S2. Positions rise by one and are used again only where the store went back: what was stored later is gone then, with
 *     its ids.
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
  readonly #bySubject = new Map<string, StoredMessage[]>();
  readonly #ids = new Map<string, { seq: number; at: number }>();
  readonly #listeners = new Set<(message: StoredMessage) => void>();
  readonly #rewound = new Set<() => void>();

  constructor(name: string, dedupeMs: number, ignoresExpectations: boolean) {
    this.name = name;
    this.#dedupeMs = dedupeMs;
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
    if (this.#lost.length === 0) return this.#messages;
    return [...this.#messages, ...this.#lost].sort((one, other) => one.order - other.order);
  }

  get lastSeq(): number {
    return this.#messages.length;
  }

  at(seq: number): StoredMessage | undefined {
    return this.#messages[seq - 1];
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
    for (const message of this.#messages.splice(first).reverse()) {
      this.#lost.push({ ...message, lostAt: order });
      const ofSubject = this.#bySubject.get(message.subject);
      ofSubject?.pop();
      if (ofSubject?.length === 0) this.#bySubject.delete(message.subject);
    }
    for (const [id, { seq }] of this.#ids) if (seq > first) this.#ids.delete(id);
    for (const listener of [...this.#rewound]) listener();
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
