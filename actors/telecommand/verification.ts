/**
 * The last link of the acknowledgement chain (ACK 3): what a target says after a telecommand was sent, by reports of its
 * protocol and by the conditions of the catalogue. Mission Control Service, section 3.1.
 *
 * V1. Only samples received after the sending count; the last one before it is the baseline of `changes`.
 * V2. Samples are read row by row from the stream, so no intermediate value is missed.
 * V3. A failure is told at once; satisfaction when everything the catalogue names has been satisfied once since the
 *     sending.
 * V4. Nothing is lost between the sending and the first look, nor by a new owner: whoever comes too late for the kept
 *     batches reads the stream by itself, from before the sending on, and tries until the bus lets it.
 * V5. The verdict does not depend on when somebody looked: samples are judged at their own time, the present counts only
 *     once everything stored has been read, and what came after the window does not count.
 */

import type { ValueBatch, ValueBlock, VerificationReport } from '../../contract/batch.ts';
import { streams, subject } from '../../contract/subject.ts';
import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { TelecommandEvent } from '../../machines/telecommand.ts';
import type { Condition, Evaluation } from '../../mission/condition/condition.ts';
import { meansTheSame } from '../../mission/measure-meaning.ts';
import type { Measure, Platform, Verification } from '../../mission/platform.ts';
import type { Bus, Follower } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { KnownSample } from '../../ports/target-values.ts';
import { valuesIn } from '../values-in.ts';
import { awaitAnswer, isInTime, noAnswer } from './answer.ts';
import { type Listener, RecentValues } from './recent-values.ts';

export interface VerificationWanted {
  readonly verify: Verification;
  readonly platform: Platform;
  readonly instance: string | undefined;
  readonly args: Readonly<Record<string, ResolvedValue>>;
  readonly sentAt: number;
  readonly reference: string | undefined;
  /** Told once the answer of a telecommand that awaits one has come. */
  readonly answered?: () => void;
}

type Verdict = Extract<TelecommandEvent, { type: 'verification.satisfied' | 'verification.failed' }>;

/** How far before the sending the stream is read, for the baseline of `changes`: two slow telemetry cadences. */
const BASELINE_MS = 60_000;
/** Pause before a stream that could not be followed is tried again; each attempt already waits inside the bus. */
const FOLLOW_RETRY_MS = 250;

interface Watcher {
  readonly wanted: VerificationWanted;
  readonly expect: Evaluation | undefined;
  readonly fail: Evaluation | undefined;
  /** Has held at some time since the sending; a change is seen only until the next sample. */
  expected: boolean;
  accepted: boolean;
  completed: boolean;
  /** The moment judged last (V5). */
  judgedAt: number;
  /** End of the window. */
  readonly until: number;
  timer: TimerHandle | undefined;
  /** Ends the wait for an answer that ends before the window. */
  answerTimer: TimerHandle | undefined;
  over: boolean;
  readonly settle: (verdict: Verdict | undefined) => void;
}

interface VerifierOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly target: string;
  /** The platform with this digest, if some known mission has it (B2). */
  readonly platformOf: (digest: string) => Platform | undefined;
  /** The latest sample of a measure of a platform. */
  readonly sample: (platform: Platform, ordinal: number) => KnownSample | undefined;
}

/** Follows the verifications of one target. */
export class Verifier {
  readonly #options: VerifierOptions;
  readonly #recent: RecentValues;
  readonly #watchers = new Set<Watcher>();
  readonly #ordinals = new Map<string, Int32Array>();
  /** When the last answer was received that does not name its telecommand: it is of one telecommand only. */
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(options: VerifierOptions) {
    this.#options = options;
    this.#recent = new RecentValues(options);
  }

