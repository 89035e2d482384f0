/**
 * All cells of one kind in this process: activation, passivation, restart, quarantine. A plain map, no parent actor.
 *
 * C1. At most one cell per id, whatever is told to it while it loads or restarts.
 * C5. An envelope of an unknown chart version is quarantined, never guessed.
 * C6. A full inbox answers the caller; what killed an actor goes to the dead letters.
 * C7. A cell exists from its first event until it is idle or final; its deadlines wake it.
 */

import { CELL_INBOX } from '../contract/limits.ts';
import { Outage } from '../contract/outage.ts';
import type { SupervisorInput } from '../machines/supervisor.ts';
import type { Clock, Random, TimerHandle } from '../ports/clock.ts';
import type { Binding, EntityEvent, Stored } from '../ports/entity.ts';
import type { Log } from '../ports/log.ts';
import { Cell, type Down, type Origin, type Receipt } from './cell.ts';
import type { DeadLetters } from './dead-letters.ts';
import { DEFAULT_INTENSITY, Supervisor } from './supervisor.ts';

export interface KindOptions {
  readonly binding: Binding;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly deadLetters: DeadLetters;
  /** Fencing token under which an id is activated by an event. */
  readonly epochOf?: (id: string) => number;
  readonly intensity?: Partial<Omit<SupervisorInput, 'name'>>;
  /** The cell is gone for good in this process: finished, fenced, quarantined or given up. */
  readonly onGone?: (id: string, why: Gone) => void;
  /** The kind is beyond repair: its role decides. */
  readonly onEscalated: (reason: string) => void;
}

export type Gone = 'finished' | 'fenced' | 'quarantined' | 'given-up';

/** An id without a live cell: loading, waiting for its restart, or quarantined. */
interface Absent {
  readonly why: 'loading' | 'restarting' | 'quarantined';
  readonly inbox: EntityEvent[];
  readonly epoch: number;
  /** What a cell that crashed was begun with: until its first revision is durable it has no record. */
  readonly begun?: Origin;
}

export class Kind {
  readonly name: string;
  readonly #options: KindOptions;
  readonly #cells = new Map<string, Cell>();
  readonly #absent = new Map<string, Absent>();
  readonly #wakers = new Map<string, TimerHandle>();
  readonly #supervisor: Supervisor;
  #sweeper: TimerHandle | undefined;
  #draining = false;

