/**
 * The deadlines (`after`) of one actor with the times they are due: xstate neither records nor restores them. Part of a
 * cell.
 *
 * C4. Deadlines are recorded in the envelope and armed again on restore, with what is left of them.
 */

import type { AnyActor } from 'xstate';
import type { Clock } from '../../ports/clock.ts';
import type { ArmedTimer } from '../../ports/entity.ts';

export class Deadlines {
  readonly #clock: Clock;
  /** By the entry of the scheduler: a deadline armed again is another one. */
  readonly #dueAt = new WeakMap<object, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes when those are due that were armed since the last call. */
  note(actor: AnyActor): void {
    const scheduled = actor.system.getSnapshot()._scheduledEvents;
    for (const key in scheduled) {
      const entry = scheduled[key];
      if (entry !== undefined && !this.#dueAt.has(entry)) {
        this.#dueAt.set(entry, this.#clock.now() + entry.delay);
      }
    }
  }

  /** What is armed, soonest first. */
  armed(actor: AnyActor): ArmedTimer[] {
    return Object.values(actor.system.getSnapshot()._scheduledEvents)
      .map((entry) => ({
        id: entry.id,
        event: entry.event,
        dueAt: this.#dueAt.get(entry) ?? this.#clock.now(),
      }))
      .sort((a, b) => a.dueAt - b.dueAt);
  }

  /** Arms those of a record again, with what is left of them. */
  rearm(actor: AnyActor, timers: readonly ArmedTimer[]): void {
    const now = this.#clock.now();
    for (const { event, id, dueAt } of timers) {
      actor.system.scheduler.schedule(actor, actor, event, Math.max(0, dueAt - now), id);
    }
    this.note(actor);
  }
}