  /** The verdict; undefined when `signal` ends it first. The window of the catalogue is kept by the chart. */
  verify(wanted: VerificationWanted, signal: AbortSignal): Promise<Verdict | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      let leave = (): void => {};
      const watcher = this.#watcher(wanted, (verdict) => {
        if (watcher.over) return;
        watcher.over = true;
        this.#watchers.delete(watcher);
        if (watcher.timer !== undefined) this.#options.clock.clearTimeout(watcher.timer);
        if (watcher.answerTimer !== undefined) this.#options.clock.clearTimeout(watcher.answerTimer);
        leave();
        resolve(verdict);
      });
      this.#watchers.add(watcher);
      signal.addEventListener('abort', () => watcher.settle(undefined), { once: true });
      this.#awaitAnswer(watcher);
      const primed = this.#prime(watcher);
      leave = this.#listen(watcher, primed);
      if (watcher.over) leave();
    });
  }

  async stop(): Promise<void> {
    for (const watcher of [...this.#watchers]) watcher.settle(undefined);
    await this.#recent.stop();
  }

  #watcher(wanted: VerificationWanted, settle: Watcher['settle']): Watcher {
    const open = (condition: Condition | undefined): Evaluation | undefined =>
      condition?.open({
        names: wanted.args,
        ...(wanted.instance !== undefined && { instance: wanted.instance }),
      });
    const { expect, fail } = wanted.verify;
    return {
      wanted,
      expect: open(expect),
      fail: open(fail),
      expected: expect === undefined,
      accepted: false,
      completed: false,
      judgedAt: wanted.sentAt,
      until: wanted.sentAt + wanted.verify.withinMs,
      timer: undefined,
      answerTimer: undefined,
      over: false,
      settle,
    };
  }

  /** The baseline: what was known when it was sent (V1). Whether it is whole: no newer sample has taken its place yet. */
  #prime({ wanted, expect, fail }: Watcher): boolean {
    let whole = true;
    for (const evaluation of [expect, fail]) {
      for (const ordinal of evaluation?.reads ?? []) {
        const sample = this.#options.sample(wanted.platform, ordinal);
        if (sample === undefined) continue;
        if (sample.groundMs > wanted.sentAt) whole = false;
        else evaluation?.prime(ordinal, sample.value, sample.groundMs);
      }
    }
    return whole;
  }

  /** An answer may be due before the window ends. */
  #awaitAnswer(watcher: Watcher): void {
    const { clock } = this.#options;
    const { answer, withinMs } = watcher.wanted.verify;
    if (answer === undefined || answer.withinMs >= withinMs) return;
    watcher.answerTimer = awaitAnswer(clock, answer, watcher.wanted.sentAt, () => {
      if (watcher.completed) return;
      watcher.settle({ type: 'verification.failed', at: clock.now(), detail: noAnswer(answer) });
    });
  }

  // The stream -------------------------------------------------------------------------------------------------------

  #listen(watcher: Watcher, primed: boolean): () => void {
    const hear: Listener = (batch, isLast) => this.#hear(watcher, batch, isLast);
    const from = watcher.wanted.sentAt - (primed ? 0 : BASELINE_MS);
    if (this.#recent.listen(from, hear)) return () => this.#recent.leave(hear);
    return this.#readAlone(watcher, hear);
  }

  /** Reads the stream for one watcher, from before its sending on (V4). */
  #readAlone(watcher: Watcher, hear: Listener): () => void {
    const { bus, clock, target, log } = this.#options;
    const from = { from: 'time', at: watcher.wanted.sentAt - BASELINE_MS } as const;
    let following: Promise<Follower> | undefined;
    const begin = (): void => {
      if (watcher.over) return;
      following = bus.follow(streams.values, subject.values(target), from, (message) => {
        if (!watcher.over) hear(valuesIn(message, log), message.pending === 0);
      });
      following.catch((error: unknown) => {
        log.warn({ err: error, target }, 'values of a target not followed, trying again');
        clock.setTimeout(begin, FOLLOW_RETRY_MS);
      });
    };
    begin();
    return () => void following?.then((follower) => follower.stop()).catch(() => undefined);
  }

  /** Without a batch the message held none that can be read: it may still be the last one stored. */
  #hear(watcher: Watcher, batch: ValueBatch | undefined, isLast: boolean): void {
    if (batch !== undefined) this.#take(watcher, batch);
    if (watcher.over) return;
    if (isLast) this.#judgeNow(watcher);
    else this.#judge(watcher, watcher.judgedAt);
  }

  #take(watcher: Watcher, batch: ValueBatch): void {
    for (const report of batch.reports) this.#report(watcher, report);
    for (const block of batch.blocks) {
      if (!batch.deferred && block.deferred !== true) this.#feed(watcher, batch.platform, block);
    }
  }

  // Reports ----------------------------------------------------------------------------------------------------------

  #report(watcher: Watcher, report: VerificationReport): void {
    const { wanted } = watcher;
    if (watcher.over) return;
    if (wanted.reference === undefined || report.reference !== wanted.reference) return;
    // A reference comes around again after 16,384 telecommands: what is older than the sending is of an earlier one.
    if (wanted.verify.reports === undefined || report.at < wanted.sentAt - BASELINE_MS) return;
    if (report.at > watcher.until) return;
    const { answer } = wanted.verify;
    // What comes after the answer is of a later telecommand.
    if (answer !== undefined) {
      if (watcher.completed || !isInTime(report, answer, wanted.sentAt)) return;
      if (report.at <= this.#answeredAt) return;
      this.#answeredAt = report.at;
    }
    if (!report.ok) {
      watcher.settle({ type: 'verification.failed', at: report.at, detail: reportDetail(report) });
    } else if (report.stage === 'acceptance') watcher.accepted = true;
    else if (report.stage === 'completion') {
      watcher.accepted = true;
      watcher.completed = true;
      if (answer !== undefined) wanted.answered?.();
    }
  }

  // Samples ----------------------------------------------------------------------------------------------------------

  #feed(watcher: Watcher, digest: string, block: ValueBlock): void {
    const { wanted, expect, fail } = watcher;
    if (watcher.over || (expect === undefined && fail === undefined)) return;
    const columns = this.#columns(wanted.platform, digest, block.ordinals);
    const width = block.ordinals.length;
    for (let row = 0; row < block.ground.length; row += 1) {
      const at = block.ground[row]!;
      if (at > watcher.until) continue;
      this.#passTo(watcher, at);
      if (watcher.over) return;
      for (const evaluation of [expect, fail]) {
        if (evaluation === undefined) continue;
        for (const ordinal of evaluation.reads) {
          const column = columns.indexOf(ordinal);
          if (column < 0) continue;
          const value = valueAt(block, row * width + column);
          if (at > wanted.sentAt) evaluation.feed(ordinal, value, at);
          else evaluation.prime(ordinal, value, at);
        }
      }
      if (at > wanted.sentAt) this.#judge(watcher, Math.max(watcher.judgedAt, at));
      if (watcher.over) return;
    }
  }

  /** The columns of a block as ordinals of the platform of the telecommand; -1 where it has no such measure. */
  #columns(
    platform: Platform,
    digest: string,
    ordinals: Uint32Array,
  ): ArrayLike<number> & { indexOf(n: number): number } {
    if (platform.digest === digest) return ordinals;
    const key = `${platform.digest} ${digest}`;
    let map = this.#ordinals.get(key);
    if (map === undefined) {
      const from = this.#options.platformOf(digest);
      // Not known yet: its configuration may be taken up in a moment.
      if (from === undefined) return new Int32Array(ordinals.length).fill(-1);
      map = Int32Array.from(from.measures, (measure) => sameMeasure(platform, measure));
      this.#ordinals.set(key, map);
    }
    const known = map;
    return Int32Array.from(ordinals, (ordinal) => known[ordinal] ?? -1);
  }

  // Verdicts ---------------------------------------------------------------------------------------------------------

  /** Judges as of a moment; the verdict is passed now. */
  #judge(watcher: Watcher, moment: number): void {
    const at = this.#options.clock.now();
    watcher.judgedAt = moment;
    if (watcher.fail?.truth(moment) === true) {
      const detail = `${watcher.wanted.verify.fail?.source} holds`;
      return watcher.settle({ type: 'verification.failed', at, detail });
    }
    const { reports } = watcher.wanted.verify;
    const reported =
      reports === undefined || (reports === 'completion' ? watcher.completed : watcher.accepted);
    watcher.expected ||= watcher.expect?.truth(moment) === true;
    if (reported && watcher.expected) watcher.settle({ type: 'verification.satisfied', at });
  }

  /** Judges each moment before `at` at which something turned without a sample (V5). */
  #passTo(watcher: Watcher, at: number): void {
    const end = Math.min(at, watcher.until);
    for (
      let due = nextDue(watcher);
      due !== undefined && due < end && !watcher.over;
      due = nextDue(watcher)
    ) {
      this.#judge(watcher, due);
    }
  }

  /** Everything stored has been heard: the present is known. */
  #judgeNow(watcher: Watcher): void {
    const now = this.#options.clock.now();
    this.#passTo(watcher, now);
    if (!watcher.over) this.#judge(watcher, Math.max(watcher.judgedAt, Math.min(now, watcher.until)));
    if (!watcher.over) this.#judgeAgain(watcher, now);
  }

  /** A `stable for` becomes true without a new sample. */
  #judgeAgain(watcher: Watcher, now: number): void {
    const { clock } = this.#options;
    if (watcher.timer !== undefined) clock.clearTimeout(watcher.timer);
    const due = nextDue(watcher);
    watcher.timer =
      due === undefined || due > watcher.until
        ? undefined
        : clock.setTimeout(() => this.#judgeNow(watcher), Math.max(0, Math.ceil(due - now)));
  }
}

/** The first moment after the one judged last at which a condition may turn by itself. */
function nextDue({ expect, fail, judgedAt }: Watcher): number | undefined {
  const dues = [expect?.deadline(judgedAt), fail?.deadline(judgedAt)].filter(
    (due) => due !== undefined && due > judgedAt,
  ) as number[];
  return dues.length === 0 ? undefined : Math.min(...dues);
}

function sameMeasure(platform: Platform, measure: Measure): number {
  const ordinal = platform.ordinal(measure.key);
  if (ordinal === undefined) return -1;
  return meansTheSame(platform.measures[ordinal], measure) ? ordinal : -1;
}

function valueAt(block: ValueBlock, index: number): number | string | null {
  const value = block.value[index]!;
  if (!Number.isNaN(value)) return value;
  const wide = block.wide?.find(([at]) => at === index)?.[1];
  return wide === undefined ? null : typeof wide === 'bigint' ? Number(wide) : wide;
}

function reportDetail({ stage, code, step, data, detail }: VerificationReport): string {
  const parts = [
    `${stage} failed`,
    step === undefined ? '' : `step ${step}`,
    code === undefined ? '' : `code ${code}`,
    data === undefined || data === '' ? '' : `data ${data}`,
    detail ?? '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
