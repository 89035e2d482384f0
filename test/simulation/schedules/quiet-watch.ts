/**
 * Notes when things are quiet: streams answer, and at least one scheduler is alive, awake, connected and in fair
 * weather, and nothing that was slowed down before is still on its way to it. Looked at often enough to see a
 * connection break.
 */

import { BUS_ATTEMPT_MS, BUS_RETRY_MS } from '../../../contract/limits/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Conditions } from '../process-weather.ts';
import type { SimulatedProcess } from '../simulated-process.ts';
import type { Quiet } from './history.ts';

/** A connection that breaks is made again within 100 ms at the earliest. */
const LOOK_EVERY_MS = 50;
/** A process that has been up for so long has read what there is. */
const SETTLED_UP_MS = 3_000;

/** What was asked of a stream without a leader is asked again so much later. */
const ASKED_AGAIN_MS = BUS_ATTEMPT_MS + BUS_RETRY_MS;

export interface Observed {
  readonly process: SimulatedProcess | undefined;
  readonly startedAt: number;
  readonly conditions: Conditions;
  readonly isScheduler: boolean;
}

export class QuietWatch {
  readonly #clock: Clock;
  readonly #isSilent: () => boolean;
  readonly #observed: () => readonly Observed[];
  readonly #spans: Quiet[] = [];
  #silentUntil = 0;
  /** Until when what each process asked in bad weather may be on its way. */
  readonly #lateUntil = new Map<SimulatedProcess, number>();
  /** Since when each process is well. */
  readonly #well = new Map<SimulatedProcess, number>();

  constructor(clock: Clock, isSilent: () => boolean, observed: () => readonly Observed[]) {
    this.#clock = clock;
    this.#isSilent = isSilent;
    this.#observed = observed;
  }

  start(): void {
    this.#look();
  }

  get spans(): readonly Quiet[] {
    return this.#spans;
  }

  #look(): void {
    const now = this.#clock.now();
    if (this.#isSilent()) this.#silentUntil = now + ASKED_AGAIN_MS;
    const isThere = now >= this.#silentUntil;
    for (const each of this.#observed()) {
      const { process } = each;
      if (process === undefined) continue;
      const { lagMs, pullLagMs } = each.conditions;
      if (lagMs + pullLagMs > 0) this.#lateUntil.set(process, now + LOOK_EVERY_MS + lagMs + pullLagMs);
      const hasArrived = now >= (this.#lateUntil.get(process) ?? 0);
      if (isThere && hasArrived && this.#isWell(each, now)) {
        if (!this.#well.has(process)) this.#well.set(process, now);
      } else this.#well.delete(process);
    }
    const living = new Set(this.#observed().map(({ process }) => process));
    for (const process of [...this.#well.keys(), ...this.#lateUntil.keys()]) {
      if (living.has(process)) continue;
      this.#well.delete(process);
      this.#lateUntil.delete(process);
    }
    const since = Math.min(...this.#well.values());
    if (since !== Number.POSITIVE_INFINITY) this.#note(since, now);
    this.#clock.setTimeout(() => this.#look(), LOOK_EVERY_MS);
  }

  /** Spans of different processes are different spans: whoever was well when it began was so until its end. */
  #note(from: number, to: number): void {
    const last = this.#spans.at(-1);
    if (last?.from === from) this.#spans[this.#spans.length - 1] = { from, to };
    else this.#spans.push({ from, to });
  }

  #isWell({ process, startedAt, conditions, isScheduler }: Observed, now: number): boolean {
    const { lossRate, doublingRate, lagMs, pullLagMs, service } = conditions;
    const isFair = lossRate + doublingRate + lagMs + pullLagMs === 0 && service === undefined;
    return (
      process !== undefined &&
      isScheduler &&
      isFair &&
      now - startedAt >= SETTLED_UP_MS &&
      !process.clock.paused &&
      process.bus.connected
    );
  }
}
