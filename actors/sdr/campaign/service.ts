/**
 * Campaigns and their runs, as the front end and the timetable ask for them. RF Bench Service, sections 2 to 4.
 *
 * E1. A run is announced once it is recorded; one that cannot be recorded does not run.
 * E2. A campaign that needs another board than there is, or names what is not there any more, is refused before it
 *     begins.
 * E3. Start, resume and rerun take the turn; it is given back when the campaign rests.
 */

import type { Campaign } from '../../../contract/bench/campaign.ts';
import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import type { ActiveCampaignReply, CampaignState, CampaignSummary } from '../../../contract/bench/run.ts';
import { BENCH_RECORD_MS, CAMPAIGN_ATTEMPTS } from '../../../contract/limits/bench.ts';
import { nearHelp } from '../../../contract/near.ts';
import { accepted, refused } from '../../../contract/result.ts';
import type { CampaignEvent, CampaignInput } from '../../../machines/bench/campaign-protocol.ts';
import type { Answered, BenchCampaigns, Refusable } from '../../../ports/bench.ts';
import type { BoardUser, EventSink } from '../radio/board-user.ts';
import type { CampaignCells } from '../runs/cells.ts';
import type { ExclusiveRun } from '../runs/exclusive-run.ts';
import type { RunRecords } from '../runs/records.ts';
import { cannotRecord, documentFound, runFound } from '../runs/refusals.ts';
import type { CampaignView } from '../runs/view.ts';
import { unfitness } from './fit.ts';

interface CampaignOptions {
  readonly documents: ReadonlyMap<string, Campaign>;
  readonly scenarios: ReadonlyMap<string, unknown>;
  readonly profiles: () => ReadonlyMap<string, Profile>;
  readonly board: BoardUser;
  readonly records: RunRecords<CampaignView>;
  readonly exclusive: ExclusiveRun;
  readonly cells: () => CampaignCells;
  readonly events: EventSink;
  readonly uptime: () => number;
  readonly uptimeSince: string;
  readonly session: string;
  readonly newId: () => string;
}

export class CampaignService implements BenchCampaigns {
  readonly #options: CampaignOptions;

  constructor(options: CampaignOptions) {
    this.#options = options;
  }

