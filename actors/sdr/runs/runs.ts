/**
 * Scenarios and campaigns of the bench, assembled. RF Bench Service, section 1 (2).
 *
 * The role hosts the cells: it makes a `Kind` of each of `bindings`, then calls `start` with them; when such a cell is
 * gone for good, its `onGone` calls `gone`. Records are in the stores given in (`mcs_bench_runs`, kinds `campaign` and
 * `scenario`), reports in the bucket given in. Before it drains its kinds the role calls `stop`.
 *
 * U1. Only one campaign or scenario runs, and while it does the board is held in its name.
 * U3. A daemon that ends does the actions at the end of the scenario that runs; that it was cut off is for the next
 *     life to record.
 * U2. What an earlier life of the daemon left open ends at the start (`earlier.ts`).
 * U4. A run whose cell has no more chance, or that cannot be recorded, does no step any more: the transmitter is muted
 *     and the actions of the end are done, before the board is given back.
 */

import type { Campaign } from '../../../contract/bench/campaign.ts';
import type { Severity } from '../../../contract/bench/event.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import type { Scenario } from '../../../contract/bench/scenario.ts';
import {
  BENCH_ENDING_MS,
  BENCH_RECORD_MS,
  BENCH_RUNS_KEPT,
  BENCH_STOP_MS,
} from '../../../contract/limits/bench.ts';
import type { campaignMachine } from '../../../machines/bench/campaign.ts';
import type { scenarioRunMachine } from '../../../machines/bench/scenario-run.ts';
import type { BenchCampaigns, BenchScenarios } from '../../../ports/bench.ts';
import type { Bucket } from '../../../ports/bus.ts';
import type { Gone } from '../../../ports/cells.ts';
import type { Clock, TimerHandle } from '../../../ports/clock.ts';
import type { Binding } from '../../../ports/entity.ts';
import type { Log } from '../../../ports/log.ts';
import { attempt } from '../campaign/attempt.ts';
import { createCampaignBinding } from '../campaign/binding.ts';
import { CampaignTimetable } from '../campaign/cron.ts';
import { CampaignService } from '../campaign/service.ts';
import type { BoardUser, EventSink } from '../radio/board-user.ts';
import { createScenarioBinding } from '../scenario/binding.ts';
import type { ScenarioLife } from '../scenario/life.ts';
import { RecordWatch } from '../scenario/record-watch.ts';
import { ScenarioService } from '../scenario/service.ts';
import { endNow, putAtRest } from '../scenario/timeline.ts';
import type { RunsCells } from './cells.ts';
import { endEarlier } from './earlier.ts';
import { ExclusiveRun, holderOf } from './exclusive-run.ts';
import { RunRecords, type RunStore } from './records.ts';
import {
  type CampaignView,
  campaignView,
  isCampaignOver,
  isScenarioOver,
  type ScenarioView,
  scenarioView,
} from './view.ts';

export interface RunsOptions {
  readonly board: BoardUser;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly profiles: () => ReadonlyMap<string, Profile>;
  readonly documents: {
    readonly scenarios: ReadonlyMap<string, Scenario>;
    readonly campaigns: ReadonlyMap<string, Campaign>;
  };
  readonly stores: { readonly scenario: RunStore; readonly campaign: RunStore };
  readonly reports: Bucket;
  /** ms since the daemon started, whatever is done to the clock. */
  readonly uptime: () => number;
  /** Whether the clock of the system can be believed. */
  readonly clockTrusted: () => boolean;
  /** A UUID for scenario runs, a ULID (rising) for campaign runs; the session names this life of the daemon. */
  readonly ids: { scenario(): string; campaign(): string; readonly session: string };
}

export interface Runs {
  readonly bindings: {
    readonly scenario: Binding<typeof scenarioRunMachine>;
    readonly campaign: Binding<typeof campaignMachine>;
  };
  readonly scenarios: BenchScenarios;
  readonly campaigns: BenchCampaigns;
  /**
   * Reads the records, ends what an earlier life left open, and starts the timetable. Rejects with an outage of the
   * bus.
   */
  start(cells: RunsCells): Promise<void>;
  /** A cell that has no more chance: what waits for it is let go. */
  gone(kind: keyof RunsCells, id: string, why: Gone): void;
  /**
   * Starts nothing any more, ends what is under way on the board and does what is to be done at its end, within a
   * bounded time.
   */
  stop(): Promise<void>;
}

export function createRuns(options: RunsOptions): Runs {
  return new BenchRuns(options);
}

