/**
 * Scenarios and their runs, as the front end and campaigns ask for them. RF Bench Service, sections 2 to 4.
 *
 * E1. A run is announced once it is recorded; one that cannot be recorded does not run.
 * E2. A scenario is checked again when it is started: the profiles it names may have changed since it was read.
 * E3. A cancel, the time of the run and that of its step in a campaign end what is under way and do the actions of the
 *     end at once (scenario/timeline.T3).
 */

import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { Profile, Validated } from '../../../contract/bench/profile.ts';
import type {
  ActiveRun,
  ExecutionEvent,
  Report,
  ReportSummary,
  ScenarioRun,
  ScenarioStatus,
  ScenarioSummary,
} from '../../../contract/bench/run.ts';
import type { Scenario } from '../../../contract/bench/scenario.ts';
import { BENCH_RECORD_MS } from '../../../contract/limits/bench.ts';
import { Outage } from '../../../contract/outage.ts';
import { accepted, refused } from '../../../contract/result.ts';
import type { ScenarioRunEvent, ScenarioRunInput } from '../../../machines/bench/scenario-run-protocol.ts';
import type { Answered, BenchScenarios, Refusable } from '../../../ports/bench.ts';
import type { Bucket } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { checkScenario } from '../../../radio/document/scenario.ts';
import { runLimitMs } from '../../../radio/document/timeline.ts';
import type { BoardHolder, BoardUser, EventSink } from '../radio/board-user.ts';
import type { ScenarioCells } from '../runs/cells.ts';
import type { ExclusiveRun } from '../runs/exclusive-run.ts';
import type { RunRecords } from '../runs/records.ts';
import { cannotRecord, documentFound, runFound } from '../runs/refusals.ts';
import { isScenarioOver, type ScenarioView } from '../runs/view.ts';
import { ScenarioLife } from './life.ts';
import { missingReport, reportIn } from './report.ts';
import { endNow } from './timeline.ts';

interface ScenarioOptions {
  readonly documents: ReadonlyMap<string, Scenario>;
  readonly profiles: () => ReadonlyMap<string, Profile>;
  readonly records: RunRecords<ScenarioView>;
  readonly reports: Bucket;
  readonly board: BoardUser;
  readonly exclusive: ExclusiveRun;
  readonly lives: Map<string, ScenarioLife>;
  readonly cells: () => ScenarioCells;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly uptime: () => number;
  readonly session: string;
  readonly newId: () => string;
}

export class ScenarioService implements BenchScenarios {
  readonly #options: ScenarioOptions;

  constructor(options: ScenarioOptions) {
    this.#options = options;
  }

