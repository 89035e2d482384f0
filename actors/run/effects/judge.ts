/**
 * Judges a condition of a procedure, or the readbacks of a configure, and reports the samples it rests on. Mission
 * Control Service, sections 2.3 and 4.2.
 *
 * - `check` holds now, on samples not older than `max_age`; unknown is no.
 * - `expect` and readbacks hold on samples received after they began, within their window; unknown waits.
 * - `wait_until` holds now, on samples as fresh as a check asks for, or later within its window.
 *
 * I1. A deferred sample counts as a current value. What looks at history or time, and what comes while it is waited
 *     for, is real-time only.
 * I2. Freshness is by ground time, of a deferred sample by the time of its measurement (`ports/target-values.ts`).
 * I3. Everything stored before the statement began is known before it is judged.
 */

import { CLOCK_SKEW_MS } from '../../../contract/limits/membership.ts';
import { CHECK_MAX_AGE_MS } from '../../../contract/limits/run.ts';
import type { BusPosition } from '../../../contract/link.ts';
import type { Result } from '../../../contract/result.ts';
import type { RunSample } from '../../../contract/run-event.ts';
import type { RunChartEvent, RunEffect } from '../../../machines/run/protocol.ts';
import { retryWhileBusIsAway } from '../../../messaging/while-bus-is-away.ts';
import { gatewaysReceiving } from '../../../mission/pass/serving-gateway.ts';
import { formatDuration } from '../../../mission/quantity.ts';
import { freshSince } from '../../../ports/target-values.ts';
import { busPosition } from '../../../telemetry/reading/bus-position.ts';
import { type LastSamples, type WatchVerdict, watchCondition } from '../condition-watch.ts';
import { type Judgement, openCondition, openReadbacks, type Watched } from '../judgement.ts';
import { measureName, runSample, type SampleAt, valueInWords } from '../samples.ts';
import type { Handler, RunAtHand, RunServices } from '../services.ts';
import { ValueStream } from '../value-stream.ts';

type JudgeEffect = Extract<RunEffect, { type: 'effect.judge' }>;
type Verdict = Omit<Extract<RunChartEvent, { type: 'judged' }>, 'type' | 'at' | 'ticket'>;

/** How far before its begin a stream is read for what a change is compared with: two slow telemetry cadences. */
const BASELINE_MS = 60_000;

type Positions = ReadonlyMap<string, BusPosition>;

interface Case {
  readonly effect: JudgeEffect;
  readonly judgement: Judgement;
  readonly at: RunAtHand;
  readonly services: RunServices;
  readonly signal: AbortSignal;
}

export function createJudge(services: RunServices): Handler<'effect.judge'> {
  return async (effect, at, signal) => {
    const opened = open(effect, at);
    const verdict = opened.ok
      ? await judge({ effect, judgement: opened.value, at, services, signal })
      : { ok: false, reason: opened.faults[0], samples: [] };
    if (verdict === undefined) return undefined;
    return { type: 'judged', at: services.clock.now(), ticket: effect.ticket, ...verdict };
  };
}

function open({ statement, answers }: JudgeEffect, { mission }: RunAtHand): Result<Judgement, string> {
  if (statement.kind === 'readbacks') return openReadbacks(statement, mission);
  return openCondition(statement, mission, answers);
}

async function judge(one: Case): Promise<Verdict | undefined> {
  const { effect, judgement, services, signal } = one;
  for (const target of new Set(judgement.reads.map((read) => read.target))) {
    await retryWhileBusIsAway({ clock: services.clock, signal }, () => services.values.upToDate(target));
  }
  if (signal.aborted) return undefined;
  const { kind } = effect.statement;
  if (kind === 'check') return check(one);
  if (kind === 'wait_until' && !judgement.temporal) {
    const now = services.clock.now();
    const known = feedKnown(one, now);
    const holds = judgement.evaluation.truth(now) === true;
    if (holds) return { ok: true, samples: samplesOf(judgement.reads, known) };
  }
  return awaitTruth(one);
}

// Now
// -------------------------------------------------------------------------------------------------------------------

/** Nothing in a check looks back: its library would not have compiled. */
function check(one: Case): Verdict {
  const { judgement, services } = one;
  const now = services.clock.now();
  const last = feedKnown(one, now);
  const samples = samplesOf(judgement.reads, last);
  if (judgement.evaluation.truth(now) === true) return { ok: true, samples };
  const stale = judgement.reads.flatMap((read) => staleness(read, last.get(read.ordinal), one, now) ?? []);
  const reason = stale.length > 0 ? stale.join(', ') : knownInWords(judgement, last);
  return { ok: false, reason, samples };
}

/** Feeds the current values that are fresh enough; gives all that are known. */
function feedKnown(one: Case, now: number): LastSamples {
  const { judgement } = one;
  const known = currentSamples(one);
  for (const { ordinal } of judgement.reads) {
    const sample = known.get(ordinal);
    if (sample === undefined || now - freshSince(sample) > maxAgeOf(one)) continue;
    judgement.evaluation.feed(ordinal, sample.value, freshSince(sample));
  }
  return known;
}

