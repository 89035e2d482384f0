/**
 * Writes the envelopes of the cells of one kind beside their logs, behind the commit. Decision 31.
 *
 * K6. What is written is in the log: an envelope is taken of a cell that is neither behind its actor nor committing.
 * K7. A cell waits for one to two seconds from its first change on, whatever it does meanwhile: one that ends within a
 *     second is never written, and a busy one at most once a second. One timer for all of them, which stands still when
 *     none has changed.
 * K8. At most `KEPT_WRITES` at once, and nothing waits for them. One that fails is tried again; that they fail is said
 *     once.
 */

import { KEPT_ENVELOPE_BYTES, KEPT_EVERY_MS, KEPT_WRITES } from '../../contract/limits/cell.ts';
import { Outage } from '../../contract/outage.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { KeptEnvelope } from '../../ports/entity.ts';
import type { Log } from '../../ports/log.ts';

/** A cell, as its envelope is taken of it. */
interface KeptCell {
  readonly id: string;
  readonly alive: boolean;
  /** Undefined while not all of it is in the log (K6). */
  kept(): KeptEnvelope | undefined;
}

interface KeptWriterOptions {
  readonly kind: string;
  readonly kept: KeptEnvelopes;
  readonly clock: Clock;
  readonly log: Log;
}

export class KeptWriter {
  readonly #options: KeptWriterOptions;
  /** Changed since the last tick, between the two before it, and due (K7). */
  #fresh = new Set<KeptCell>();
  #aged = new Set<KeptCell>();
  readonly #due = new Set<KeptCell>();
  /** Due and busy: written as soon as nothing of them is under way. */
  readonly #wanted = new Set<KeptCell>();
  #timer: TimerHandle | undefined;
  #writing = 0;
  #hasFailed = false;
  #wasTooLarge = false;
  #stopped = false;

  constructor(options: KeptWriterOptions) {
    this.#options = options;
  }

  /** Something of the cell has changed, and it is neither behind nor committing. */
  changed(cell: KeptCell): void {
    if (this.#stopped) return;
    if (this.#wanted.delete(cell)) {
      this.#due.add(cell);
      return this.#pump();
    }
    if (this.#isPending(cell)) return;
    this.#fresh.add(cell);
    this.#timer ??= this.#options.clock.setTimeout(() => this.#tick(), KEPT_EVERY_MS);
  }

  /** The cell is about to leave the memory: what is not written of it yet is. */
  sleeps(cell: KeptCell): void {
    const envelope = this.#isPending(cell) ? cell.kept() : undefined;
    this.gone(cell);
    if (envelope !== undefined && !this.#options.kept.isWriting(cell.id)) void this.#put(envelope);
  }

  /** The cell is down. */
  gone(cell: KeptCell): void {
    for (const cells of [this.#fresh, this.#aged, this.#due, this.#wanted]) cells.delete(cell);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    for (const cells of [this.#fresh, this.#aged, this.#due, this.#wanted]) cells.clear();
  }

  #isPending(cell: KeptCell): boolean {
    return this.#fresh.has(cell) || this.#aged.has(cell) || this.#due.has(cell) || this.#wanted.has(cell);
  }

  #tick(): void {
    this.#timer = undefined;
    for (const cell of this.#aged) this.#due.add(cell);
    this.#aged = this.#fresh;
    this.#fresh = new Set();
    this.#pump();
    if (this.#aged.size + this.#due.size > 0)
      this.#timer ??= this.#options.clock.setTimeout(() => this.#tick(), KEPT_EVERY_MS);
  }

  /** As many as may be under way (K8). */
  #pump(): void {
    const { kept } = this.#options;
    for (const cell of this.#due) {
      if (this.#writing >= KEPT_WRITES) return;
      if (kept.isWriting(cell.id)) continue;
      this.#due.delete(cell);
      const envelope = cell.alive ? cell.kept() : undefined;
      if (envelope !== undefined) void this.#write(cell, envelope);
      else if (cell.alive) this.#wanted.add(cell);
    }
  }

  async #write(cell: KeptCell, envelope: KeptEnvelope): Promise<void> {
    const isDone = await this.#put(envelope);
    if (!isDone && cell.alive) this.changed(cell);
    // While they fail the next tick is soon enough.
    if (isDone) this.#pump();
  }

  /** False when it is to be tried again. */
  async #put(envelope: KeptEnvelope): Promise<boolean> {
    const { kept, kind, log } = this.#options;
    this.#writing += 1;
    try {
      const outcome = await kept.write(envelope);
      this.#hasFailed = false;
      if (outcome === 'too-large' && !this.#wasTooLarge) {
        this.#wasTooLarge = true;
        log.warn({ kind, id: envelope.id, most: KEPT_ENVELOPE_BYTES }, TOO_LARGE);
      }
      return true;
    } catch (error) {
      if (!this.#hasFailed) log.warn({ kind, id: envelope.id, err: error }, FAILED);
      this.#hasFailed = true;
      return !(error instanceof Outage);
    } finally {
      this.#writing -= 1;
    }
  }
}

const TOO_LARGE =
  'an envelope is too large to be kept beside its log: its entity is restored from the log alone';
const FAILED = 'envelopes are not kept beside their logs for now: entities are restored from the logs';
