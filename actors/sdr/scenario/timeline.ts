/**
 * Does the steps of a timeline. RF Bench Service, section 2.
 *
 * T1. A step begins at its time; one that is late begins at once, and its event says how late.
 * T2. What the board refuses ends the timeline. A wait for what does not come does not: the next steps may be what
 *     shows why; the step failed, and unless an assertion asks for that, so did the run.
 * T3. An end that somebody asks for, or that time or an outage brings, is done at once: not behind the step under way,
 *     and not behind the record.
 */

import type { MetricName } from '../../../contract/bench/metric.ts';
import type { ScenarioStep } from '../../../contract/bench/scenario.ts';
import { pause } from '../../../messaging/pause.ts';
import type { Clock } from '../../../ports/clock.ts';
import { MUTE_DB } from '../../../radio/board/phy.ts';
import type { BoardUser, ScriptedAction } from '../radio/board-user.ts';
import { compare } from './assertion.ts';
import type { ScenarioLife } from './life.ts';

/** Later than that is reported: timers and commands of the board are not finer. */
const LATE_MS = 50;
/** How often what is waited for is read. */
const WAIT_POLL_MS = 100;

export type StepEnd =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly lost: boolean };

interface Stage {
  readonly board: BoardUser;
  readonly clock: Clock;
  readonly life: ScenarioLife;
}

/** Does the step at its time; resolves when it is over. */
export async function doStep(step: ScenarioStep, stage: Stage): Promise<StepEnd> {
  const { life, clock } = stage;
  while (life.elapsed() < step.at_ms && !life.signal.aborted)
    await pause(clock, step.at_ms - life.elapsed(), life.signal);
  if (life.signal.aborted) return stopped(step);
  const begun = life.elapsed();
  if (begun - step.at_ms > LATE_MS)
    life.tell('step.late', `${step.id} begins ${begun - step.at_ms} ms late`, step.id);
  life.tell('step.begun', `${step.id}: ${step.do}`, step.id);
  const end = step.do === 'wait' ? await wait(step, stage) : await perform(step, stage);
  life.times.set(step.id, { begun, ended: life.elapsed() });
  return end;
}

/** Does an action of the end of the timeline; what is refused is recorded and hinders nothing else. */
async function doAtEnd(action: Pick<ScenarioStep, 'do' | 'with'>, { board, life }: Stage): Promise<void> {
  const performed = await board.perform(scripted(action, life), life.by);
  if (performed.ok) life.tell('end.done', `${action.do}: ${performed.value.detail}`);
  else life.tell('end.failed', `${action.do}: ${reasonOf(performed.faults)}`);
}

/** Does the actions of the end, once: for its run, or for the daemon that ends. */
export function doEnd(stage: Stage): Promise<void> {
  const { life } = stage;
  return life.atEnd(async () => {
    for (const action of life.scenario.on_end ?? []) await doAtEnd(action, stage);
  });
}

/**
 * Ends a run that does no step any more, whatever it had left: among them may be the one that stops the transmitter, so
 * that is done first (T3).
 */
export async function putAtRest(stage: Stage): Promise<void> {
  const { board, life } = stage;
  const muted = board.perform({ do: 'radio.gain', with: { tx_gain_db: MUTE_DB } }, life.by);
  await Promise.all([muted, endNow(stage)]);
}

/** Aborts the step under way, and does the actions of the end beside it (T3). */
export function endNow(stage: Stage): Promise<void> {
  stage.life.sampler?.leave();
  stage.life.abort();
  return doEnd(stage);
}

