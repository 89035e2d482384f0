/**
 * The executor: runs telecommands and runs of procedures. It owns lanes of targets and shards of runs; every telecommand
 * of a lane and every run of a shard is a cell. Mission Control Service, section 1.
 */

import { createTelecommandBinding } from '../../actors/telecommand/binding.ts';
import { createHistoryStore } from '../../actors/telecommand/history-store.ts';
import { watchHolds } from '../../actors/telecommand/holds.ts';
import { Lane, type TelecommandCells } from '../../actors/telecommand/lane.ts';
import { fromCellId } from '../../actors/telecommand/work.ts';
import { TELECOMMAND_VERSION } from '../../machines/telecommand/fold.ts';
import { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import { KnownPast } from '../../messaging/known-past.ts';
import type { Binding } from '../../ports/entity.ts';
import { withFailpoint } from '../cells/failpoint.ts';
import { Kind } from '../cells/kind.ts';
import type { WorkerContext } from '../ownership/tenure.ts';
import type { Role, RoleContext } from '../role.ts';
import { createRuns } from './runs.ts';

export async function startExecutor(context: RoleContext): Promise<Role> {
  const { bus, clock, log, missions, values } = context;
  const lanes = new Map<string, Lane>();
  const laneOf = (cell: string): Lane | undefined => lanes.get(fromCellId(cell).target);
  const holds = await watchHolds(bus);
  const kept = new KeptEnvelopes(bus, { kind: 'telecommand', version: TELECOMMAND_VERSION });
  const kind = telecommandKind(context, kept, laneOf);
  const cells = cellsOf(kind);
  const past = new KnownPast({ bus, clock, log });
  const runs = createRuns(context, past);

  const start = async (target: string, { epoch, failed }: WorkerContext) => {
    await values.ready;
    const lane = new Lane({
      target,
      epoch,
      bus,
      clock,
      log: log.child({ lane: target }),
      missions,
      values: {
        sample: (name, ordinal) => values.current(name)?.sample(ordinal),
        position: (name) => values.position(name),
      },
      holds,
      cells,
      past,
      kept,
      failed,
    });
    lanes.set(target, lane);
    const stop = async (): Promise<void> => {
      await lane.stop();
      if (lanes.get(target) === lane) lanes.delete(target);
    };
    try {
      await lane.start();
    } catch (error) {
      await stop();
      throw error;
    }
    return { stop };
  };

  return {
    shared: [
      { role: { role: 'executor', prefix: 'lane', start }, names: (mission) => mission.targets.keys() },
      runs.shared,
    ],
    kinds: [kind, runs.kind],
    stop: async () => {
      await Promise.all([kind.drain(), runs.kind.drain()]);
      await holds.stop();
      await past.stop();
    },
  };
}

function telecommandKind(
  context: RoleContext,
  kept: KeptEnvelopes,
  laneOf: (cell: string) => Lane | undefined,
): Kind {
  const { bus, clock, random, log, deadLetters, failpoint, failed } = context;
  const store = createHistoryStore({
    bus,
    kept,
    inputOf: (cell) => laneOf(cell)?.inputOf(cell),
    now: () => clock.now(),
    appended: (cell, { state }, seq) => laneOf(cell)?.appended(cell, state, seq),
  });
  const binding = createTelecommandBinding({
    bus,
    clock,
    store,
    servicesOf: (cell) => laneOf(cell)?.servicesOf(cell),
  });
  return new Kind({
    binding: withFailpoint(binding as unknown as Binding, failpoint),
    clock,
    random,
    log,
    deadLetters,
    kept,
    onGone: (cell, why, detail) => void laneOf(cell)?.gone(cell, why, detail),
    onResume: async (cell) => laneOf(cell)?.resumed(cell),
    onEscalated: failed,
  });
}

function cellsOf(kind: Kind): TelecommandCells {
  return {
    start: (cell, input, epoch) => void kind.start(cell, input, epoch),
    restore: (cell, stored, epoch) => void kind.restore(cell, stored, epoch),
    tell: (cell, event) => void kind.tell(cell, event),
    isLive: (cell) => kind.peek(cell) !== undefined,
    drop: (cell) => kind.drop(cell),
  };
}