function currentSamples({ judgement, services }: Case): LastSamples {
  const found = judgement.reads.map(({ ordinal, target, measure }) => {
    return [ordinal, services.values.sample(target, measure)] as const;
  });
  return new Map(found.flatMap(([ordinal, sample]) => (sample === undefined ? [] : [[ordinal, sample]])));
}

function maxAgeOf({ effect: { statement } }: Case): number {
  return ('maxAgeMs' in statement ? statement.maxAgeMs : undefined) ?? CHECK_MAX_AGE_MS;
}

/** I2 */
function staleness(read: Watched, sample: SampleAt | undefined, one: Case, now: number): string | undefined {
  const name = measureName(read.target, read.measure);
  if (sample === undefined) return `no sample of ${name}`;
  const [ageMs, mostMs] = [now - freshSince(sample), maxAgeOf(one)];
  if (ageMs <= mostMs) return undefined;
  const age = formatDuration(Math.round(ageMs / 1000) * 1000);
  return `${name} is ${age} old, at most ${formatDuration(mostMs)}`;
}

// Over time
// -------------------------------------------------------------------------------------------------------------

async function awaitTruth(one: Case): Promise<Verdict | undefined> {
  const { effect, judgement } = one;
  const { statement, since } = effect;
  const withinMs = ('withinMs' in statement ? statement.withinMs : undefined) ?? 0;
  const positions = await positionsOf(one);
  const verdict = positions && (await follow(one, since, since + withinMs, positions));
  if (verdict === undefined) return undefined;
  const last = new Map([...currentSamples(one), ...verdict.last]);
  const samples = samplesOf(judgement.reads, verdict.ok ? verdict.last : last);
  if (verdict.ok) return { ok: true, samples };
  return { ok: false, reason: `not within ${formatDuration(withinMs)}: ${lastInWords(one, last)}`, samples };
}

/** Where the bus stands for each target that is read; undefined when `signal` ended it. */
async function positionsOf({ judgement, at, services, signal }: Case): Promise<Positions | undefined> {
  const { bus, clock, passes } = services;
  const positions = new Map<string, BusPosition>();
  for (const name of new Set(judgement.reads.map(({ target }) => target))) {
    const target = at.mission.targets.get(name);
    const gateways = target === undefined ? [] : gatewaysReceiving(at.mission, target, passes, clock.now());
    const found = await retryWhileBusIsAway({ clock, signal }, () => busPosition(bus, name, gateways));
    if (found === undefined) return undefined;
    positions.set(name, found.value);
  }
  return positions;
}

/** Follows from `since` to `until`, having read what was received before as far back as what is judged looks. */
function follow(
  one: Case,
  since: number,
  until: number,
  positions: Positions,
): Promise<WatchVerdict | undefined> {
  const { effect, judgement, services, signal } = one;
  const { bus, clock } = services;
  const { kind } = effect.statement;
  const afterwards = kind === 'expect' || kind === 'readbacks';
  const own = new AbortController();
  const ended = AbortSignal.any([signal, own.signal]);
  const lookBack = lookBackMs(one, afterwards);
  return watchCondition({
    judgement,
    clock,
    since,
    until,
    afterwards,
    signal: ended,
    oldest: since - Math.max(lookBack, afterwards ? 0 : maxAgeOf(one)),
    open: (target, watched, hear) =>
      new ValueStream({
        bus,
        clock,
        log: services.log,
        target,
        watched,
        hear,
        signal: ended,
        platformOf: (digest, revision) => services.platforms.find(digest, revision, 0),
        position: positions.get(target),
        from: since - CLOCK_SKEW_MS - lookBack,
      }),
  }).finally(() => own.abort());
}

function lookBackMs(one: Case, afterwards: boolean): number {
  const { temporal, spanMs } = one.judgement;
  // What is known now is known without the stream.
  if (!temporal) return 0;
  return afterwards ? BASELINE_MS : spanMs + Math.max(BASELINE_MS, maxAgeOf(one));
}

// In words
// --------------------------------------------------------------------------------------------------------------

function samplesOf(reads: readonly Watched[], last: LastSamples): RunSample[] {
  return reads.flatMap(({ ordinal, target, measure }) => {
    const sample = last.get(ordinal);
    return sample === undefined ? [] : [runSample(target, measure, sample)];
  });
}

/** What was last known; an `expect` says which measures have said nothing since it began. */
function lastInWords({ effect, judgement }: Case, last: LastSamples): string {
  if (effect.statement.kind === 'wait_until') return knownInWords(judgement, last);
  const silent = judgement.reads.filter(({ ordinal }) => {
    const sample = last.get(ordinal);
    return sample === undefined || freshSince(sample) <= effect.since;
  });
  if (silent.length === 0) return knownInWords(judgement, last);
  return `no sample of ${silent.map(({ target, measure }) => measureName(target, measure)).join(', ')} since it began`;
}

function knownInWords({ reads }: Judgement, last: LastSamples): string {
  if (reads.length === 0) return 'it does not hold';
  const known = reads.map(({ ordinal, target, measure }) => {
    const value = last.get(ordinal)?.value ?? null;
    return `${measureName(target, measure)} is ${valueInWords(measure.definition, value)}`;
  });
  return known.join(', ');
}
