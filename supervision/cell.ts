/**
 * A cell hosts the actor of one entity: it feeds it events, makes each revision durable, and only then runs the effects
 * that the revision asked for.
 *
 * C1. One root actor per cell; nothing is spawned under a common parent.
 * C2. The chart does no I/O: what it emits is all it may ask of the world.
 * C3. Commit before effect: the effects of a revision start after it is durable, in order, under the key
 *     `<kind>:<id>:<revision>:<n>`.
 * C4. Deadlines (`after`) are recorded in the envelope and armed again on restore, with what is left of them.
 * C6. The inbox is bounded and pumped without re-entry; the event during which an actor died is reported once and never
 *     given to an actor again.
 * C9. A cell goes down exactly once, and after that nothing of it runs: no effect, no commit, no event.
 */

import { type AnyActor, createActor } from 'xstate';
import { assert } from '../contract/assert.ts';
import { CELL_INBOX } from '../contract/limits.ts';
import { Outage } from '../contract/outage.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  ArmedTimer,
  Binding,
  Commit,
  Emitted,
  EntityEvent,
  Envelope,
  PendingEffect,
  Stored,
} from '../ports/entity.ts';
import { deferred } from './deferred.ts';

export type Down =
  | { readonly reason: 'finished' }
  /** Somebody else owns the entity now (O1). */
  | { readonly reason: 'fenced' }
  | {
      readonly reason: 'crashed';
      readonly error: unknown;
      /** The event during which it died; undefined when an effect or the store failed. */
      readonly poison: EntityEvent | undefined;
      /** Accepted from outside and not begun: for the next actor of the entity. */
      readonly inbox: readonly EntityEvent[];
    };

export type Receipt = 'accepted' | 'full' | 'gone';

export type Origin = { readonly input: unknown } | { readonly stored: Stored };

interface CellOptions {
  readonly binding: Binding;
  readonly id: string;
  readonly epoch: number;
  readonly clock: Clock;
  readonly down: (down: Down) => void;
}

/** How long a cell waits before it asks an unreachable store again; each ask already waits inside the bus. */
const COMMIT_RETRY_MS = 100;

interface Snapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
}

interface Letter {
  readonly event: EntityEvent;
  /** The effect it answers: no longer pending once the event is processed, asked again if it never is. */
  readonly answers?: string;
}

export class Cell {
  readonly id: string;
  readonly #binding: Binding;
  readonly #epoch: number;
  readonly #clock: Clock;
  readonly #down: (down: Down) => void;
  readonly #abort = new AbortController();
  #actor: AnyActor | undefined;
  #isDown = false;
  #lastEventAt: number;

  // Inbox
  readonly #inbox: Letter[] = [];
  #pumping = false;
  #current: EntityEvent | undefined;

  // Revisions not yet durable
  #emitted: Emitted[] = [];
  #snapshot: unknown;
  #revision = 0;
  #effectsOfRevision = 0;
  #position = 0;
  #dirty = false;
  #committing = false;
  #records: Emitted[] = [];
  #waiting: PendingEffect[] = [];
  #settled = deferred<void>();

  // Effects asked for and not known to be done, by key
  readonly #pending = new Map<string, PendingEffect>();
  readonly #dueAt = new WeakMap<object, number>();

  constructor({ binding, id, epoch, clock, down }: CellOptions) {
    this.id = id;
    this.#binding = binding;
    this.#epoch = epoch;
    this.#clock = clock;
    this.#down = down;
    this.#lastEventAt = clock.now();
  }

