/**
 * The runs of an executor: it owns shards of them; every run is a cell. Mission Control Service, sections 1 and 3.2.
 */

import { createRunBinding } from '../../actors/run/binding.ts';
import { createLogStore } from '../../actors/run/log-store.ts';
import { shardNames, shardOf } from '../../actors/run/open-runs.ts';
import { runHistory } from '../../actors/run/replay.ts';
import type { RunServices } from '../../actors/run/services.ts';
import { type RunCells, RunShard } from '../../actors/run/shard.ts';
import { awaitedTicket, type RunSnapshot } from '../../machines/run/run.ts';
import type { KnownPast } from '../../messaging/known-past.ts';
import type { Binding } from '../../ports/entity.ts';
import { settledValues } from '../../telemetry/settled-values.ts';
import type { Cell } from '../cells/cell.ts';
import { failpointOf, withFailpoint } from '../cells/failpoint.ts';
import { Kind } from '../cells/kind.ts';
import type { WorkerContext } from '../ownership/tenure.ts';
import type { RoleContext, SharedWork } from '../role.ts';

export interface Runs {
  readonly shared: SharedWork;
  readonly kind: Kind;
}

/** The shared work of runs with the kind of their cells; who starts it drains the kind at the end. */
export function createRuns(context: RoleContext, past?: KnownPast): Runs {
  const { bus, clock, log, missions, values, instance, tokens } = context;
  const shards = new Map<string, RunShard>();
  const services: RunServices = {
    ...{ bus, clock, log, missions, instance },
    values: settledValues(values),
  };
  const kind = runKind(context, services, (run) => shards.get(shardOf(run)));
  const cells = cellsOf(kind);

  const start = async (shard: string, { epoch, holds, failed }: WorkerContext) => {
    await values.ready;
    const worker = new RunShard({
      shard,
      epoch,
      services,
      tokens,
      cells,
      holds,
      failed,
      ...(past && { past }),
    });
    shards.set(shard, worker);
    const stop = async (): Promise<void> => {
      await worker.stop();
      if (shards.get(shard) === worker) shards.delete(shard);
    };
    try {
      await worker.start();
    } catch (error) {
      await stop();
      throw error;
    }
    return { stop };
  };
  return { shared: { role: { role: 'executor', prefix: 'runs', start }, names: shardNames }, kind };
}

function runKind(
  context: RoleContext,
  services: RunServices,
  shardAt: (run: string) => RunShard | undefined,
): Kind {
  const { bus, clock, random, log, deadLetters, failpoint, failed } = context;
  const reached = failpointOf('run', failpoint);
  const store = createLogStore({
    bus,
    begunOf: (run) => shardAt(run)?.begunOf(run),
    appending: (run, record) => {
      reached(`committing ${record.event.seq}`);
      return shardAt(run)?.appending(run, record);
    },
    appended: (run, record, position) => {
      reached(`committed ${record.event.seq}`);
      shardAt(run)?.appended(run, record, position);
    },
  });
  const binding = createRunBinding({
    services,
    store,
    hostOf: (run) => shardAt(run)?.held(run),
    isAwaited: (run, ticket) => ticketOf(kind.peek(run)) === ticket,
    isAborted: (run) => snapshotOf(kind.peek(run))?.context.abort != null,
    history: (run) => runHistory(bus, run),
  });
  const kind: Kind = new Kind({
    binding: withFailpoint(binding as unknown as Binding, failpoint),
    clock,
    random,
    log,
    deadLetters,
    epochOf: (run) => shardAt(run)?.begunOf(run)?.epoch ?? 0,
    onGone: (run, why, detail) => void shardAt(run)?.gone(run, why, detail),
    onEscalated: failed,
  });
  return kind;
}

/** Of the reply that its chart waits for. */
function ticketOf(cell: Cell | undefined): number | undefined {
  const snapshot = snapshotOf(cell);
  return snapshot && awaitedTicket(snapshot);
}

function snapshotOf(cell: Cell | undefined): RunSnapshot | undefined {
  return cell?.actor?.getSnapshot() as RunSnapshot | undefined;
}

function cellsOf(kind: Kind): RunCells {
  return {
    start: (run, input, epoch) => void kind.start(run, input, epoch),
    restore: (run, stored, epoch) => void kind.restore(run, stored, epoch),
    tell: (run, event) => {
      switch (kind.tell(run, event)) {
        case 'accepted':
          return undefined;
        case 'full':
          return 'too much waits for the run';
        case 'gone':
          return 'its executor is stopping; ask again';
        case 'quarantined':
          return `the run is in trouble (${kind.trouble()[run]?.reason ?? 'unknown'}) and waits until somebody resumes or resets it in the inspector`;
      }
    },
    wake: (run) => kind.wake(run),
    drop: (run) => kind.drop(run),
  };
}
