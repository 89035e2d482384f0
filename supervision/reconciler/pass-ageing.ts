/**
 * Moves passes that are long over from those that every process holds to those that are read where somebody asks for
 * them (decision 36). Led by one process of the cell.
 *
 * X1. A pass is written where it goes first; it leaves those in use once it has stood there for a while, and only as it
 *     was when it was written (`passes-over.O2`, `pass-writes.J6`). So each step may be the last one of a process.
 * X2. The check of its gateway goes with it, and is removed last: where that is not done it leaves by its age.
 * X3. A round moves `PASSES_AGED_AT_ONCE` at most, and ends where the lead is lost.
 * X4. What cannot be moved stays in use, keeps no other back, and is tried again in the next round.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { PASSES_AGED_AT_ONCE } from '../../contract/limits/pass.ts';
import { type PassOver, passKey, type StoredPass } from '../../contract/pass.ts';
import type { PassBook } from '../../messaging/pass-book.ts';
import { leaveUse, PassWriter } from '../../messaging/pass-writes.ts';
import { isLongOver, PassesOver } from '../../messaging/passes-over.ts';
import { windowOf } from '../../mission/pass/pass.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Worker } from '../ownership/owned-worker.ts';
import { type AgeingOptions, AgeingRounds } from './ageing-rounds.ts';

export interface PassAgeingOptions extends AgeingOptions {
  readonly bus: Bus;
  readonly passes: PassBook;
}

export class PassAgeing implements Worker {
  readonly #options: PassAgeingOptions;
  readonly #tools: { readonly over: PassesOver; readonly writer: PassWriter };
  readonly #rounds: AgeingRounds;
  /** The next round begins behind this pass: one that cannot be moved keeps no other back (X4). */
  #last = '';

  constructor(options: PassAgeingOptions) {
    this.#options = options;
    this.#tools = { over: new PassesOver(options), writer: new PassWriter(options) };
    this.#rounds = new AgeingRounds(options, () =>
      options.passes.live ? this.#move() : Promise.resolve(true),
    );
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** X3: whether there are more than one round moves. */
  async #move(): Promise<boolean> {
    const { clock, passes } = this.#options;
    const now = clock.now();
    const waiting = longOver(passes.passes(), now)
      .map((pass) => ({ pass, key: passKey(pass.target, pass.id) }))
      .filter(({ key }) => key > this.#last)
      .sort((one, other) => (one.key < other.key ? -1 : 1));
    const some = waiting.slice(0, PASSES_AGED_AT_ONCE);
    const isFull = some.length < waiting.length;
    this.#last = isFull ? some.at(-1)!.key : '';
    const byTarget = new Map<string, StoredPass[]>();
    for (const { pass } of some) {
      const ofTarget = byTarget.get(pass.target);
      if (ofTarget === undefined) byTarget.set(pass.target, [pass]);
      else ofTarget.push(pass);
    }
    for (const [target, ofTarget] of byTarget) {
      if (!this.#rounds.goesOn) return false;
      await this.#moveOf(target, ofTarget, now);
    }
    return isFull;
  }

  /** X1 */
  async #moveOf(target: string, passes: readonly StoredPass[], now: number): Promise<void> {
    const { over, writer } = this.#tools;
    const withChecks = passes.map((pass) => this.#withCheck(pass));
    const rested = await over.keep(target, withChecks, now);
    if (rested.length === 0 || !this.#rounds.goesOn) return;
    const gone = await leaveUse(writer, target, rested);
    await Promise.all(gone.map((pass) => this.#removeCheck(pass)));
  }

  #withCheck(pass: StoredPass): PassOver {
    const { gateway } = this.#options.passes.viewOf(pass);
    return { pass, ...(gateway !== undefined && { gateway }) };
  }

  /** X2 */
  async #removeCheck(pass: StoredPass): Promise<void> {
    if (this.#withCheck(pass).gateway === undefined) return;
    const checks = this.#options.bus.bucket(buckets.passGateways);
    const key = passKey(pass.target, pass.id);
    const check = await checks.get(key);
    if (check !== undefined) await checks.remove(key, check.revision);
  }
}

/** Those given are in the order of their AOS. */
function longOver(passes: readonly StoredPass[], now: number): StoredPass[] {
  const next = passes.findIndex((pass) => windowOf(pass).aos > now);
  return passes.slice(0, next === -1 ? passes.length : next).filter((pass) => isLongOver(pass, now));
}