async function perform(step: ScenarioStep, { board, clock, life }: Stage): Promise<StepEnd> {
  const limit = stepSignal(step, clock, life.signal);
  const performed = await board.perform(scripted(step, life), life.by, limit.signal);
  limit.clear();
  if (!performed.ok) {
    const reason = limit.isOver() ? `not over after ${step.timeout_ms} ms` : reasonOf(performed.faults);
    life.outcomes.set(step.id, 'failed');
    life.tell('step.failed', `${step.id}: ${reason}`, step.id);
    const lost = performed.faults[0].code === 'unavailable';
    return { ok: false, reason: `step ${step.id}: ${reason}`, lost };
  }
  const { detail, measurement } = performed.value;
  if (measurement !== undefined && board.source !== undefined) life.sources.add(board.source);
  if (measurement !== undefined && step.save !== undefined) life.measurements.set(step.save, measurement);
  life.outcomes.set(step.id, 'done');
  life.tell('step.done', `${step.id}: ${detail}`, step.id);
  return { ok: true };
}

async function wait(step: ScenarioStep, stage: Stage): Promise<StepEnd> {
  const { clock, life } = stage;
  const { until, timeout_ms = 0 } = step;
  const end = life.elapsed() + timeout_ms;
  let met = until === undefined;
  if (until === undefined) {
    while (life.elapsed() < end && !life.signal.aborted)
      await pause(clock, end - life.elapsed(), life.signal);
  } else {
    met = await metricHolds(until, end, stage);
  }
  if (life.signal.aborted) return stopped(step);
  life.outcomes.set(step.id, met ? 'done' : 'failed');
  const words = until === undefined ? 'waited' : `${until.metric} ${until.op} ${until.value}`;
  if (met) life.tell('step.done', `${step.id}: ${words}`, step.id);
  else life.tell('wait.unmet', `${step.id}: not within ${timeout_ms} ms: ${words}`, step.id);
  return { ok: true };
}

/** Whether the metric holds for as long as asked, before the end. */
async function metricHolds(
  { metric, op, value, for_ms = 0 }: NonNullable<ScenarioStep['until']>,
  end: number,
  { board, clock, life }: Stage,
): Promise<boolean> {
  const name = metric as MetricName;
  let heldSince: number | undefined;
  while (!life.signal.aborted) {
    const reading = (await board.sample([name]))[name] ?? null;
    const now = life.elapsed();
    if (reading !== null && board.source !== undefined) life.sources.add(board.source);
    heldSince = reading !== null && compare(op, reading, value) ? (heldSince ?? now) : undefined;
    if (heldSince !== undefined && now - heldSince >= for_ms) return true;
    if (now >= end) return false;
    await pause(clock, Math.min(WAIT_POLL_MS, end - now), life.signal);
  }
  return false;
}

/** The action with what its scenario says for it. */
function scripted(step: Pick<ScenarioStep, 'do' | 'with'>, { scenario }: ScenarioLife): ScriptedAction {
  const body = step.with ?? {};
  const profile =
    step.do === 'profile.apply' && scenario.profile_ref !== undefined
      ? { profile: scenario.profile_ref }
      : {};
  return { do: step.do as ScriptedAction['do'], with: { ...profile, ...body } };
}

/** Ends with the run, or when the time of the step is over. */
function stepSignal(
  { timeout_ms }: ScenarioStep,
  clock: Clock,
  run: AbortSignal,
): { readonly signal: AbortSignal; isOver(): boolean; clear(): void } {
  if (timeout_ms === undefined) return { signal: run, isOver: () => false, clear: () => undefined };
  const own = new AbortController();
  const timer = clock.setTimeout(() => own.abort('the time of the step is over'), timeout_ms);
  return {
    signal: AbortSignal.any([run, own.signal]),
    isOver: () => own.signal.aborted,
    clear: () => clock.clearTimeout(timer),
  };
}

function stopped({ id }: ScenarioStep): StepEnd {
  return { ok: false, reason: `step ${id} was ended`, lost: false };
}

export function reasonOf(faults: readonly { readonly message: string; readonly help?: string }[]): string {
  return faults.map(({ message, help }) => (help === undefined ? message : `${message}; ${help}`)).join('; ');
}
