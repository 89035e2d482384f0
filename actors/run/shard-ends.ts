/**
 * Ends the runs of a shard: those that are over, those that cannot go on, and those that a person gives up. Part of a
 * shard.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Program } from '../../contract/program.ts';
import type { RunSummary } from '../../contract/run.ts';
import type { OpenRun } from '../../contract/run-wire.ts';
import { submittedRun, summaryOf } from '../../mission/procedure/run-status.ts';
import type { Control } from './control.ts';
import { recordGivenUp, settleEnd } from './ending.ts';
import { Leases } from './leases.ts';
import { shardOf } from './open-runs.ts';
import type { OpenShard } from './open-shard.ts';
import { missionOf, orBroken } from './or-broken.ts';
import { isOver, type LoggedEvent, readLogged, readRunLog } from './run-log.ts';
import { Sendings, type SentEvent } from './sendings.ts';
import { type StandsDown, standDown } from './stand-down.ts';

export class ShardEnds {
  readonly #shard: OpenShard;
  readonly #control: Control;

  constructor(shard: OpenShard, control: Control) {
    this.#shard = shard;
    this.#control = control;
  }

  standDown(run: StandsDown, open: readonly SentEvent[]): Promise<void> | undefined {
    if (open.length === 0) return undefined;
    const { services, holds } = this.#shard.options;
    const { bus, clock, log } = services;
    const isOwner = (): boolean => !this.#shard.isStopped && holds();
    const mark = (targets: ReadonlySet<string>): Promise<void> =>
      new Leases(bus).leave(run.run, targets, isOwner);
    return standDown({ bus, clock, run, open, mark }).then((unconfirmed) => {
      if (unconfirmed.length > 0)
        log.warn({ run: run.run, unconfirmed }, 'a run ends while telecommands may still leave');
    });
  }

  /** What a run that is given up may have under way, by its log and by who held it. */
  async #giveUpSendings({ run, by }: OpenRun, program: Program | undefined): Promise<void> {
    const log = await orBroken(readRunLog(this.#shard.options.services.bus, run));
    if (log === 'broken' || isOver(log)) return;
    const logged = new Sendings(log.map(({ event }) => event)).open;
    const held = this.#shard.runs.get(run)?.sendings.open ?? [];
    const isOnlyHeld = ({ tc }: SentEvent): boolean => logged.every((each) => each.tc !== tc);
    const mission = program && (await missionOf(program, this.#shard.options.services));
    const known = typeof mission === 'string' ? undefined : mission;
    await this.standDown({ run, by, program, mission: known }, [...logged, ...held.filter(isOnlyHeld)]);
  }

  /** `behind`: number of the last event that was stored of it. */
  async giveUp(open: OpenRun, program: Program | undefined, reason: string, behind = 0): Promise<void> {
    const { run, ir, by } = open;
    const { epoch, services, failed } = this.#shard.options;
    await this.#shard.whileBusIsAway(() => this.#giveUpSendings(open, program));
    const isOwn = (): Promise<boolean> => this.#shard.mark.isOwn();
    const given = { run, ir, by, program, epoch, at: services.clock.now(), reason, behind, isOwn };
    const recorded = await this.#shard.whileBusIsAway(() => recordGivenUp(services.bus, given));
    if (recorded === undefined) return;
    const log = recorded.value;
    if (log === undefined) return failed(new Error(`another owner writes the log of run ${run}`));
    // Should the store go back behind it, its owner has to find that.
    this.#shard.storedEvent(run, log.at(-1)?.position ?? 0);
    await this.ended(open, summaryIn(open, program, log), program);
  }

  /** Does what the end of a run leaves to do that has no cell here. */
  async ended({ run }: OpenRun, summary: RunSummary, program: Program | undefined): Promise<void> {
    this.#shard.index.changed(summary);
    // Without a cell this owner does not know whether something is kept of it.
    await this.#shard.whileBusIsAway(async () => void (await this.#shard.options.kept?.read(run)));
    await this.end(run, program);
  }

  /** shard.S10: removes what is left beside the logs of runs of this shard that are over, or that have none. */
  async sweep(): Promise<void> {
    const { kept, services, shard } = this.#shard.options;
    const isOver = async (run: string): Promise<boolean> => {
      if (this.#shard.isStopped || this.#shard.runs.has(run) || shardOf(run) !== shard) return false;
      const last = await services.bus.last(streams.runs, subject.runEvents(run));
      return last === undefined || readLogged(last)?.event.event === 'finished';
    };
    try {
      await this.#shard.whileBusIsAway(async () => kept?.sweep(isOver));
    } catch (error) {
      services.log.warn(
        { shard, err: error },
        'what is kept beside logs of runs that are over is not removed',
      );
    }
  }

  /** shard.S4 */
  async end(run: string, program: Program | undefined): Promise<void> {
    const { bus } = this.#shard.options.services;
    await this.#shard.whileBusIsAway(() => settleEnd(bus, run, program));
    await this.#shard.index.settled(run);
    await this.#shard.whileBusIsAway(async () => this.#shard.options.kept?.remove(run));
    await this.#shard.whileBusIsAway(() => this.#shard.openRuns.remove(run));
    if (this.#shard.isStopped) return;
    await this.#control.withdraw(run);
    this.#shard.runs.delete(run);
    this.#shard.makeRoom();
  }
}

/** What the whole log says to the lists, also without the program of the run. */
export function summaryIn(
  { run, by }: OpenRun,
  program: Program | undefined,
  log: readonly LoggedEvent[],
): RunSummary {
  const announced = program ?? { procedure: 'unknown', environment: 'unknown', targets: {} };
  return summaryOf(
    submittedRun(run, announced, by),
    log.map(({ event }) => event),
  );
}
