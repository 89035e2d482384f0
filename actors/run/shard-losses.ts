/**
 * Runs of which events that were acknowledged are lost: found, said, and ended. Part of a shard (shard.S13);
 * decision 70.
 *
 * L1. An event that is refused shows that another owner writes, or that events are lost. Which one it is, the stream
 *     says: a last event that its holder stored and that is too young to have left is not there. Every run that is held
 *     here is looked for then.
 * L2. Who restores a run holds its log against itself (run/run-log.G6) and against what is kept beside it
 *     (run/standing.T3) and listed of it: the list is written behind the log.
 * L3. What is known to be lost counts for the whole cell (`Bus.lost`). Of a log whose beginning is not there nobody
 *     knows whether it has left by its age: that run alone is ended.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Program } from '../../contract/program.ts';
import type { RunSummary } from '../../contract/run.ts';
import { type OpenRun, readRunEntry } from '../../contract/run-wire.ts';
import { lostEvents } from '../../messaging/lost-events.ts';
import type { HeldRun } from './open-run.ts';
import type { OpenShard } from './open-shard.ts';
import { isOver, readRunLog } from './run-log.ts';
import { type ShardEnds, summaryIn } from './shard-ends.ts';
import { isOverAt, type RunStanding } from './standing.ts';

/** What is lost of a log. */
interface Cut {
  /** In words. */
  readonly what: string;
  /** Until when something is lost, ms since 1970; undefined: it may have left by its age (L3). */
  readonly until: number | undefined;
}

export class ShardLosses {
  readonly #shard: OpenShard;
  readonly #ends: ShardEnds;

  constructor(shard: OpenShard, ends: ShardEnds) {
    this.#shard = shard;
    this.#ends = ends;
  }

  /** An event of a run was refused, or its log is not one to go on from (L1). */
  async refused(run: string): Promise<void> {
    const { failed, cells } = this.#shard.options;
    const looked = await this.#shard.whileBusIsAway(() => this.#lostHere());
    if (looked === undefined || this.#shard.isStopped) return;
    const lost = looked.value;
    // It may have been ended while it was looked for.
    if (!lost.some(({ begun }) => begun.input.run === run) && this.#shard.runs.has(run))
      return failed(new Error(`another owner writes the log of run ${run}`));
    for (const held of lost) {
      cells.drop(held.begun.input.run);
      const { at, number } = held.last;
      const what = `events of its log up to ${number} were stored and are lost`;
      await this.end(held.entry, held.atHand.program, { what, until: at }, number);
    }
  }

  async #lostHere(): Promise<HeldRun[]> {
    const { bus, clock } = this.#shard.options.services;
    const held = [...this.#shard.runs.values()];
    const known = held.flatMap((each) => {
      const { seq, at } = each.last;
      const about = subject.runEvents(each.begun.input.run);
      return each.isCut || seq === 0 ? [] : [{ held: each, seq, at, subject: about }];
    });
    const lost = await lostEvents(bus, streams.runs, known, clock.now());
    return [...held.filter(({ isCut }) => isCut), ...lost.map((each) => each.held)];
  }

  /** What is lost of the log of a run that is restored; undefined: nothing that can be known (L2). Throws `Outage`. */
  async cutOf({ run }: OpenRun, standing: RunStanding): Promise<Cut | undefined> {
    const { updated_at: until } = standing.facts.summary;
    if (standing.cut !== undefined)
      return { what: standing.cut, until: until === undefined ? undefined : Date.parse(until) };
    const listed = isOverAt(standing) ? undefined : await this.#listed(run);
    const known = listed?.updated_at;
    if (known === undefined || (until !== undefined && known <= until)) return undefined;
    // The clock of an owner before may have been ahead.
    const { bus } = this.#shard.options.services;
    const log = until === undefined ? [] : await readRunLog(bus, run);
    if (log.some(({ event }) => event.at === known)) return undefined;
    return { what: `the list knows an event of ${known} that is lost`, until: Date.parse(known) };
  }

  async #listed(run: string): Promise<RunSummary | undefined> {
    const entry = await this.#shard.options.services.bus.bucket(buckets.runs).get(run);
    return entry && readRunEntry(entry);
  }

  /** Says it, and gives the run its end; `number`: of the last event that was stored of it. */
  async end(open: OpenRun, program: Program, { what, until }: Cut, number = 0): Promise<void> {
    const { run } = open;
    const { bus, log } = this.#shard.options.services;
    log.error(
      { run, what, ...(until !== undefined && { until: new Date(until).toISOString() }) },
      'log is cut',
    );
    if (until !== undefined) bus.lost?.(until);
    const read = await this.#shard.whileBusIsAway(() => readRunLog(bus, run));
    if (read === undefined || this.#shard.isStopped) return;
    if (isOver(read.value)) return this.#ends.ended(open, summaryIn(open, program, read.value), program);
    await this.#ends.giveUp(
      open,
      program,
      `${what}: what it did since is not known, and it is not carried on`,
      number,
    );
  }
}