class BenchRuns implements Runs {
  readonly bindings: Runs['bindings'];
  readonly scenarios: ScenarioService;
  readonly campaigns: CampaignService;
  readonly #options: RunsOptions;
  readonly #scenarioRecords: RunRecords<ScenarioView>;
  readonly #campaignRecords: RunRecords<CampaignView>;
  readonly #lives = new Map<string, ScenarioLife>();
  readonly #exclusive: ExclusiveRun;
  readonly #timetable: CampaignTimetable;
  readonly #stopping = new AbortController();
  /** Start of the daemon, which all uptimes of this life count from. */
  readonly #uptimeSince: string;
  #cells: RunsCells | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(options: RunsOptions) {
    this.#options = options;
    const { board, events, clock, documents, profiles, uptime, ids, reports, clockTrusted } = options;
    this.#exclusive = new ExclusiveRun(board);
    this.#uptimeSince = new Date(clock.now() - uptime()).toISOString();
    this.#scenarioRecords = this.#records(
      'scenario',
      scenarioView,
      isScenarioOver,
      ({ run }) => `${run.started_at} ${run.run_id}`,
      (id) =>
        void reports.get(id).then((entry) => entry && reports.remove(id, entry.revision), this.#unread(id)),
    );
    this.#campaignRecords = this.#records(
      'campaign',
      campaignView,
      isCampaignOver,
      ({ state }) => state.id,
      () => undefined,
    );
    const shared = { profiles, exclusive: this.#exclusive, events, uptime, session: ids.session };
    this.scenarios = new ScenarioService({
      ...shared,
      reports,
      board,
      clock,
      log: options.log,
      documents: documents.scenarios,
      records: this.#scenarioRecords,
      lives: this.#lives,
      cells: () => this.#hosts.scenario,
      newId: ids.scenario,
    });
    this.campaigns = new CampaignService({
      ...shared,
      uptimeSince: this.#uptimeSince,
      board,
      documents: documents.campaigns,
      scenarios: documents.scenarios,
      records: this.#campaignRecords,
      cells: () => this.#hosts.campaign,
      newId: ids.campaign,
    });
    this.bindings = { scenario: this.#scenarioBinding(), campaign: this.#campaignBinding() };
    this.#timetable = new CampaignTimetable({
      campaigns: documents.campaigns,
      clock,
      clockTrusted,
      events,
      start: (name) => this.campaigns.start(name),
    });
  }

  async start(cells: RunsCells): Promise<void> {
    this.#cells = cells;
    await Promise.all([this.#scenarioRecords.load(), this.#campaignRecords.load()]);
    const records = { scenario: this.#scenarioRecords, campaign: this.#campaignRecords };
    endEarlier({ ...this.#options, uptimeSince: this.#uptimeSince, records, cells });
    this.#unsubscribe = this.#options.board.onLost((reason) => this.#boardLost(reason));
    this.#timetable.start();
  }

  gone(kind: keyof RunsCells, id: string, why: Gone): void {
    if (why === 'finished') return;
    this.#tell(`${kind}.lost`, kind, 'error', `${kind} run ${id} cannot continue: ${why}`);
    void this.#letGo(id, why);
  }

  async stop(): Promise<void> {
    this.#stopping.abort('the daemon is stopping');
    this.#timetable.stop();
    this.#unsubscribe();
    const lives = [...this.#lives.values()];
    // U3
    await this.#atMost(
      BENCH_STOP_MS,
      lives.map((life) => endNow({ ...this.#options, life })),
    );
  }

  /** U4 */
  async #letGo(id: string, why: Gone): Promise<void> {
    const { board, clock } = this.#options;
    // That of a scenario, or the one that a campaign has under way.
    const lives = [...this.#lives.values()].filter(({ runId, by }) => runId === id || by.id === id);
    // Who wrote its record may have the board by now: asking for it again shows that (takeover.D1).
    if (why === 'fenced') await Promise.all(lives.map(({ by }) => board.hold(by)));
    const resting = lives.map((life) => putAtRest({ board, clock, life }));
    const reason = `its campaign cannot continue: ${why}`;
    for (const { runId } of lives)
      if (runId !== id) this.scenarios.tell(runId, { type: 'run.cutOff', at: clock.now(), reason });
    await this.#atMost(BENCH_ENDING_MS, resting);
    const own = this.#lives.get(id);
    this.#lives.delete(id);
    await this.#exclusive.give(id);
    own?.end(undefined);
  }

  /** U4 */
  #unrecorded(runId: string): void {
    const { board, clock } = this.#options;
    const life = this.#lives.get(runId);
    if (life === undefined) return;
    putAtRest({ board, clock, life }).catch(() => undefined);
    this.#cutOff(runId, `it could not be recorded for ${BENCH_RECORD_MS / 1000} s`);
  }

  #cutOff(runId: string, reason: string): void {
    this.scenarios.end(runId, { type: 'run.cutOff', at: this.#options.clock.now(), reason });
  }

  /** Waits for what is under way, but no longer than that. */
  async #atMost(ms: number, work: readonly Promise<void>[]): Promise<void> {
    const { clock } = this.#options;
    let timer: TimerHandle | undefined;
    const late = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, ms);
    });
    await Promise.race([Promise.allSettled(work), late]);
    if (timer !== undefined) clock.clearTimeout(timer);
  }

  get #hosts(): RunsCells {
    if (this.#cells === undefined) throw new Error('runs are asked for before their start');
    return this.#cells;
  }

  #boardLost(reason: string): void {
    const at = this.#options.clock.now();
    for (const { runId } of this.#lives.values())
      this.scenarios.tell(runId, { type: 'board.lost', at, reason: `the board was lost: ${reason}` });
  }

  // Bindings
  // -----------------------------------------------------------------------------------------------------------

  #scenarioBinding(): Runs['bindings']['scenario'] {
    const { board, events, reports, clock, ids } = this.#options;
    return createScenarioBinding({
      store: new RecordWatch(this.#scenarioRecords.store, clock, (id) => this.#unrecorded(id)),
      board,
      events,
      reports,
      clock,
      session: ids.session,
      lives: this.#lives,
      ending: this.#stopping.signal,
      cutOff: (id, reason) => this.#cutOff(id, reason),
      over: (id) => this.#scenarioOver(id),
    });
  }

  #campaignBinding(): Runs['bindings']['campaign'] {
    const { ids, board, profiles, clock, uptime } = this.#options;
    return createCampaignBinding({
      store: this.#campaignRecords.store,
      session: ids.session,
      viewOf: (id) => this.#campaignRecords.get(id),
      ending: this.#stopping.signal,
      attempt: (id, step) =>
        attempt(step, holderOf({ kind: 'campaign', id }), {
          board,
          scenarios: this.scenarios,
          profiles,
          clock,
          uptime,
          uptimeSince: this.#uptimeSince,
          newScenarioId: ids.scenario,
          signal: this.#stopping.signal,
        }),
      rested: (id) => this.#campaignRested(id),
    });
  }

  #scenarioOver(id: string): void {
    const life = this.#lives.get(id);
    const view = this.#scenarioRecords.get(id);
    this.#lives.delete(id);
    if (view !== undefined) {
      const { scenario_name: name, status } = view.run;
      const reported = `scenario ${name} (${id}) ${status}: ${view.reason ?? ''}`;
      this.#tell(`scenario.${status}`, 'scenario', status === 'passed' ? 'info' : 'warning', reported);
    }
    // The board is given back before anybody learns that it is over.
    void this.#exclusive.give(id).then(() => life?.end(view));
  }

  #campaignRested(id: string): void {
    const state = this.#campaignRecords.get(id)?.state;
    void this.#exclusive.give(id);
    if (state === undefined) return;
    const { campaign, status, verdict, attempts } = state;
    const last = attempts.at(-1);
    const words = last === undefined ? '' : `; last: ${last.step} ${last.outcome}, ${last.detail}`;
    const verdicts = status === 'finished' ? `, verdict ${verdict}` : '';
    const isGood = status === 'paused' || (status === 'finished' && verdict !== false);
    const announced = `campaign ${campaign} (${id}) ${status}${verdicts}${words}`;
    this.#tell(`campaign.${status}`, 'campaign', isGood ? 'info' : 'warning', announced);
  }

  // Records
  // ------------------------------------------------------------------------------------------------------------

  #records<View>(
    kind: keyof RunsCells,
    viewOf: ConstructorParameters<typeof RunRecords<View>>[0]['viewOf'],
    isOver: (view: View) => boolean,
    orderOf: (view: View) => string,
    forgotten: (id: string) => void,
  ): RunRecords<View> {
    const { clock, log, stores } = this.#options;
    const notForgotten = (id: string, error: unknown): void => this.#unread(id)(error);
    return new RunRecords({
      store: stores[kind],
      clock,
      viewOf,
      isOver,
      orderOf,
      unreadable: (run) =>
        log.error({ kind, run }, 'the record of a run cannot be read: the run is not shown'),
      forgotten,
      notForgotten,
      kept: BENCH_RUNS_KEPT,
    });
  }

  #unread(id: string): (error: unknown) => void {
    return (error) =>
      this.#options.log.warn({ run: id, err: error }, 'a run over the limit could not be removed');
  }

  #tell(kind: string, source: string, severity: Severity, message: string): void {
    this.#options.events.record({ kind, source, severity, message });
  }
}
