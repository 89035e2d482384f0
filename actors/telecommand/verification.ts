/**
 * The last link of the acknowledgement chain (ACK 3): what a target says after a telecommand was sent, by reports of
 * its protocol and by the conditions of the catalogue. Mission Control Service, section 3.1.
 *
 * V1. What was received behind the hand-over to the gateway counts, reports and samples alike, in the order of the bus
 *     and whatever its millisecond; the last sample before it is the baseline of `changes`. Where nobody knows where
 *     the bus stood (an earlier version recorded SENT, or the gateway is of others and its owner died) times decide:
 *     what was received after SENT counts.
 * V2. Samples are read row by row from the stream, so no intermediate value is missed.
 * V3. A failure is reported at once; satisfaction when everything the catalogue names has been satisfied once since the
 *     sending.
 * V4. Nothing is lost between the sending and the first look, nor by a new owner: whoever comes too late for the kept
 *     batches reads the stream by itself, from before the sending on, and tries until the bus lets it.
 * V5. The verdict does not depend on when somebody looked: samples are judged at their own time, the present counts
 *     only once everything stored has been read, and what came after the window does not count.
 * V6. What is deferred proves nothing, neither samples nor reports, and is no baseline: it was so before the
 *     telecommand was sent, and a report of the past names another request by the same number (MC-XFER-059).
 */

import type { ValueBatch, VerificationReport } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import { CLOCK_SKEW_MS } from '../../contract/limits/membership.ts';
import type { BusPosition } from '../../contract/link.ts';
import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { TelecommandEvent } from '../../machines/telecommand/telecommand.ts';
import type { Condition, Evaluation } from '../../mission/condition/condition.ts';
import { FileReads } from '../../mission/condition/file-reads.ts';
import type { AwaitedAnswer, Measure, Platform, Verification } from '../../mission/platform.ts';
import type { Bus, Follower } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ReceivedValue } from '../../ports/target-values.ts';
import { isBehind } from '../../telemetry/reading/bus-position.ts';
import {
  MeasureReader,
  type ReadSample,
  type WantedMeasure,
} from '../../telemetry/reading/measure-reader.ts';
import { awaitAnswer, isInTime, noAnswer } from './answer.ts';
import { type Listener, RecentValues, readMessage, type ValueMessage } from './recent-values.ts';

export interface VerificationWanted {
  readonly verify: Verification;
  readonly platform: Platform;
  readonly instance: string | undefined;
  readonly args: Readonly<Record<string, ResolvedValue>>;
  readonly sentAt: number;
  /** Where the bus stood when its frame was handed over (V1). */
  readonly handed?: BusPosition | undefined;
  readonly reference: string | undefined;
  /** Called once the answer of a telecommand that awaits one has come. */
  readonly answered?: () => void;
}

type Verdict = Extract<TelecommandEvent, { type: 'verification.satisfied' | 'verification.failed' }>;

/** How far before the sending the stream is read, for the baseline of `changes`: two slow telemetry cadences. */
const BASELINE_MS = 60_000;

interface Watcher {
  readonly wanted: VerificationWanted;
  readonly expect: Evaluation | undefined;
  readonly fail: Evaluation | undefined;
  /** What both read. */
  readonly reads: readonly WantedMeasure[];
  readonly reader: MeasureReader;
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
  /** The platform with this digest, if some known mission has it (batch.B2). */
  readonly platformOf: (digest: string) => Platform | undefined;
  /** The latest sample of a measure. */
  readonly sample: (measure: Measure) => ReceivedValue | undefined;
  /** Position of the last message of the value stream that these samples hold; undefined when that is not known. */
  readonly position?: () => number | undefined;
}