  list(): readonly CampaignSummary[] {
    return [...this.#options.documents.values()].map(summaryOf);
  }

  get(name: string): Campaign | undefined {
    return this.#options.documents.get(name);
  }

  active(): ActiveCampaignReply {
    const { exclusive, records, board } = this.#options;
    const id = exclusive.current?.kind === 'campaign' ? exclusive.current.id : undefined;
    const view = id === undefined ? undefined : records.get(id);
    if (view === undefined || view.state.status !== 'running')
      return { active: null, board_provider: board.provider };
    const { campaign, cursor, total_steps: total, pause_requested: pausing } = view.state;
    return {
      active: { id: view.state.id, campaign, cursor, total, pausing },
      board_provider: board.provider,
    };
  }

  async start(name: string): Answered<CampaignState> {
    const { exclusive, newId, session, uptime, uptimeSince, cells, records } = this.#options;
    const document = this.#runnable(name);
    if (!document.ok) return document;
    const id = newId();
    const taken = await exclusive.take({ kind: 'campaign', id, name });
    if (!taken.ok) return taken;
    const startedAtUptimeMs = Math.floor(uptime());
    const input: CampaignInput = {
      id,
      document: document.value,
      session,
      startedAtUptimeMs,
      uptimeSince,
    };
    cells().start(id, input, 0);
    const view = await records.until(id, () => true, BENCH_RECORD_MS);
    if (view === undefined) {
      cells().drop(id);
      await exclusive.give(id);
      return refused(cannotRecord);
    }
    this.#tell('campaign.started', `campaign ${name} started as ${id}`);
    return accepted(view.state);
  }

  async runs(): Answered<readonly CampaignState[]> {
    return accepted(this.#options.records.list().map(({ state }) => state));
  }

  async run(id: string): Answered<CampaignState> {
    const found = this.#find(id);
    return found.ok ? accepted(found.value.state) : found;
  }

  async pause(id: string): Answered<CampaignState> {
    const found = this.#find(id);
    if (!found.ok) return found;
    const { state } = found.value;
    if (state.status === 'paused') return accepted(state);
    if (state.status !== 'running') return refused(resting(state, 'there is nothing to pause'));
    const reported = await this.#ask(
      id,
      { type: 'operator.pause' },
      (now) => now.pause_requested || now.status !== 'running',
    );
    if (!reported.ok || reported.value.pause_requested || reported.value.status === 'paused') return reported;
    return refused(resting(reported.value, 'there is no step boundary before its end'));
  }

  async resume(id: string): Answered<CampaignState> {
    const found = this.#find(id);
    if (!found.ok) return found;
    const { state, document } = found.value;
    const unfit = this.#unfit(document);
    if (state.status === 'running') return refused(resting(state, 'it is not paused'));
    if (state.status !== 'paused' && state.status !== 'interrupted')
      return refused(resting(state, 'start the campaign again, or rerun a step'));
    if (unfit !== undefined) return refused(unfit);
    return this.#again(state, { type: 'operator.resume', session: this.#options.session });
  }

  async rerun(id: string, step: string): Answered<CampaignState> {
    const found = this.#find(id);
    if (!found.ok) return found;
    const { state, document } = found.value;
    const index = document.steps.findIndex((each) => each.id === step);
    if (index < 0) {
      const help = nearHelp(
        step,
        document.steps.map((each) => each.id),
        'steps',
      );
      return refused({
        code: 'not_found',
        message: `campaign "${document.name}" has no step "${step}"`,
        help,
      });
    }
    if (state.status === 'running') return refused(resting(state, 'wait until it stops'));
    if (state.attempts.length >= CAMPAIGN_ATTEMPTS)
      return refused(resting(state, `it has ${CAMPAIGN_ATTEMPTS} attempts: start the campaign again`));
    const unfit = this.#unfit(document);
    if (unfit !== undefined) return refused(unfit);
    return this.#again(state, { type: 'operator.rerun', session: this.#options.session, index });
  }

  /** Takes the turn for a run that rests, and goes on with it. */
  async #again(before: CampaignState, event: CampaignEvent): Answered<CampaignState> {
    const { exclusive } = this.#options;
    const { id, campaign: name, attempts } = before;
    const taken = await exclusive.take({ kind: 'campaign', id, name });
    if (!taken.ok) return taken;
    const announced = await this.#ask(
      id,
      event,
      (now) => now.status === 'running' || now.attempts.length > attempts.length,
    );
    if (!announced.ok) await exclusive.give(id);
    return announced;
  }

  /** Reports the run something; its state once that is recorded. */
  async #ask(
    id: string,
    event: CampaignEvent,
    holds: (state: CampaignState) => boolean,
  ): Answered<CampaignState> {
    const { cells, records } = this.#options;
    const receipt = cells().tell(id, event);
    if (receipt !== 'accepted') return refused(unanswered(id, receipt));
    const recorded = await records.until(id, (view) => holds(view.state), BENCH_RECORD_MS);
    const found = runFound('campaign', id, recorded);
    if (!found.ok) return found;
    const { state } = found.value;
    return holds(state) ? accepted(state) : refused(cannotRecord);
  }

  #find(id: string): Refusable<CampaignView> {
    return runFound('campaign', id, this.#options.records.get(id));
  }

  #runnable(name: string): Refusable<Campaign> {
    const document = documentFound('campaign', name, this.#options.documents);
    const unfit = document.ok ? this.#unfit(document.value) : undefined;
    return unfit === undefined ? document : refused(unfit);
  }

  /** Why the campaign cannot run here and now (E2). */
  #unfit(document: Campaign): BenchFault | undefined {
    return unfitness(document, { ...this.#options, profiles: this.#options.profiles() });
  }

  #tell(kind: string, message: string): void {
    this.#options.events.record({ kind, source: 'campaign', severity: 'info', message });
  }
}

function summaryOf({
  name,
  display_name,
  description = '',
  steps,
  cron,
  tags = [],
}: Campaign): CampaignSummary {
  return {
    name,
    ...(display_name !== undefined && { display_name }),
    description,
    steps: steps.length,
    ...(cron !== undefined && { cron }),
    tags: [...tags],
  };
}

function resting({ id, status }: CampaignState, help: string): BenchFault {
  return { code: 'conflict', message: `campaign run ${id} is ${status}`, help };
}

function unanswered(id: string, receipt: string): BenchFault {
  return { code: 'unavailable', message: `campaign run ${id} cannot be changed now: ${receipt}` };
}
