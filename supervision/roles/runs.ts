/**
 * The runs of an executor: it owns shards of them; every run is a cell. Mission Control Service, sections 1 and 3.2.
 */

import { createRunBinding } from '../../actors/run/binding.ts';
import { createLogStore, RUN_VERSION } from '../../actors/run/log-store.ts';
import { shardNames, shardOf } from '../../actors/run/open-runs.ts';
import { runHistory } from '../../actors/run/replay.ts';
import type { RunServices } from '../../actors/run/services.ts';
import { RunShard } from '../../actors/run/shard.ts';
import { awaitedTicket, type RunSnapshot, type runMachine } from '../../machines/run/run.ts';
import { HandOvers, handOverMs } from '../../messaging/hand-overs.ts';
import { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { KnownPast } from '../../messaging/known-past.ts';
import { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import { targetValues } from '../../telemetry/target-values.ts';
import { failpointOf } from '../cells/failpoint.ts';
import { type Hosted, hostCells, Owners } from '../cells/host.ts';
import type { Kind } from '../cells/kind.ts';
import type { WorkerContext } from '../ownership/owned-worker.ts';
import type { RoleContext, SharedWork } from '../role.ts';

export interface Runs {
  readonly shared: SharedWork;
  readonly kind: Kind;
}

/** The shared work of runs with the kind of their cells; who starts it drains the kind at the end. */
export function createRuns(
  context: RoleContext,
  handOvers = new HandOvers(context.clock, handOverMs(context.memberTtlMs)),
  past?: KnownPast,
  platforms = new KnownPlatforms(context.missions, context.clock),
): Runs {
  const { bus, clock, log, missions, values, files, passes, instance, tokens } = context;
  const shards = new Owners<RunShard>(shardOf);
  const services: RunServices = {
    bus,
    clock,
    log,
    missions,
    instance,
    platforms,
    handOvers,
    passes,
    values: targetValues(values),
    files,
  };
  const kept = new KeptEnvelopes(bus, { kind: 'run', version: RUN_VERSION });
  const { kind, cells } = runCells(context, services, kept, shards);

  const start = async (shard: string, { epoch, holds, over, failed }: WorkerContext) => {
    await Promise.all([values.ready, passes.ready]);
    const worker = new RunShard({
      shard,
      epoch,
      services,
      tokens,
      cells,
      holds,
      over,
      failed,
      kept,
      ...(past && { past }),
    });
    return shards.begin(shard, worker);
  };
  return { shared: { role: { role: 'executor', prefix: 'runs', start }, names: shardNames }, kind };
}

function runCells(
  context: RoleContext,
  services: RunServices,
  kept: KeptEnvelopes,
  shards: Owners<RunShard>,
): Hosted<typeof runMachine> {
  const { bus, failpoint } = context;
  const reached = failpointOf('run', failpoint);
  const store = createLogStore({
    bus,
    kept,
    begunOf: (run) => shards.of(run)?.begunOf(run),
    appending: (run, record) => {
      reached(`committing ${record.event.seq}`);
      return shards.of(run)?.appending(run, record);
    },
    appended: (run, record, position) => {
      reached(`committed ${record.event.seq}`);
      shards.of(run)?.appended(run, record, position);
    },
    lost: (run) => shards.of(run)?.lost(run),
  });
  const binding = createRunBinding({
    services,
    store,
    hostOf: (run) => shards.of(run)?.held(run),
    isAwaited: (run, ticket) => ticketOf(snapshotOf(hosted.kind, run)) === ticket,
    isAborted: (run) => hosted.cells.context(run)?.abort != null,
    history: (run) => runHistory(bus, run),
  });
  const hosted: Hosted<typeof runMachine> = hostCells(binding, (run) => shards.of(run), context, { kept });
  return hosted;
}

/** Of the reply that its chart waits for. */
function ticketOf(snapshot: RunSnapshot | undefined): number | undefined {
  return snapshot && awaitedTicket(snapshot);
}

function snapshotOf(kind: Kind, run: string): RunSnapshot | undefined {
  return kind.peek(run)?.actor?.getSnapshot() as RunSnapshot | undefined;
}
