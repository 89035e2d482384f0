/**
 * The store of run cells: a revision is the log events of one macrostep, appended in order; a restored run is folded
 * from its log. Mission Control Service, sections 3.2 and 6.
 *
 * Keeps run/run-log.G1, G6.
 * G4. What is kept beside the log stands for the events it covers (`standing.ts`).
 * G5. A suspended run, or one that waits for a decision, whose last event is of the present owner was only asleep;
 *     every other one is taken over (MC-LOG-022).
 * G6. A suspended run holds no target: one that went down while it was resumed gives back what it had taken by then.
 * G8. The end of a run is stored once nothing of it can leave any more.
 * G7. An owner that was overtaken restores no run from what its successor wrote.
 */

import { restoredFrom } from '../../machines/run/fold.ts';
import type { RunInput, RunRecord } from '../../machines/run/protocol.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Commit, Committed, Emitted, Envelope, LoadOptions, Store, Stored } from '../../ports/entity.ts';
import { Leases, targetsOf } from './leases.ts';
import { appendRunEvent, markOf } from './run-log.ts';
import { type RunStanding, readRunStanding } from './standing.ts';

/**
 * Of the chart; another one when the chart, its progress or what the log is folded into beside it (`log-facts.ts`)
 * changes, so that nothing counts that was kept of the one before.
 */
export const RUN_VERSION = 3;

/** What a run is begun with here, and under which ownership. */
export interface Begun {
  readonly input: RunInput;
  readonly epoch: number;
}

interface LogStoreOptions {
  readonly bus: Bus;
  /** What is kept beside the logs; default: nothing. */
  readonly kept?: KeptEnvelopes;
  /** Undefined when this process does not hold the run. */
  readonly begunOf: (run: string) => Begun | undefined;
  /** Called before an event is appended, which waits for it, and after it is stored. May throw `Outage`. */
  readonly appending?: (run: string, record: RunRecord) => Promise<void> | undefined;
  readonly appended: (run: string, record: RunRecord, position: number) => void;
  /** Events of its log are lost (run/run-log.G6): what is not stored because of that is not another owner's work. */
  readonly lost?: (run: string) => void;
}

export function createLogStore({ bus, kept, begunOf, appending, appended, lost }: LogStoreOptions): Store {
  const load = async (run: string, { fromLog = false }: LoadOptions = {}): Promise<Stored | undefined> => {
    const begun = begunOf(run);
    if (begun === undefined) return undefined;
    const { program, by } = begun.input;
    const standing = await readRunStanding(bus, { run, program, by }, fromLog ? undefined : kept);
    if (standing.cut !== undefined) {
      lost?.(run);
      return undefined;
    }
    // A later owner wrote: there is nothing to go on from here (G7).
    if (standing.revision === 0 || standing.facts.highestEpoch > begun.epoch) return undefined;
    return storedRun(bus, begun, standing, () => begunOf(run) === begun);
  };

  /** How far a commit that met an outage had come: it is asked for again as a whole. */
  const begunCommits = new WeakMap<Commit, { done: number; last: number }>();

  const commit = async (wanted: Commit): Promise<Committed> => {
    const { id: run, epoch, records, position } = wanted;
    if (begunOf(run) === undefined) return { outcome: 'fenced' };
    const stands = begunCommits.get(wanted) ?? { done: 0, last: position };
    begunCommits.set(wanted, stands);
    for (const record of records.slice(stands.done) as (RunRecord & Emitted)[]) {
      const ready = appending?.(run, record);
      if (ready !== undefined) await ready;
      const at = await appendRunEvent(bus, record, { epoch, expected: stands.last });
      if (at === 'lost') lost?.(run);
      if (typeof at === 'string') return { outcome: 'fenced' };
      stands.done += 1;
      stands.last = at;
      appended(run, record, at);
    }
    const last = records.at(-1) as RunRecord | undefined;
    return {
      outcome: 'committed',
      position: stands.last,
      ...(last !== undefined && { mark: markOf(last.event, epoch) }),
    };
  };

  return { load, commit };
}

/**
 * What a cell needs to go on from a log that has begun; `isOwner`: whether it is still this owner's. Throws `Outage`.
 */
export async function storedRun(
  bus: Bus,
  { input, epoch }: Begun,
  { progress, facts, revision, position, mark, isKept }: RunStanding,
  isOwner: () => boolean,
): Promise<Stored> {
  const { run, program } = input;
  if (progress.standing.kind === 'suspended') await new Leases(bus).release(run, targetsOf(program), isOwner);
  const { snapshot, effects } = restoredFrom(input, progress, { asleep: facts.epoch === epoch });
  const key = (n: number): string => `run:${run}:${revision}:${n}`;
  const envelope: Envelope = {
    kind: 'run',
    id: run,
    version: RUN_VERSION,
    revision,
    epoch: facts.epoch,
    snapshot,
    timers: [],
    effects: effects.map((effect, n) => ({ key: key(n), effect })),
  };
  return { envelope, position, isKept, ...(mark !== undefined && { mark }) };
}
