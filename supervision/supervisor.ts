/**
 * Hosts the supervisor chart over a set of children and carries out what it decides. The children themselves belong to
 * whoever made the supervisor: it only says when.
 */

import { type Actor, createActor } from 'xstate';
import {
  type SupervisorEffect,
  type SupervisorInput,
  supervisorMachine,
} from '../machines/supervisor/supervisor.ts';
import type { Clock, Random, TimerHandle } from '../ports/clock.ts';
import type { ArmedTimer } from '../ports/entity.ts';
import type { Log } from '../ports/log.ts';
import { observe, type StepSink } from './inspection/observation.ts';

/** What a set of children lets its supervisor do. */
export interface Children {
  restart(child: string): void;
  quarantined(child: string, reason: string): void;
  /** An operator let it go on: from its record, or from nothing. */
  released(child: string, reset: boolean): void;
  /** The set is given up. */
  escalated(reason: string): void;
}

/** What a supervisor knows of a child in trouble. */
export interface Trouble {
  readonly crashes: readonly number[];
  readonly quarantined: boolean;
  readonly reason: string;
}

interface SupervisorOptions {
  readonly input: SupervisorInput;
  readonly children: Children;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A crash a second is beyond what a restart repairs; ten broken entities at once are a broken kind. */
export const DEFAULT_INTENSITY: Omit<SupervisorInput, 'name'> = {
  restarts: 5,
  quarantines: 10,
  windowMs: 60_000,
  backoff: { firstMs: 100, largestMs: 30_000 },
};

export class Supervisor {
  readonly #actor: Actor<typeof supervisorMachine>;
  readonly #options: SupervisorOptions;
  /** By child: when it is restarted, or out of trouble. */
  readonly #timers = new Map<string, { readonly handle: TimerHandle; readonly armed: ArmedTimer }>();
  #steps = 0;
  #changedAt: number;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#changedAt = options.clock.now();
    this.#actor = createActor(supervisorMachine, { input: options.input });
    this.#actor.on('*', (effect) => this.#carryOut(effect as SupervisorEffect));
    this.#actor.subscribe({
      next: () => {
        this.#steps += 1;
        this.#changedAt = options.clock.now();
      },
      error: (error) => {
        options.log.error({ err: error, supervisor: options.input.name }, 'supervisor failed');
        options.children.escalated(`the supervisor of ${options.input.name} failed`);
      },
    });
    this.#actor.start();
  }

  crashed(child: string, reason: string): void {
    const { clock, random } = this.#options;
    this.#clearTimer(child);
    this.#actor.send({ type: 'child.crashed', child, reason, at: clock.now(), random: random.next() });
  }

  /** The child cannot be started at all: no restart is tried. */
  broken(child: string, reason: string): void {
    this.#actor.send({ type: 'child.broken', child, reason, at: this.#options.clock.now() });
  }

  /** Lets a quarantined child go on; false when it is not quarantined, or nothing is repaired here any more. */
  resume(child: string): boolean {
    return this.#release({ type: 'operator.resume', child });
  }

  /** Gives a quarantined child up; false when it is not quarantined, or nothing is repaired here any more. */
  reset(child: string): boolean {
    return this.#release({ type: 'operator.reset', child });
  }

  /** It is no child of this set any more: whatever trouble it was in, quarantine included, is over. */
  ended(child: string): void {
    this.#clearTimer(child);
    if (this.#actor.getSnapshot().context.children[child] !== undefined) {
      this.#actor.send({ type: 'child.ended', child });
    }
  }

  drain(): void {
    this.#actor.send({ type: 'operator.drain' });
    for (const child of [...this.#timers.keys()]) this.#clearTimer(child);
  }

  get actor(): Actor<typeof supervisorMachine> {
    return this.#actor;
  }

  /** How often something happened to its children. */
  get steps(): number {
    return this.#steps;
  }

  /** When something last happened to its children, ms since 1970. */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** Restarts and stability that it waits for. */
  timers(): ArmedTimer[] {
    return [...this.#timers.values()].map(({ armed }) => armed);
  }

  /** Reports each step of its chart until the function it returns is called. */
  watch(sink: StepSink): () => void {
    return observe(this.#actor, sink);
  }

  /** Children in trouble, with the reason, the times of their crashes, and whether they are quarantined. */
  trouble(): Readonly<Record<string, Trouble>> {
    return this.#actor.getSnapshot().context.children;
  }

  /** How often a child crashed inside the window that ends now. */
  crashes(child: string): number {
    const { clock, input } = this.#options;
    const since = clock.now() - input.windowMs;
    return this.trouble()[child]?.crashes.filter((at) => at > since).length ?? 0;
  }

  #release(event: { type: 'operator.resume' | 'operator.reset'; child: string }): boolean {
    if (!this.#actor.getSnapshot().can(event)) return false;
    this.#actor.send(event);
    return true;
  }

  #carryOut(effect: SupervisorEffect): void {
    const { children, log, input } = this.#options;
    switch (effect.type) {
      case 'effect.restart':
        return this.#restartLater(effect);
      case 'effect.quarantine':
        log.error(
          { supervisor: input.name, child: effect.child, reason: effect.reason },
          'child quarantined',
        );
        return children.quarantined(effect.child, effect.reason);
      case 'effect.release':
        return children.released(effect.child, effect.reset);
      case 'effect.escalate':
        log.error({ supervisor: input.name, reason: effect.reason }, 'supervisor gives up');
        return children.escalated(effect.reason);
    }
  }

  #restartLater({ child, attempt, delayMs }: Extract<SupervisorEffect, { type: 'effect.restart' }>): void {
    const { log, input, children } = this.#options;
    log.warn({ supervisor: input.name, child, attempt, delayMs }, 'child crashed, restarting');
    this.#arm(child, `restart of ${child}`, delayMs, () => {
      this.#expectStability(child);
      children.restart(child);
    });
  }

  /** A child that survives the window is out of trouble. */
  #expectStability(child: string): void {
    this.#arm(child, `stability of ${child}`, this.#options.input.windowMs, () => {
      this.#timers.delete(child);
      this.#actor.send({ type: 'child.stable', child });
    });
  }

  #arm(child: string, type: string, delayMs: number, due: () => void): void {
    const { clock } = this.#options;
    const handle = clock.setTimeout(due, delayMs);
    this.#timers.set(child, {
      handle,
      armed: { event: { type }, id: child, dueAt: clock.now() + delayMs },
    });
  }

  #clearTimer(child: string): void {
    const timer = this.#timers.get(child);
    if (timer !== undefined) this.#options.clock.clearTimeout(timer.handle);
    this.#timers.delete(child);
  }
}