  list(): readonly ScenarioSummary[] {
    return [...this.#options.documents.values()].map(summaryOf);
  }

  get(name: string): Scenario | undefined {
    return this.#options.documents.get(name);
  }

  validate(value: unknown): Validated {
    const checked = checkScenario(value, this.#options.profiles());
    return checked.ok ? { ok: true, errors: [] } : { ok: false, errors: [...checked.faults] };
  }

  async start(name: string): Answered<ScenarioRun> {
    const id = this.#options.newId();
    const begun = await this.begin(name, { id, take: true, by: { kind: 'scenario', id } });
    return begun.ok ? accepted(begun.value.view.run) : begun;
  }

  /** Begins a run: in a turn of its own, or as the step of a campaign that has the turn and the board. */
  async begin(
    name: string,
    { id, by, take }: { readonly id: string; readonly by: BoardHolder; readonly take: boolean },
  ): Answered<{ readonly life: ScenarioLife; readonly view: ScenarioView }> {
    const { exclusive, records } = this.#options;
    const scenario = this.#runnable(name);
    if (!scenario.ok) return scenario;
    const taken = take ? await exclusive.take({ ...by, name }) : accepted(undefined);
    if (!taken.ok) return taken;
    const life = this.#open(scenario.value, id, by);
    const view = await records.until(id, () => true, BENCH_RECORD_MS);
    if (view === undefined) return this.#unrecorded(life);
    this.#tell('scenario.started', `scenario ${name} started as ${id}`);
    return accepted({ life, view });
  }

  active(): ActiveRun | undefined {
    for (const life of this.#options.lives.values()) {
      const view = this.#options.records.get(life.runId);
      if (view === undefined || isScenarioOver(view)) continue;
      return { ...view.run, elapsed_ms: life.elapsed(), cancel_requested: life.cancelRequested };
    }
    return undefined;
  }

  async cancel(): Answered<ScenarioRun> {
    const { lives, records } = this.#options;
    const active = this.active();
    const life = active && lives.get(active.run_id);
    if (active === undefined || life === undefined)
      return refused({ code: 'conflict', message: 'no scenario is running' });
    life.cancelRequested = true;
    this.end(life.runId, { type: 'operator.cancel', at: this.#options.clock.now() });
    return accepted(records.get(life.runId)?.run ?? withoutProgress(active));
  }

  /** Ends a run, which learns why (E3). */
  end(runId: string, why: ScenarioRunEvent): void {
    const { board, clock, lives } = this.#options;
    const life = lives.get(runId);
    // What an action fails with is its cell's to report, which asks for the same end.
    if (life !== undefined) endNow({ board, clock, life }).catch(() => undefined);
    this.tell(runId, why);
  }

  /** Reports a run what happened to it. */
  tell(runId: string, event: ScenarioRunEvent): void {
    this.#options.cells().tell(runId, event);
  }

  async runs(): Answered<readonly ScenarioRun[]> {
    return accepted(this.#options.records.list().map(({ run }) => run));
  }

  async run(id: string): Answered<ScenarioRun> {
    const found = this.#find(id);
    return found.ok ? accepted(found.value.run) : found;
  }

  async runEvents(id: string): Answered<readonly ExecutionEvent[]> {
    const found = this.#find(id);
    if (!found.ok) return found;
    if (!isScenarioOver(found.value)) return accepted([]);
    const report = await this.report(id);
    return report.ok ? accepted(report.value.events) : report;
  }

  async reports({
    status,
    limit,
  }: {
    readonly status?: ScenarioStatus;
    readonly limit: number;
  }): Answered<readonly ReportSummary[]> {
    const over = this.#options.records.list().filter(isScenarioOver);
    const wanted = status === undefined ? over : over.filter(({ run }) => run.status === status);
    return accepted(
      wanted.slice(0, limit).map(({ run, profileRef }) => ({
        ...run,
        ...(profileRef !== undefined && { profile_ref: profileRef }),
      })),
    );
  }

  async report(id: string): Answered<Report> {
    const found = this.#find(id);
    if (!found.ok) return found;
    const view = found.value;
    if (!isScenarioOver(view))
      return refused({ code: 'not_found', message: `run ${id} is in flight: there is no report yet` });
    if (!view.hasReport) return accepted(missingReport(view.run, view.profileRef, view.aborted));
    return this.#kept(id, view);
  }

  async #kept(id: string, view: ScenarioView): Answered<Report> {
    try {
      const entry = await this.#options.reports.get(id);
      if (entry === undefined) return accepted(missingReport(view.run, view.profileRef, view.aborted));
      const report = reportIn(entry.value, id);
      if (report === undefined) this.#options.log.error({ run: id }, 'the report of a run cannot be read');
      return accepted(report ?? missingReport(view.run, view.profileRef, view.aborted));
    } catch (error) {
      if (error instanceof Outage)
        return refused({ code: 'unavailable', message: `reports cannot be read: ${error.message}` });
      throw error;
    }
  }

  #find(id: string): Refusable<ScenarioView> {
    return runFound('scenario', id, this.#options.records.get(id));
  }

  #runnable(name: string): Refusable<Scenario> {
    const { documents, profiles } = this.#options;
    const scenario = documentFound('scenario', name, documents);
    if (!scenario.ok) return scenario;
    const checked = checkScenario(scenario.value, profiles());
    if (checked.ok) return scenario;
    const message = `scenario "${name}" does not fit the profiles any more: ${checked.faults.join('; ')}`;
    return refused({ code: 'conflict', message, help: 'register the profile it was written for' });
  }

  #open(scenario: Scenario, runId: string, by: BoardHolder): ScenarioLife {
    const { clock, uptime, lives, cells, session } = this.#options;
    const startedAt = clock.now();
    const life = new ScenarioLife({ runId, scenario, by, startedAt, uptime });
    lives.set(runId, life);
    const input: ScenarioRunInput = {
      runId,
      session,
      at: startedAt,
      scenario: scenario.name,
      ...(scenario.profile_ref !== undefined && { profileRef: scenario.profile_ref }),
      steps: scenario.timeline.length,
      limitMs: runLimitMs(scenario),
    };
    cells().start(runId, input, 0);
    return life;
  }

  /** Nothing of it was done yet: effects follow the record (E1). */
  async #unrecorded(life: ScenarioLife): Promise<ReturnType<typeof refused<BenchFault>>> {
    const { cells, lives, exclusive } = this.#options;
    cells().drop(life.runId);
    lives.delete(life.runId);
    life.end(undefined);
    await exclusive.give(life.runId);
    return refused(cannotRecord);
  }

  #tell(kind: string, message: string): void {
    this.#options.events.record({ kind, source: 'scenario', severity: 'info', message });
  }
}

function summaryOf({ name, display_name, description, profile_ref, tags = [] }: Scenario): ScenarioSummary {
  return {
    name,
    ...(display_name !== undefined && { display_name }),
    ...(description !== undefined && { description }),
    ...(profile_ref !== undefined && { profile_ref }),
    tags: [...tags],
  };
}

function withoutProgress({ elapsed_ms: _, cancel_requested: __, ...run }: ActiveRun): ScenarioRun {
  return run;
}
