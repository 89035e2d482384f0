/**
 * The effects that one actor asked for: kept under their keys until they are known to be done, run once their revision
 * is durable. Part of a cell, which says when.
 *
 * C2. What a chart emits is all it may ask of the world: an effect without a handler is a defect.
 * C3. The effects of a revision start in order under the key `<kind>:<id>:<revision>:<n>`, and only after their commit.
 */

import { assert } from '../../contract/assert.ts';
import type { Binding, Emitted, EntityEvent, PendingEffect } from '../../ports/entity.ts';

interface EffectsOptions {
  readonly binding: Binding;
  readonly id: string;
  readonly epoch: number;
  /** Aborted when the cell is down: no effect starts and no reply counts after that (C9). */
  readonly signal: AbortSignal;
  /** The effect under this key has answered. */
  readonly replied: (key: string, event: EntityEvent) => void;
  readonly failed: (error: unknown) => void;
}

export class Effects {
  readonly #options: EffectsOptions;
  /** Asked for and not known to be done. */
  readonly #pending = new Map<string, PendingEffect>();
  /** Those of them whose revision is not yet being made durable. */
  #waiting: PendingEffect[] = [];

  constructor(options: EffectsOptions) {
    this.#options = options;
  }

  get pending(): PendingEffect[] {
    return [...this.#pending.values()];
  }

  get none(): boolean {
    return this.#pending.size === 0;
  }

  /** Takes note of the `n`-th effect of a revision; it does not run yet. */
  ask(effect: Emitted, revision: number, n: number): void {
    const { binding, id } = this.#options;
    const pending = { key: `${binding.kind}:${id}:${revision}:${n}`, effect };
    this.#pending.set(pending.key, pending);
    this.#waiting.push(pending);
  }

  /** What was asked for since the last call: the caller runs it when it is durable. */
  takeWaiting(): PendingEffect[] {
    return this.#waiting.splice(0);
  }

  /** Asks again for what a record says is still open, under the keys it had. */
  resume(effects: readonly PendingEffect[]): void {
    for (const pending of effects) this.#pending.set(pending.key, pending);
    this.run(effects);
  }

  run(effects: readonly PendingEffect[]): void {
    for (const pending of effects) this.#runOne(pending);
  }

  /** The reply of this effect is part of the actor now. */
  done(key: string): void {
    this.#pending.delete(key);
  }

  #runOne(pending: PendingEffect): void {
    const { binding, id, epoch, signal } = this.#options;
    if (signal.aborted) return;
    const run = { id, key: pending.key, epoch, signal };
    void this.#reply(pending.key, async () => {
      const handler = binding.effects[pending.effect.type];
      assert(handler, `C2: ${binding.kind} binds ${pending.effect.type}`);
      return handler(pending.effect, run);
    });
  }

  async #reply(key: string, effect: () => Promise<EntityEvent | undefined>): Promise<void> {
    const { signal, replied, failed } = this.#options;
    try {
      const event = await effect();
      if (signal.aborted) return;
      if (event === undefined) this.#pending.delete(key);
      else replied(key, event);
    } catch (error) {
      failed(error);
    }
  }
}