  /** Starts the actor: anew from an input, or from what the store holds, asking again for its pending effects. */
  start(origin: Origin, inbox: readonly EntityEvent[] = []): void {
    assert(this.#actor === undefined, 'C1');
    const stored = 'stored' in origin ? origin.stored : undefined;
    if (stored !== undefined) {
      this.#revision = stored.envelope.revision;
      this.#effectsOfRevision = stored.envelope.effects.length;
      this.#position = stored.position;
    }
    this.#inbox.push(...inbox.map((event) => ({ event })));
    // A snapshot that the chart does not know kills this cell and nothing else.
    this.#guarded(undefined, () => {
      const actor = this.#create(origin);
      this.#actor = actor;
      this.#observe(actor, stored?.envelope);
      actor.start();
      if (stored !== undefined) this.#resume(actor, stored.envelope);
    });
    this.#pump();
  }

  #create(origin: Origin): AnyActor {
    return createActor(this.#binding.chart, {
      clock: this.#xstateClock(),
      ...('stored' in origin
        ? { snapshot: origin.stored.envelope.snapshot as never, input: undefined }
        : { input: origin.input }),
    } as never) as AnyActor;
  }

  /** Gives the actor an event, or says why not: `full` when too many wait, `gone` when the cell is down. */
  tell(event: EntityEvent): Receipt {
    if (this.#isDown) return 'gone';
    if (this.#inbox.length >= CELL_INBOX) return 'full';
    this.#lastEventAt = this.#clock.now();
    this.#inbox.push({ event });
    this.#pump();
    return 'accepted';
  }

  get revision(): number {
    return this.#revision;
  }

  get alive(): boolean {
    return !this.#isDown;
  }

  /** The actor, for inspection. */
  get actor(): AnyActor | undefined {
    return this.#actor;
  }

  get lastEventAt(): number {
    return this.#lastEventAt;
  }

  /** Effects asked for and not known to be done. */
  pendingEffects(): PendingEffect[] {
    return [...this.#pending.values()];
  }

  /** Armed deadlines, soonest first. */
  timers(): ArmedTimer[] {
    const scheduled = Object.values(this.#actor?.system.getSnapshot()._scheduledEvents ?? {});
    return scheduled
      .map((entry) => ({
        id: entry.id,
        event: entry.event,
        dueAt: this.#dueAt.get(entry) ?? this.#clock.now(),
      }))
      .sort((a, b) => a.dueAt - b.dueAt);
  }

  /** Whether nothing is under way: it can be stopped and come back from its record without anybody noticing. */
  get quiet(): boolean {
    return this.#inbox.length === 0 && !this.#dirty && !this.#committing && this.#pending.size === 0;
  }

  /** Resolves when everything accepted so far is durable, or the cell is down. */
  async settled(): Promise<void> {
    while (!this.#isDown && (this.#dirty || this.#committing)) await this.#settled.promise;
  }

  /** Stops without a word: no further effect, commit or event (C9). The record stays. */
  stop(): void {
    if (this.#isDown) return;
    this.#isDown = true;
    this.#abort.abort();
    this.#actor?.stop();
    this.#settled.resolve();
  }

  #goDown(down: Down): void {
    if (this.#isDown) return;
    this.stop();
    this.#down(down);
  }

  #crash(error: unknown, poison: EntityEvent | undefined): void {
    const inbox = this.#inbox.splice(0).filter((letter) => letter.answers === undefined);
    this.#goDown({ reason: 'crashed', error, poison, inbox: inbox.map((letter) => letter.event) });
  }

  // The actor --------------------------------------------------------------------------------------------------------

  #xstateClock(): { setTimeout(fire: () => void, ms: number): unknown; clearTimeout(timer: unknown): void } {
    return {
      setTimeout: (fire, ms) => this.#clock.setTimeout(() => this.#guarded(undefined, fire), ms),
      clearTimeout: (timer) => this.#clock.clearTimeout(timer as never),
    };
  }

  #observe(actor: AnyActor, envelope: Envelope | undefined): void {
    // A restored actor reports its snapshot at the start: it is already durable.
    let restored = envelope !== undefined;
    actor.on('*', (emitted: Emitted) => this.#emitted.push(emitted));
    actor.subscribe({
      next: (snapshot: unknown) => {
        this.#noteTimers(actor);
        if (!restored) this.#macrostep(snapshot);
        restored = false;
      },
      error: (error: unknown) => this.#crash(error, this.#current),
      complete: () => this.#commitSoon(),
    });
  }

  #noteTimers(actor: AnyActor): void {
    const scheduled = actor.system.getSnapshot()._scheduledEvents;
    for (const key in scheduled) {
      const entry = scheduled[key];
      if (entry !== undefined && !this.#dueAt.has(entry)) {
        this.#dueAt.set(entry, this.#clock.now() + entry.delay);
      }
    }
  }

  #resume(actor: AnyActor, envelope: Envelope): void {
    if (this.#isDown) return;
    const now = this.#clock.now();
    for (const timer of envelope.timers) {
      actor.system.scheduler.schedule(actor, actor, timer.event, Math.max(0, timer.dueAt - now), timer.id);
    }
    this.#noteTimers(actor);
    for (const pending of envelope.effects) this.#pending.set(pending.key, pending);
    for (const pending of envelope.effects) this.#run(pending);
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    for (
      let letter = this.#inbox.shift();
      letter !== undefined && !this.#isDown;
      letter = this.#inbox.shift()
    ) {
      this.#process(letter);
    }
    this.#pumping = false;
  }

  #process({ event, answers }: Letter): void {
    if (answers !== undefined) this.#pending.delete(answers);
    this.#current = event;
    this.#guarded(event, () => this.#actor?.send(event as never));
    this.#current = undefined;
  }

  #guarded(event: EntityEvent | undefined, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#crash(error, event);
    }
  }

  // Revisions --------------------------------------------------------------------------------------------------------

  #macrostep(snapshot: unknown): void {
    const emitted = this.#emitted;
    if (this.#isDown || (snapshot === this.#snapshot && emitted.length === 0)) return;
    this.#emitted = [];
    this.#snapshot = snapshot;
    const records = emitted.filter((item) => item.type === 'record');
    this.#advance(records);
    for (const effect of emitted) if (effect.type !== 'record') this.#ask(effect);
    this.#commitSoon();
  }

  /** A log counts its records, so that a cell restored from the log gives its effects the keys they had. */
  #advance(records: readonly Emitted[]): void {
    const steps = this.#binding.durability === 'log' ? records.length : 1;
    if (steps === 0) return;
    this.#revision += steps;
    this.#effectsOfRevision = 0;
    this.#records.push(...records);
    this.#dirty = true;
  }

  #ask(effect: Emitted): void {
    const key = `${this.#binding.kind}:${this.id}:${this.#revision}:${this.#effectsOfRevision}`;
    this.#effectsOfRevision += 1;
    const pending = { key, effect };
    this.#pending.set(key, pending);
    this.#waiting.push(pending);
  }

  #commitSoon(): void {
    if (this.#committing || this.#isDown) return;
    if (this.#dirty) void this.#commit();
    else this.#afterCommit();
  }

  /** One commit at a time; what happens meanwhile is in the next one. */
  async #commit(): Promise<void> {
    this.#committing = true;
    this.#dirty = false;
    const effects = this.#waiting.splice(0);
    const commit = this.#nextCommit();
    const outcome = await this.#store(commit);
    if (this.#isDown || outcome === undefined) return;
    if (outcome.outcome === 'fenced') return this.#goDown({ reason: 'fenced' });
    this.#position = outcome.position;
    this.#committing = false;
    for (const pending of effects) this.#run(pending);
    this.#commitSoon();
  }

  #nextCommit(): Commit {
    return {
      id: this.id,
      epoch: this.#epoch,
      position: this.#position,
      records: this.#records.splice(0),
      envelope: this.#envelopeMaker(),
      final: (this.#snapshot as Snapshot | undefined)?.status === 'done',
    };
  }

  async #store(commit: Commit): Promise<Awaited<ReturnType<Binding['store']['commit']>> | undefined> {
    while (!this.#isDown) {
      try {
        return await this.#binding.store.commit(commit);
      } catch (error) {
        if (!(error instanceof Outage)) {
          this.#crash(error, undefined);
          return undefined;
        }
        await this.#pause(COMMIT_RETRY_MS);
      }
    }
    return undefined;
  }

  #pause(ms: number): Promise<void> {
    const { promise, resolve } = deferred<void>();
    const { signal } = this.#abort;
    const wake = (): void => resolve();
    signal.addEventListener('abort', wake, { once: true });
    const timer = this.#clock.setTimeout(wake, ms);
    return promise.finally(() => {
      this.#clock.clearTimeout(timer);
      signal.removeEventListener('abort', wake);
    });
  }

  /** Made once per commit, so that a retry writes the same bytes; contexts of charts are never mutated. */
  #envelopeMaker(): () => Envelope {
    let envelope: Envelope | undefined;
    const make = (): Envelope => ({
      kind: this.#binding.kind,
      id: this.id,
      version: this.#binding.version,
      revision: this.#revision,
      epoch: this.#epoch,
      snapshot: this.#actor?.getPersistedSnapshot(),
      timers: this.timers(),
      effects: this.pendingEffects(),
    });
    if (this.#binding.durability === 'snapshot') envelope = make();
    return () => {
      envelope ??= make();
      return envelope;
    };
  }

  #afterCommit(): void {
    for (const pending of this.#waiting.splice(0)) this.#run(pending);
    const settled = this.#settled;
    this.#settled = deferred();
    settled.resolve();
    if ((this.#snapshot as Snapshot | undefined)?.status === 'done') this.#goDown({ reason: 'finished' });
  }

  // Effects ----------------------------------------------------------------------------------------------------------

  #run(pending: PendingEffect): void {
    if (this.#isDown) return;
    const handler = this.#binding.effects[pending.effect.type];
    assert(handler, `C2: ${this.#binding.kind} binds ${pending.effect.type}`);
    const run = { id: this.id, key: pending.key, epoch: this.#epoch, signal: this.#abort.signal };
    void this.#reply(pending.key, async () => handler(pending.effect as never, run));
  }

  async #reply(key: string, effect: () => Promise<EntityEvent | undefined>): Promise<void> {
    try {
      const event = await effect();
      if (this.#isDown) return;
      if (event === undefined) {
        this.#pending.delete(key);
        return;
      }
      this.#inbox.push({ event, answers: key });
      this.#pump();
    } catch (error) {
      this.#crash(error, undefined);
    }
  }
}