/** Follows the verifications of one target. */
export class Verifier {
  readonly #options: VerifierOptions;
  readonly #recent: RecentValues;
  readonly #watchers = new Set<Watcher>();
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
      leave = this.#listen(watcher);
      if (watcher.over) leave();
    });
  }

  async stop(): Promise<void> {
    for (const watcher of [...this.#watchers]) watcher.settle(undefined);
    await this.#recent.stop();
  }

  #watcher(wanted: VerificationWanted, settle: Watcher['settle']): Watcher {
    const { verify, platform, args: names, instance } = wanted;
    const files = new FileReads();
    const open = (condition: Condition | undefined): Evaluation | undefined =>
      condition?.open({ names, files, ...(instance !== undefined && { instance }) });
    const [expect, fail] = [open(verify.expect), open(verify.fail)];
    const ordinals = new Set([...(expect?.reads ?? []), ...(fail?.reads ?? [])]);
    const reads = [...ordinals].flatMap((ordinal): WantedMeasure[] => {
      const measure = files.measure(platform, ordinal);
      return measure === undefined ? [] : [{ ordinal, measure }];
    });
    return {
      wanted,
      expect,
      fail,
      reads,
      reader: new MeasureReader(reads),
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

  #listen(watcher: Watcher): () => void {
    const take: Listener = (message, isLast) => this.#take(watcher, message, isLast);
    const { handed } = watcher.wanted;
    const shared = handed !== undefined && this.#hasBaseline(watcher, handed);
    if (shared && this.#recent.listen(handed.values, take)) return () => this.#recent.leave(take);
    return this.#readAlone(watcher, take);
  }

  /**
   * Whether what came before the hand-over is known without the stream: nothing looks at it, or the current values are
   * of then.
   */
  #hasBaseline(watcher: Watcher, handed: BusPosition): boolean {
    const { wanted, reads } = watcher;
    const { verify, sentAt } = wanted;
    if (verify.expect?.temporal !== true && verify.fail?.temporal !== true) return true;
    if (this.#options.position?.() !== handed.values) return false;
    const known = reads.map(({ ordinal, measure }) => ({ ordinal, sample: this.#options.sample(measure) }));
    // V6: the last one in real time is in the stream.
    if (known.some(({ sample }) => sample?.deferred === true)) return false;
    for (const { ordinal, sample } of known) {
      if (sample === undefined) continue;
      for (const evaluation of readersOf(watcher, ordinal))
        evaluation.prime(ordinal, sample.value, Math.min(sample.groundMs, sentAt));
    }
    return true;
  }

  /** Reads the stream for one watcher, from before its sending on (V4). */
  #readAlone(watcher: Watcher, take: Listener): () => void {
    const { bus, clock, target, log } = this.#options;
    const at = watcher.wanted.sentAt - BASELINE_MS - CLOCK_SKEW_MS;
    let following: Promise<Follower> | undefined;
    const begin = (): void => {
      if (watcher.over) return;
      following = bus.follow(streams.values, subject.values(target), { from: 'time', at }, (message) => {
        if (!watcher.over) take(readMessage(message, log), message.pending === 0);
      });
      following.catch((error: unknown) => {
        log.warn({ err: error, target }, 'values of a target not followed, trying again');
        clock.setTimeout(begin, BUS_RETRY_MS);
      });
    };
    begin();
    return () => void following?.then((follower) => follower.stop()).catch(() => undefined);
  }

  #take(watcher: Watcher, message: ValueMessage, isLast: boolean): void {
    if (message.batch !== undefined) this.#takeBatch(watcher, message, message.batch);
    if (watcher.over) return;
    if (isLast) this.#judgeNow(watcher);
    else this.#judge(watcher, watcher.judgedAt);
  }

  #takeBatch(watcher: Watcher, message: ValueMessage, batch: ValueBatch): void {
    const { handed } = watcher.wanted;
    const isAfter = handed === undefined ? undefined : isBehind(message, handed);
    // V6
    if (batch.deferred) return;
    for (const report of batch.reports) this.#report(watcher, report, isAfter);
    // Not known yet: its configuration may be taken up in a moment.
    const { platform: own } = watcher.wanted;
    const platform = batch.platform === own.digest ? own : this.#options.platformOf(batch.platform);
    if (platform !== undefined) this.#feed(watcher, watcher.reader.read(batch, platform), isAfter);
  }

  // Reports ----------------------------------------------------------------------------------------------------------

  /** `isAfter`: received behind the hand-over; undefined: not known. */
  #report(watcher: Watcher, report: VerificationReport, isAfter: boolean | undefined): void {
    const { wanted } = watcher;
    if (watcher.over || isAfter === false) return;
    if (wanted.reference === undefined || report.reference !== wanted.reference) return;
    if (wanted.verify.reports === undefined || report.at > watcher.until) return;
    // A reference comes around again after 16,384 telecommands: what is older than the sending is of an earlier one.
    if (isAfter === undefined && report.at < wanted.sentAt - BASELINE_MS) return;
    const { answer } = wanted.verify;
    // What comes after the answer is of a later telecommand.
    if (answer !== undefined && (watcher.completed || !this.#answers(report, answer, wanted, isAfter)))
      return;
    if (!report.ok) {
      watcher.settle({ type: 'verification.failed', at: report.at, detail: reportDetail(report) });
    } else if (report.stage === 'acceptance') watcher.accepted = true;
    else if (report.stage === 'completion') {
      watcher.accepted = true;
      watcher.completed = true;
      if (answer !== undefined) wanted.answered?.();
    }
  }

  /** Whether a report may be the answer, by its time. */
  #answers(
    report: VerificationReport,
    answer: AwaitedAnswer,
    { sentAt }: VerificationWanted,
    isAfter: boolean | undefined,
  ): boolean {
    if (isAfter !== undefined) return report.at <= sentAt + answer.withinMs;
    if (!isInTime(report, answer, sentAt) || report.at <= this.#answeredAt) return false;
    this.#answeredAt = report.at;
    return true;
  }

  // Samples ----------------------------------------------------------------------------------------------------------

  /** Samples in the order of reception; those of one moment together. */
  #feed(watcher: Watcher, samples: readonly ReadSample[], isAfter: boolean | undefined): void {
    const { sentAt } = watcher.wanted;
    for (let first = 0; first < samples.length && !watcher.over; ) {
      const ground = samples[first]!.groundMs;
      let next = first;
      while (next < samples.length && samples[next]!.groundMs === ground) next += 1;
      const moment = samples.slice(first, next);
      if (isAfter ?? ground > sentAt) this.#count(watcher, moment, ground);
      else
        eachReader(watcher, moment, (to, { ordinal, value, at }) =>
          to.prime(ordinal, value, Math.min(at, sentAt)),
        );
      first = next;
    }
  }

  /** A moment behind the sending: where another clock dated it before, it counts as of the sending. */
  #count(watcher: Watcher, moment: readonly ReadSample[], ground: number): void {
    if (ground > watcher.until) return;
    const { sentAt } = watcher.wanted;
    this.#passTo(watcher, ground);
    if (watcher.over) return;
    eachReader(watcher, moment, (to, { ordinal, value, at }) =>
      to.feed(ordinal, value, Math.max(at, sentAt)),
    );
    this.#judge(watcher, Math.max(watcher.judgedAt, ground));
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

  /** Everything stored has been received: the present is known. */
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

/** Hands each sample to the conditions that read it. */
function eachReader(
  watcher: Watcher,
  samples: readonly ReadSample[],
  hand: (to: Evaluation, sample: ReadSample) => void,
): void {
  for (const sample of samples)
    for (const evaluation of readersOf(watcher, sample.ordinal)) hand(evaluation, sample);
}

function readersOf({ expect, fail }: Watcher, ordinal: number): Evaluation[] {
  return [expect, fail].filter((each) => each?.reads.includes(ordinal) === true) as Evaluation[];
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
