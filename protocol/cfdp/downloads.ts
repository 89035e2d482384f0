/**
 * Files asked for of the other entity by proxy put requests. CCSDS 727.0-B-5, section 6.2.
 *
 * J1. What arrives belongs to a request by the originating transaction that its metadata name, never by name or order.
 * J2. A request ends once: with the transaction that brought the file, with an answer that says why there is none, with
 *     the failure of its own transaction, or when nothing has come for too long.
 * J3. A second transaction for a request that is being answered is refused, as is one for a request that is over.
 */

import { type Condition, condition } from './condition.ts';
import type { Outcome } from './event.ts';
import { RunningTime } from './running-time.ts';
import type { TransactionId, UserMessage } from './user-message.ts';

const DEADLINE = 'progress';

interface Download {
  readonly id: TransactionId;
  readonly time: RunningTime;
  /** The transaction that brings the file. */
  by: TransactionId | undefined;
}

export interface DownloadsOptions {
  readonly noProgressMs: number;
  readonly begun: (id: TransactionId, by: TransactionId) => void;
  readonly ended: (id: TransactionId, by: TransactionId | undefined, outcome: Outcome) => void;
}

export class Downloads {
  readonly #options: DownloadsOptions;
  readonly #open = new Map<string, Download>();

  constructor(options: DownloadsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The transaction that brings the file of a request; undefined before it has begun. */
  broughtBy(id: TransactionId): TransactionId | undefined {
    return this.#open.get(keyOf(id))?.by;
  }

  has(id: TransactionId): boolean {
    return this.#open.has(keyOf(id));
  }

  /** A request leaves from `from` on. */
  begin(id: TransactionId, from: number, isLinkUp: boolean): void {
    const time = new RunningTime();
    if (!isLinkUp) time.stop('link', from);
    time.set(DEADLINE, from, this.#options.noProgressMs);
    this.#open.set(keyOf(id), { id, time, by: undefined });
  }

  /** Whether messages of metadata name a request that is open and not being answered. */
  isAwaited(messages: readonly UserMessage[]): boolean {
    return this.#named(messages) !== undefined;
  }

  /** Whether a file that begins to arrive was asked for, by the messages of its metadata (J1, J3). */
  take(messages: readonly UserMessage[], by: TransactionId): boolean {
    const download = this.#named(messages);
    if (download === undefined) return false;
    download.by = by;
    download.time.clear(DEADLINE);
    this.#options.begun(download.id, by);
    return true;
  }

  #named(messages: readonly UserMessage[]): Download | undefined {
    const origin = messages.find((message) => message.kind === 'originatingTransaction');
    const download = origin && this.#open.get(keyOf(origin.id));
    return download?.by === undefined ? download : undefined;
  }

  /** The other entity says what became of a request; gives the transaction to cancel, if one is under way. */
  answered(messages: readonly UserMessage[]): TransactionId | undefined {
    const origin = messages.find((message) => message.kind === 'originatingTransaction');
    const answer = messages.find((message) => message.kind === 'proxyPutResponse');
    const download = origin && this.#open.get(keyOf(origin.id));
    if (download === undefined || answer === undefined || answer.condition === condition.noError)
      return undefined;
    this.#end(download, failure(answer.condition));
    return download.by;
  }

  /** A transaction ended: the one of a request, or one that brought a file. */
  transactionEnded(id: TransactionId, role: 'sender' | 'receiver', outcome: Outcome): void {
    const key = keyOf(id);
    const asked = role === 'sender' ? this.#open.get(key) : undefined;
    // A request that is being answered arrived, whatever its own transaction says.
    if (asked !== undefined && asked.by === undefined && outcome.condition !== condition.noError) {
      return this.#end(asked, failure(outcome.condition));
    }
    if (role === 'sender') return;
    for (const download of this.#open.values()) {
      if (download.by !== undefined && keyOf(download.by) === key) return this.#end(download, outcome);
    }
  }

  cancel(id: TransactionId): void {
    const download = this.#open.get(keyOf(id));
    if (download !== undefined) this.#end(download, failure(condition.cancelRequested));
  }

  /** A request that is suspended waits for nothing; what brings its file is suspended too. */
  suspend(id: TransactionId, now: number): void {
    this.#open.get(keyOf(id))?.time.stop('suspended', now);
  }

  resume(id: TransactionId, now: number): void {
    this.#open.get(keyOf(id))?.time.start('suspended', now);
  }

  isSuspended(id: TransactionId): boolean {
    return this.#open.get(keyOf(id))?.time.isStopped('suspended') ?? false;
  }

  linkDown(now: number): void {
    for (const { time } of this.#open.values()) time.stop('link', now);
  }

  linkUp(now: number): void {
    for (const { time } of this.#open.values()) time.start('link', now);
  }

  get nextDue(): number | undefined {
    const due = [...this.#open.values()].map(({ time }) => time.nextDue).filter((at) => at !== undefined);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  tick(now: number): void {
    for (const download of this.#open.values()) {
      if (download.time.isOver(DEADLINE, now)) this.#end(download, failure(condition.inactivity));
    }
  }

  #end(download: Download, outcome: Outcome): void {
    this.#open.delete(keyOf(download.id));
    this.#options.ended(download.id, download.by, outcome);
  }
}

function failure(code: Condition): Outcome {
  return { condition: code, complete: false, verified: false };
}

export function keyOf({ source, sequence }: TransactionId): string {
  return `${source}:${sequence}`;
}
