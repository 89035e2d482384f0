/**
 * The store of run cells: a revision is the log events of one macrostep, appended in order; a restored run is folded from
 * its log. Mission Control Service, sections 3.2 and 6.
 *
 * G1, G3 of `run-log.ts`.
 * G4. No snapshot is kept beside the log.
 * G5. A suspended run, or one that waits for a decision, whose last event is of the present owner was only asleep; every
 *     other one is taken over (MC-LOG-022).
 * G6. A suspended run holds no target: one that went down while it was resumed gives back what it had taken by then.
 * G8. The end of a run is stored once nothing of it can leave any more.
 * G7. An owner that was overtaken restores no run from what its successor wrote.
 */

import { foldRun, restoredRun } from '../../machines/run/fold.ts';
import type { RunInput, RunRecord } from '../../machines/run/protocol.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Commit, Committed, Emitted, Envelope, Store, Stored } from '../../ports/entity.ts';
import { Leases, targetsOf } from './leases.ts';
import { appendRunEvent, type LoggedEvent, readRunLog } from './run-log.ts';

export const RUN_VERSION = 2;

/** What a run is begun with here, and under which ownership. */
export interface Begun {
  readonly input: RunInput;
  readonly epoch: number;
}

interface LogStoreOptions {
  readonly bus: Bus;
  /** Undefined when this process does not hold the run. */
  readonly begunOf: (run: string) => Begun | undefined;
  /** Told before an event is appended, which waits for it, and after it is stored. May throw `Outage`. */
  readonly appending?: (run: string, record: RunRecord) => Promise<void> | undefined;
  readonly appended: (run: string, record: RunRecord, position: number) => void;
}

export function createLogStore({ bus, begunOf, appending, appended }: LogStoreOptions): Store {
  const load = async (run: string): Promise<Stored | undefined> => {
    const begun = begunOf(run);
    if (begun === undefined) return undefined;
    const log = await readRunLog(bus, run);
    // A later owner wrote: there is nothing to go on from here (G7).
    if (log.length === 0 || log.some(({ epoch }) => epoch > begun.epoch)) return undefined;
    return storedRun(bus, begun, log, () => begunOf(run) === begun);
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
      if (at === undefined) return { outcome: 'fenced' };
      stands.done += 1;
      stands.last = at;
      appended(run, record, at);
    }
    return { outcome: 'committed', position: stands.last };
  };

  return { load, commit };
}

/** What a cell needs to go on from a log that has begun; `isOwner`: whether it is still this owner's. Throws `Outage`. */
export async function storedRun(
  bus: Bus,
  { input, epoch }: Begun,
  log: readonly LoggedEvent[],
  isOwner: () => boolean,
): Promise<Stored> {
  const { run, program } = input;
  const folded = { input, events: log.map(({ event }) => event) };
  const { standing } = foldRun(folded);
  if (standing.kind === 'suspended') await new Leases(bus).release(run, targetsOf(program), isOwner);
  const asleep = log.at(-1)?.epoch === epoch;
  const { snapshot, effects, revision } = restoredRun(folded, { asleep });
  const key = (n: number): string => `run:${run}:${revision}:${n}`;
  const envelope: Envelope = {
    kind: 'run',
    id: run,
    version: RUN_VERSION,
    revision,
    epoch: log.at(-1)?.epoch ?? 0,
    snapshot,
    timers: [],
    effects: effects.map((effect, n) => ({ key: key(n), effect })),
  };
  return { envelope, position: log.at(-1)?.position ?? 0 };
}
