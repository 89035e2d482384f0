/**
 * Binds the chart of a scenario run to the board. RF Bench Service, sections 2 and 3.
 *
 * S1. What an earlier life of the daemon asked for is not done again (scenario-run.J3).
 * S2. The last look of the sampler is before the actions of the end: they are not what is judged.
 * S3. A daemon that ends answers nothing more: what was under way stays open in the record, and the next life ends it.
 * S4. A report that could not be kept costs the run its report, not its end.
 */

import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { ScenarioRun } from '../../../contract/bench/run.ts';
import { BENCH_CELL_IDLE_MS } from '../../../contract/limits/bench.ts';
import { Outage } from '../../../contract/outage.ts';
import { scenarioRunMachine } from '../../../machines/bench/scenario-run.ts';
import {
  endStatus,
  type Judgement,
  type ScenarioRunEffect,
  type ScenarioRunEvent,
} from '../../../machines/bench/scenario-run-protocol.ts';
import type { Bucket } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import { defineBinding } from '../../../ports/define-binding.ts';
import type { Binding, EffectRun, Store } from '../../../ports/entity.ts';
import { runLimitMs } from '../../../radio/document/timeline.ts';
import type { BoardUser, EventSink } from '../radio/board-user.ts';
import type { ScenarioLife } from './life.ts';
import { judge, makeReport, reportText } from './report.ts';
import { Sampler } from './sampler.ts';
import { doEnd, doStep, reasonOf } from './timeline.ts';

interface BindingOptions {
  readonly store: Store;
  readonly board: BoardUser;
  readonly events: EventSink;
  readonly reports: Bucket;
  readonly clock: Clock;
  /** The life of the daemon. */
  readonly session: string;
  readonly lives: ReadonlyMap<string, ScenarioLife>;
  /** Aborted when the daemon ends. */
  readonly ending: AbortSignal;
  /** The time of the run is over. */
  readonly cutOff: (runId: string, reason: string) => void;
  /** The run is over and recorded. */
  readonly over: (runId: string) => void;
}

type Answer = Promise<ScenarioRunEvent | undefined>;
type Of<Type extends ScenarioRunEffect['type']> = Extract<ScenarioRunEffect, { type: Type }>;

export function createScenarioBinding(options: BindingOptions): Binding<typeof scenarioRunMachine> {
  const { store, session, lives, ending } = options;

  /** Does it for the run, once, unless it is of an earlier life (S1). */
  const alive =
    <Type extends ScenarioRunEffect['type']>(handler: Handler<Type>) =>
    async (effect: Of<Type>, { id, key }: EffectRun): Answer => {
      const life = effect.session === session ? lives.get(id) : undefined;
      if (life === undefined) return undefined;
      const answer = (await life.once(key, () => handler(life, effect, options))) as Awaited<Answer>;
      return ending.aborted ? undefined : answer;
    };

  return defineBinding({
    kind: 'scenario',
    version: 1,
    chart: scenarioRunMachine,
    store,
    durability: 'snapshot',
    effects: {
      'effect.hold': alive(hold),
      'effect.step': alive(step),
      'effect.abort': alive(abort),
      'effect.end': alive(end),
      'effect.judge': alive(conclude),
      'effect.over': ({ session: of }, { id }) => {
        if (of === session) options.over(id);
        return undefined;
      },
    },
    restart: 'transient',
    idleMs: BENCH_CELL_IDLE_MS,
    migrations: {},
  });
}

type Handler<Type extends ScenarioRunEffect['type']> = (
  life: ScenarioLife,
  effect: Of<Type>,
  options: BindingOptions,
) => Answer;

const hold: Handler<'effect.hold'> = async (life, _effect, options) => {
  const { board, clock, cutOff } = options;
  const held = await board.hold(life.by);
  const at = clock.now();
  if (!held.ok) {
    life.tell('run.refused', reasonOf(held.faults));
    return { type: 'board.refused', at, reason: reasonOf(held.faults), lost: isLost(held.faults[0]) };
  }
  life.tell('run.begun', `${life.scenario.name} begins on ${board.provider}`);
  startSampler(life, options);
  const limitMs = runLimitMs(life.scenario);
  life.limit(clock, limitMs, () => cutOff(life.runId, `it took longer than its ${limitMs / 1000} s`));
  return { type: 'board.held', at };
};

const step: Handler<'effect.step'> = async (life, { index }, { board, clock }) => {
  const done = await doStep(life.scenario.timeline[index]!, { board, clock, life });
  const at = clock.now();
  if (done.ok) return { type: 'step.done', at, index };
  return { type: 'step.failed', at, index, reason: done.reason, lost: done.lost };
};

const abort: Handler<'effect.abort'> = async (life, { reason }) => {
  life.tell('run.stopping', reason);
  life.abort();
  return undefined;
};

const end: Handler<'effect.end'> = async (life, _effect, { board, clock }) => {
  await life.sampler?.stop();
  await doEnd({ board, clock, life });
  return { type: 'ending.done', at: clock.now() };
};

function startSampler(life: ScenarioLife, { board, clock }: BindingOptions): void {
  const { sampler } = life.scenario;
  if (sampler === undefined || life.sampler !== undefined) return;
  life.sampler = new Sampler({
    board,
    clock,
    sampler,
    elapsed: () => life.elapsed(),
    thinned: (every) =>
      life.tell('samples.thinned', `one reading of ${every} is kept: there is no room for more samples`),
  });
  life.sampler.start();
}

/** Judges the run and keeps its report. */
const conclude: Handler<'effect.judge'> = async (life, { end: ended }, { clock, events, reports }) => {
  life.sampler?.leave();
  const assertions = judge(life, ended, events);
  const failed = assertions.filter(({ passed }) => !passed).length;
  const at = clock.now();
  const judgement = {
    durationMs: life.elapsed(),
    stepsExecuted: life.outcomes.size,
    assertionsPassed: assertions.length - failed,
    assertionsFailed: failed,
    verified: assertions.some(({ verified }) => verified),
  };
  const status = endStatus(ended, judgement);
  life.tell(`run.${status}`, ended.reason);
  const run = runOf(life, status, at, judgement);
  const text = reportText(makeReport(life, run, ended, assertions));
  const hasReport = await keep(life.runId, text, reports, events);
  return { type: 'run.judged', at, ...judgement, hasReport };
};

function runOf(
  life: ScenarioLife,
  status: ScenarioRun['status'],
  at: number,
  judged: Omit<Judgement, 'hasReport'>,
): ScenarioRun {
  return {
    run_id: life.runId,
    scenario_name: life.scenario.name,
    status,
    started_at: new Date(life.startedAt).toISOString(),
    ended_at: new Date(at).toISOString(),
    duration_ms: judged.durationMs,
    steps_executed: judged.stepsExecuted,
    assertions_passed: judged.assertionsPassed,
    assertions_failed: judged.assertionsFailed,
  };
}

async function keep(runId: string, text: string, reports: Bucket, events: EventSink): Promise<boolean> {
  try {
    await reports.overwrite(runId, Buffer.from(text));
    return true;
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
    const message = `the report of scenario run ${runId} could not be kept: ${error.message}`;
    events.record({ kind: 'scenario.report_lost', source: 'scenario', severity: 'error', message });
    return false;
  }
}

function isLost({ code }: BenchFault): boolean {
  return code === 'unavailable';
}
