/**
 * The executor: runs telecommands and runs of procedures. It owns lanes of targets and shards of runs; every telecommand
 * of a lane and every run of a shard is a cell. Mission Control Service, section 1.
 */

import { createTelecommandBinding } from '../../actors/telecommand/binding.ts';
import { createHistoryStore } from '../../actors/telecommand/history.ts';
import { watchHolds } from '../../actors/telecommand/holds.ts';
import { Lane, type TelecommandCells } from '../../actors/telecommand/lane.ts';
import { fromCellId } from '../../actors/telecommand/work.ts';
import { KnownPast } from '../../messaging/known-past.ts';
import { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import { targetValues } from '../../telemetry/target-values.ts';
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
  const kind = telecommandKind(context, laneOf);
  const cells = cellsOf(kind);
  const past = new KnownPast({ bus, clock, log });
  const platforms = new KnownPlatforms(missions, clock);
  const runs = createRuns(context, past, platforms);

  const start = async (target: string, { epoch, failed }: WorkerContext) => {
    await values.ready;
    const lane = new Lane({
      target,
      epoch,
      bus,
      clock,
      log: log.child({ lane: target }),
      missions,
      platforms,
      values: targetValues(values),
      holds,
      cells,
      past,
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
      platforms.stop();
    },
  };
}

function telecommandKind(context: RoleContext, laneOf: (cell: string) => Lane | undefined): Kind {
  const { bus, clock, random, log, deadLetters, failpoint, failed } = context;
  const store = createHistoryStore({
    bus,
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
    binding: withFailpoint(binding, failpoint),
    clock,
    random,
    log,
    deadLetters,
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
