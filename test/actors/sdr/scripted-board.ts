/**
 * A board that does what a test says: answers, refuses, hangs until it is let go, or is lost. Numbers are set by the
 * test; what was asked for is kept in order.
 */

import type {
  BoardHolder,
  BoardUser,
  Done,
  EventSink,
  ScriptedAction,
} from '../../../actors/sdr/radio/board-user.ts';
import type { Measurement } from '../../../contract/bench/datapath.ts';
import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { Severity } from '../../../contract/bench/event.ts';
import type { MetricName } from '../../../contract/bench/metric.ts';
import { accepted, type Result, refused } from '../../../contract/result.ts';
import type { Clock } from '../../../ports/clock.ts';

export type Reading = number | boolean | null;
type Answer = Result<Done, BenchFault>;
type Doing = (action: ScriptedAction, signal: AbortSignal | undefined) => Answer | Promise<Answer>;

export class ScriptedBoard implements BoardUser {
  source: 'pl' | 'stub' | undefined = 'stub';
  provider = 'this daemon (stub board, mock)';
  readonly wired = 'air' as const;
  /** `verb in the name of kind`. */
  readonly done: string[] = [];
  readonly readings: Partial<Record<MetricName, Reading>> = {};
  holder: BoardHolder | undefined;
  /** What holding it is refused with. */
  refusesHold: BenchFault | undefined;
  readonly #doing = new Map<string, Doing>();
  readonly #listeners = new Set<(reason: string) => void>();

  /** What a verb does from now on. */
  on(verb: ScriptedAction['do'], doing: Doing): this {
    this.#doing.set(verb, doing);
    return this;
  }

  /** The verb ends only when it is aborted, and is refused then. */
  hang(verb: ScriptedAction['do']): this {
    return this.on(
      verb,
      (_, signal) =>
        new Promise((resolve) => {
          const ended = () => resolve(refusal('timeout', `${verb} was ended`));
          if (signal?.aborted) ended();
          signal?.addEventListener('abort', ended);
        }),
    );
  }

  lose(reason: string): void {
    this.source = undefined;
    for (const verb of ['datapath.measure', 'radio.gain', 'chain.condition', 'profile.apply'] as const)
      this.on(verb, () => refusal('unavailable', `the board is gone: ${reason}`));
    for (const listener of this.#listeners) listener(reason);
  }

  async hold(holder: BoardHolder): Promise<Result<void, BenchFault>> {
    if (this.refusesHold !== undefined) return refused(this.refusesHold);
    if (this.holder !== undefined && this.holder.id !== holder.id)
      return refused({ code: 'conflict', message: `held by ${this.holder.kind} ${this.holder.id}` });
    this.holder = holder;
    return accepted(undefined);
  }

  async release(holder: BoardHolder): Promise<void> {
    if (this.holder?.id === holder.id) this.holder = undefined;
  }

  async perform(action: ScriptedAction, by: BoardHolder, signal?: AbortSignal): Promise<Answer> {
    if (this.holder?.id !== by.id) return refusal('board_busy', `the board is not held by ${by.id}`);
    this.done.push(action.do);
    const doing = this.#doing.get(action.do);
    return doing === undefined ? accepted({ detail: `${action.do} done` }) : doing(action, signal);
  }

  async sample(names: readonly MetricName[]): Promise<Partial<Record<MetricName, Reading>>> {
    return Object.fromEntries(names.map((name) => [name, this.readings[name] ?? null]));
  }

  onLost(listener: (reason: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export function refusal(code: BenchFault['code'], message: string): Answer {
  return refused({ code, message });
}

/** A measurement of so many blocks with this share of right bytes. */
export function measured(ratio: number, blocks = 4): Answer {
  const measurement: Measurement = {
    verdict: ratio === 1 ? 'BytePerfect' : ratio > 0.1 ? 'Degraded' : 'NoCorrelation',
    rotation_slip: false,
    blocks: Array.from({ length: blocks }, (_, index) => ({
      index,
      total: 4096,
      matched: Math.round(4096 * ratio),
      rotation: 0,
      ratio,
    })),
    overall_ratio: ratio,
    worst_block_ratio: ratio,
    capture_bytes: blocks * 4096,
    warmup: 0,
  };
  return accepted({ detail: `measured ${measurement.verdict}`, measurement });
}

/** Keeps events, and counts frames that a test says were captured. */
export class KeptEvents implements EventSink {
  readonly kept: { kind: string; source: string; severity: Severity; message: string; at: number }[] = [];
  frames = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  record(event: { kind: string; source: string; severity: Severity; message: string }): number {
    this.kept.push({ ...event, at: this.#clock.now() });
    return this.kept.length;
  }

  countSince(what: 'frames' | { readonly kind: string | undefined }, at: number): number {
    if (what === 'frames') return this.frames;
    return this.kept.filter((event) => event.at >= at && (what.kind ?? event.kind) === event.kind).length;
  }

  get kinds(): string[] {
    return this.kept.map(({ kind }) => kind);
  }
}
