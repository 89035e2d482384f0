/**
 * The report of a scenario run that is over: made of what was seen, kept as JSON under the id of the run. RF Bench
 * Service, section 2.
 *
 * R1. Neither verdict applies to a timeline that was not completed: no assertion is judged, nothing is verified.
 * R3. A report that was kept and cannot be read is as if there were none: nothing of it is shown.
 * R2. A report fits into a message of the bus: samples are thinned evenly until it does, and an event says so.
 */

import type { AssertionResult, ExecutionEvent, Report, ScenarioRun } from '../../../contract/bench/run.ts';
import { objectIn } from '../../../contract/json-bytes.ts';
import { BENCH_REPORT_BYTES } from '../../../contract/limits/bench.ts';
import { asObject, type Foreign, isListOf } from '../../../contract/reply.ts';
import type { TimelineEnd } from '../../../machines/bench/scenario-run-protocol.ts';
import type { EventSink } from '../radio/board-user.ts';
import { judgeAssertion, type Observations } from './assertion.ts';
import type { ScenarioLife } from './life.ts';
import { everyOther } from './sampler.ts';

/** What the assertions of the run come to; none where its timeline was not completed (R1). */
export function judge(life: ScenarioLife, end: TimelineEnd, sink: EventSink): AssertionResult[] {
  if (end.as !== 'completed') return [];
  const { assertions } = life.scenario;
  const seen = observationsOf(life, sink);
  return [...assertions.map((assertion) => judgeAssertion(assertion, seen)), ...unmetWaits(life)];
}

/** The report; `run` is the run as it ended. */
export function makeReport(
  life: ScenarioLife,
  run: ScenarioRun,
  end: TimelineEnd,
  assertions: readonly AssertionResult[],
): Report {
  const { scenario, sampler } = life;
  return {
    ...run,
    ...(scenario.profile_ref !== undefined && { profile_ref: scenario.profile_ref }),
    has_report: true,
    verified: assertions.some(({ verified }) => verified),
    aborted: end.as !== 'completed',
    events: [...life.events],
    assertions: [...assertions],
    metric_samples: sampler?.samples ?? [],
    ...(sampler !== undefined && { sample_interval_ms: sampler.intervalMs }),
    source: sourceOf(life),
  };
}

/** The text of the report, small enough to be kept (R2). */
export function reportText(report: Report): string {
  let fitting = report;
  let text = JSON.stringify(fitting);
  while (Buffer.byteLength(text) > BENCH_REPORT_BYTES) {
    const { metric_samples: samples } = fitting;
    fitting =
      samples.length > 0
        ? { ...fitting, metric_samples: fewerSamples(samples), events: thinnedEvents(fitting) }
        : { ...fitting, events: everyOther(fitting.events) };
    text = JSON.stringify(fitting);
  }
  return text;
}

/** The report that was kept of that run; undefined for anything else (R3). */
export function reportIn(bytes: Uint8Array, runId: string): Report | undefined {
  const report = asObject(objectIn(bytes));
  const isReport =
    report?.run_id === runId &&
    typeof report.has_report === 'boolean' &&
    typeof report.verified === 'boolean' &&
    typeof report.aborted === 'boolean' &&
    isListOf(report.events, ({ kind, description, elapsed_ms }) => isSaid(kind, description, elapsed_ms)) &&
    isListOf(report.assertions, isAssertion) &&
    isListOf(report.metric_samples, ({ name, elapsed_ms }) => isSaid(name, '', elapsed_ms));
  return isReport ? (report as unknown as Report) : undefined;
}

function isSaid(name: unknown, words: unknown, elapsedMs: unknown): boolean {
  return typeof name === 'string' && typeof words === 'string' && Number.isFinite(elapsedMs);
}

function isAssertion({ name, passed, verified, message }: Foreign): boolean {
  return isSaid(name, message, 0) && typeof passed === 'boolean' && typeof verified === 'boolean';
}

/** A report of a run that has none: the daemon ended before it did. */
export function missingReport(run: ScenarioRun, profileRef: string | undefined, aborted: boolean): Report {
  return {
    ...run,
    ...(profileRef !== undefined && { profile_ref: profileRef }),
    has_report: false,
    verified: false,
    aborted,
    events: [],
    assertions: [],
    metric_samples: [],
    source: 'none',
  };
}

function observationsOf(life: ScenarioLife, sink: EventSink): Observations {
  const { measurements, times, outcomes, startedAt, sampler } = life;
  return {
    measurements,
    times,
    outcomes,
    samples: sampler?.samples ?? [],
    events: (kind) => sink.countSince({ kind }, startedAt),
    frames: () => sink.countSince('frames', startedAt),
  };
}

/** Waits for what did not come, where no assertion asks whether it did. */
function unmetWaits({ scenario, outcomes }: ScenarioLife): AssertionResult[] {
  const asked = new Set(
    scenario.assertions.map((assertion) => (assertion.source === 'script' ? assertion.step : '')),
  );
  return scenario.timeline
    .filter(({ id, do: verb }) => verb === 'wait' && outcomes.get(id) === 'failed' && !asked.has(id))
    .map(({ id, timeout_ms, until }) => ({
      name: `wait ${id}`,
      passed: false,
      verified: false,
      message: `not within ${timeout_ms} ms: ${until?.metric} ${until?.op} ${until?.value}`,
    }));
}

function sourceOf({ sources, sampler }: ScenarioLife): NonNullable<Report['source']> {
  const used = new Set(sources);
  for (const { source, value } of sampler?.samples ?? []) if (value !== null) used.add(source);
  if (used.size > 1) return 'mixed';
  return [...used][0] ?? 'none';
}

/** Every other moment: all metrics of a moment stay together. */
function fewerSamples(samples: Report['metric_samples']): Report['metric_samples'] {
  const moments = [...new Set(samples.map(({ elapsed_ms }) => elapsed_ms))];
  if (moments.length <= 2) return [];
  const kept = new Set(everyOther(moments));
  return samples.filter(({ elapsed_ms }) => kept.has(elapsed_ms));
}

function thinnedEvents({ events, duration_ms = 0, metric_samples: samples }: Report): ExecutionEvent[] {
  const description = `more samples than a report holds: half of ${samples.length} were left out`;
  return [...events, { elapsed_ms: duration_ms, kind: 'samples.thinned', description }];
}
