/**
 * Where the log of a run stands: the fold of its events, from the first one on or from what an envelope beside the log
 * has of them, with the same result. Decision 31.
 *
 * T1. An envelope counts while the log still has, at the position it covers, the event that it ends with. Where the log
 *     ends before it or has something else there (a store that was put back), the log is read from its beginning.
 * T3. A log of which events are lost (run/run-log.G6) is not folded behind the gap. So is one that ends before what is
 *     kept beside it: that was kept of events that were stored.
 * T2. What is covered is not read again, however long the log is.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { BEFORE, evolve, type Progress } from '../../machines/run/progress.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { Bus } from '../../ports/bus.ts';
import type { KeptEnvelope } from '../../ports/entity.ts';
import { LogFacts, type RunFacts, type RunSubject } from './log-facts.ts';
import { gapIn, isOver, type LoggedEvent, markOf, readLogged, readRunLog } from './run-log.ts';

export interface RunStanding {
  readonly progress: Progress;
  readonly facts: RunFacts;
  /** Number of its events. */
  readonly revision: number;
  /** Position of its last event; 0 when there is none. */
  readonly position: number;
  readonly mark: string | undefined;
  /** What is kept beside the log covers all of it. */
  readonly isKept: boolean;
  /** What of its log is lost, in words (T3); absent: nothing that is known. */
  readonly cut?: string;
}

/** The run before its log begins. */
export function unbegun(about: RunSubject): RunStanding {
  const facts = LogFacts.before(about).now;
  return { progress: BEFORE, facts, revision: 0, position: 0, mark: undefined, isKept: false };
}

/** Whether the run is over. */
export function isOverAt({ progress }: RunStanding): boolean {
  return progress.standing.kind === 'over';
}

/** Where it stands behind more events of its log. */
export function standingBehind(
  { program }: RunSubject,
  before: RunStanding,
  log: readonly LoggedEvent[],
): RunStanding {
  const last = log.at(-1);
  if (last === undefined) return before;
  const cut = gapIn(log, before.revision);
  if (cut !== undefined) return { ...before, cut };
  const facts = new LogFacts(before.facts);
  let { progress } = before;
  for (const logged of log) {
    facts.note(logged);
    progress = evolve(program, progress, logged.event);
  }
  const revision = before.revision + log.length;
  const { position } = last;
  return {
    progress,
    facts: facts.now,
    revision,
    position,
    mark: markOf(last.event, last.epoch),
    isKept: false,
  };
}

/** Where it stands now. Throws `Outage`, and where something else than events stands in the log. */
export async function readRunStanding(
  bus: Bus,
  about: RunSubject,
  kept?: KeptEnvelopes,
): Promise<RunStanding> {
  const envelope = await kept?.read(about.run);
  const covered = envelope && keptStanding(about.run, envelope);
  const standing = covered && (await standingFrom(bus, about, covered));
  if (standing !== undefined) return standing;
  const log = await readRunLog(bus, about.run);
  const [last, known] = [log.at(-1)?.event.seq ?? 0, covered?.revision ?? 0];
  if (last < known && !isOver(log))
    return { ...unbegun(about), cut: `events ${last + 1} to ${known} of its log are lost` };
  return standingBehind(about, unbegun(about), log);
}

/** T1, T2; undefined when it does not count. */
async function standingFrom(
  bus: Bus,
  about: RunSubject,
  covered: RunStanding,
): Promise<RunStanding | undefined> {
  const { position, mark } = covered;
  const last = await bus.last(streams.runs, subject.runEvents(about.run));
  if (last === undefined || last.seq < position) return undefined;
  const newest = last.seq === position ? readLogged(last) : undefined;
  const [first, ...behind] = newest === undefined ? await readRunLog(bus, about.run, position) : [newest];
  if (first?.position !== position || markOf(first.event, first.epoch) !== mark) return undefined;
  return standingBehind(about, covered, behind);
}

/** What an envelope says of the log that it covers; undefined when it is not what an owner kept of this run. */
export function keptStanding(
  run: string,
  { snapshot, revision, facts, covers }: KeptEnvelope,
): RunStanding | undefined {
  const { context } = (snapshot ?? {}) as { context?: { progress?: Progress } };
  const known = facts as RunFacts | undefined;
  if (context?.progress === undefined || known?.summary?.run !== run) return undefined;
  return { progress: context.progress, facts: known, revision, ...covers, isKept: true };
}