  constructor(options: KindOptions) {
    this.#options = options;
    this.name = options.binding.kind;
    const { clock, random, log } = options;
    this.#supervisor = new Supervisor({
      input: { ...DEFAULT_INTENSITY, ...options.intensity, name: this.name },
      clock,
      random,
      log,
      children: {
        restart: (id) => this.#load(id),
        quarantined: (id) => this.#gone(id, 'quarantined'),
        released: (id, reset) => this.#released(id, reset),
        escalated: options.onEscalated,
      },
    });
    this.#sweepLater();
  }

  /** Starts the cell of a new entity. The id must not be live. */
  start(id: string, input: unknown, epoch: number): Cell {
    return this.#open(id, { input }, epoch);
  }

  /** Starts the cell of an entity whose record is at hand. */
  restore(id: string, stored: Stored, epoch: number): Cell | undefined {
    const migrated = this.#migrated(id, stored, epoch);
    return migrated === undefined ? undefined : this.#open(id, { stored: migrated }, epoch);
  }

  /** Gives an event to the entity, activating it from its record when it has no cell. */
  tell(id: string, event: EntityEvent): Receipt | 'quarantined' {
    if (this.#draining) return 'gone';
    const cell = this.#cells.get(id);
    if (cell !== undefined) return cell.tell(event);
    const absent = this.#absent.get(id) ?? this.#activate(id);
    if (absent.why === 'quarantined') return 'quarantined';
    if (absent.inbox.length >= CELL_INBOX) return 'full';
    absent.inbox.push(event);
    return 'accepted';
  }

  peek(id: string): Cell | undefined {
    return this.#cells.get(id);
  }

  get live(): number {
    return this.#cells.size;
  }

  each(): IterableIterator<Cell> {
    return this.#cells.values();
  }

  trouble(): ReturnType<Supervisor['trouble']> {
    return this.#supervisor.trouble();
  }

  /** Lets a quarantined entity go on from its record. */
  resume(id: string): void {
    this.#supervisor.resume(id);
  }

  /** Forgets a quarantined entity here; its record stays where it is. */
  reset(id: string): void {
    this.#supervisor.reset(id);
  }

  /** Drops the cell without a word: its owner has changed. */
  drop(id: string): void {
    this.#cells.get(id)?.stop();
    this.#forget(id);
  }

  /** Takes no more events, waits until what was accepted is durable, and stops every cell. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#supervisor.drain();
    if (this.#sweeper !== undefined) this.#options.clock.clearTimeout(this.#sweeper);
    await Promise.all([...this.#cells.values()].map((cell) => cell.settled()));
    for (const id of [...this.#cells.keys()]) this.drop(id);
    for (const waker of this.#wakers.values()) this.#options.clock.clearTimeout(waker);
  }

  // Activation -------------------------------------------------------------------------------------------------------

  #open(id: string, origin: Origin, epoch: number, inbox: readonly EntityEvent[] = []): Cell {
    if (this.#cells.has(id)) throw new Error(`C1: ${this.name} ${id} is live already`);
    const { binding, clock } = this.#options;
    const cell = new Cell({
      binding,
      id,
      epoch,
      clock,
      down: (down) => this.#down(id, epoch, origin, down),
    });
    this.#cells.set(id, cell);
    this.#absent.delete(id);
    this.#clearWaker(id);
    cell.start(origin, inbox);
    return cell;
  }

  #activate(id: string): Absent {
    const absent: Absent = { why: 'loading', inbox: [], epoch: this.#options.epochOf?.(id) ?? 0 };
    this.#absent.set(id, absent);
    this.#load(id);
    return absent;
  }

  #load(id: string): void {
    const absent = this.#absent.get(id);
    if (absent === undefined || this.#draining) return;
    void this.#loadStored(id)
      .then((stored) => this.#loaded(id, absent, stored))
      .catch((error: unknown) => this.#notLoaded(id, absent, error));
  }

  #loaded(id: string, absent: Absent, stored: Stored | undefined): void {
    if (this.#absent.get(id) !== absent || this.#draining) return;
    if (stored === undefined && absent.begun !== undefined && 'input' in absent.begun) {
      // The uncommitted never happened: it begins again.
      this.#open(id, absent.begun, absent.epoch, absent.inbox);
      return;
    }
    if (stored === undefined) {
      this.#options.log.warn(
        { kind: this.name, id, events: absent.inbox.length },
        'event for an unknown entity',
      );
      this.#gone(id, 'given-up');
      return;
    }
    const migrated = this.#migrated(id, stored, absent.epoch);
    if (migrated !== undefined) this.#open(id, { stored: migrated }, absent.epoch, absent.inbox);
  }

  async #loadStored(id: string): Promise<Stored | undefined> {
    return this.#options.binding.store.load(id);
  }

  #notLoaded(id: string, absent: Absent, error: unknown): void {
    if (this.#absent.get(id) !== absent || this.#draining) return;
    if (error instanceof Outage) {
      this.#options.clock.setTimeout(() => this.#load(id), 100);
      return;
    }
    this.#supervisor.crashed(id, describe(error));
  }

  #migrated(id: string, stored: Stored, epoch: number): Stored | undefined {
    const { binding } = this.#options;
    let envelope = stored.envelope;
    while (envelope.version < binding.version) {
      const step = binding.migrations[envelope.version];
      if (step === undefined) break;
      envelope = { ...step(envelope), version: envelope.version + 1 };
    }
    if (envelope.version === binding.version) return { ...stored, envelope };
    this.#absent.set(id, { why: 'quarantined', inbox: [], epoch });
    this.#supervisor.broken(
      id,
      `chart version ${stored.envelope.version} is unknown here (${binding.version})`,
    );
    return undefined;
  }

  // Going down -------------------------------------------------------------------------------------------------------

  #down(id: string, epoch: number, origin: Origin, down: Down): void {
    this.#cells.delete(id);
    switch (down.reason) {
      case 'finished':
        this.#supervisor.ended(id);
        return this.#gone(id, 'finished');
      case 'fenced':
        this.#options.log.warn({ kind: this.name, id, epoch }, 'another owner wrote: cell dropped');
        this.#supervisor.ended(id);
        return this.#gone(id, 'fenced');
      case 'crashed':
        return this.#crashed(id, epoch, origin, down);
    }
  }

  #crashed(id: string, epoch: number, begun: Origin, down: Extract<Down, { reason: 'crashed' }>): void {
    const { binding, deadLetters, clock, log } = this.#options;
    const reason = describe(down.error);
    if (down.poison === undefined) log.error({ kind: this.name, id, err: down.error }, 'cell crashed');
    else deadLetters.add({ kind: this.name, id, at: clock.now(), event: down.poison, error: reason });
    if (this.#draining) return;
    if (binding.restart === 'temporary') return this.#gone(id, 'given-up');
    this.#absent.set(id, { why: 'restarting', inbox: [...down.inbox], epoch, begun });
    this.#supervisor.crashed(id, reason);
  }

  #gone(id: string, why: Gone): void {
    const absent = this.#absent.get(id);
    if (why === 'quarantined') {
      this.#absent.set(id, { inbox: [], epoch: 0, ...absent, why: 'quarantined' });
    } else {
      this.#absent.delete(id);
    }
    this.#options.onGone?.(id, why);
  }

  #released(id: string, reset: boolean): void {
    const absent = this.#absent.get(id);
    if (absent === undefined) return;
    if (reset) return this.#gone(id, 'given-up');
    this.#absent.set(id, { ...absent, why: 'restarting' });
    this.#load(id);
  }

  #forget(id: string): void {
    this.#cells.delete(id);
    this.#absent.delete(id);
    this.#clearWaker(id);
    this.#supervisor.ended(id);
  }

  // Passivation ------------------------------------------------------------------------------------------------------

  #sweepLater(): void {
    const { binding, clock } = this.#options;
    const { idleMs } = binding;
    if (idleMs === null) return;
    this.#sweeper = clock.setTimeout(
      () => {
        this.#sweep(clock.now() - idleMs);
        this.#sweepLater();
      },
      Math.max(1, idleMs / 2),
    );
  }

  #sweep(before: number): void {
    for (const cell of [...this.#cells.values()]) {
      if (cell.quiet && cell.lastEventAt <= before) this.#passivate(cell);
    }
  }

  #passivate(cell: Cell): void {
    const [soonest] = cell.timers();
    cell.stop();
    this.#cells.delete(cell.id);
    if (soonest === undefined) return;
    const { clock } = this.#options;
    const wake = (): void =>
      void (this.#cells.has(cell.id) || this.#absent.has(cell.id) || this.#activate(cell.id));
    this.#wakers.set(cell.id, clock.setTimeout(wake, Math.max(0, soonest.dueAt - clock.now())));
  }

  #clearWaker(id: string): void {
    const waker = this.#wakers.get(id);
    if (waker !== undefined) this.#options.clock.clearTimeout(waker);
    this.#wakers.delete(id);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
