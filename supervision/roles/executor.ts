/**
 * The executor: runs telecommands and runs of procedures. It owns lanes of targets and shards of runs; every
 * telecommand of a lane and every run of a shard is a cell. Mission Control Service, section 1.
 */

import { createTelecommandBinding } from '../../actors/telecommand/binding.ts';
import { FinishedBefore } from '../../actors/telecommand/finished-before.ts';
import { createHistoryStore } from '../../actors/telecommand/history-store.ts';
import { watchHolds } from '../../actors/telecommand/holds.ts';
import { Lane } from '../../actors/telecommand/lane.ts';
import type { LaneServices } from '../../actors/telecommand/services.ts';
import { fromCellId } from '../../actors/telecommand/work.ts';
import { TELECOMMAND_VERSION } from '../../machines/telecommand/fold.ts';
import type { telecommandMachine } from '../../machines/telecommand/telecommand.ts';
import { HandOvers, handOverMs } from '../../messaging/hand-overs.ts';
import { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import { KnownPast } from '../../messaging/known-past.ts';
import { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import { targetValues } from '../../telemetry/target-values.ts';
import { type Hosted, hostCells, Owners } from '../cells/host.ts';
import type { WorkerContext } from '../ownership/owned-worker.ts';
import type { Role, RoleContext } from '../role.ts';
import { LaneNames } from './lane-names.ts';
import { createRuns } from './runs.ts';

export async function startExecutor(context: RoleContext): Promise<Role> {
  const { bus, clock, log, missions, values, passes } = context;
  const lanes = new Owners<Lane>((cell) => fromCellId(cell).target);
  const names = await LaneNames.read(bus, missions.current);
  const holds = await watchHolds(bus);
  const kept = new KeptEnvelopes(bus, { kind: 'telecommand', version: TELECOMMAND_VERSION });
  const handOvers = new HandOvers(clock, handOverMs(context.memberTtlMs));
  const { kind, cells } = telecommandCells(context, { kept, handOvers }, lanes);
  const past = new KnownPast({ bus, clock, log });
  const finished = new FinishedBefore({ bus, clock, log });
  const platforms = new KnownPlatforms(missions, clock);
  const runs = createRuns(context, handOvers, past, platforms);

  const start = async (target: string, { epoch, holds: isOwner, failed }: WorkerContext) => {
    // What leaves before the passes are known might leave by another gateway than that of its pass.
    await Promise.all([values.ready, passes.ready]);
    const lane = new Lane({
      target,
      epoch,
      bus,
      clock,
      log: log.child({ lane: target }),
      missions,
      platforms,
      values: targetValues(values),
      passes,
      holds,
      cells,
      past,
      finished,
      kept,
      isOwner,
      failed,
    });
    return lanes.begin(target, lane);
  };

  return {
    shared: [
      { role: { role: 'executor', prefix: 'lane', start }, names: (mission) => names.of(mission) },
      runs.shared,
    ],
    kinds: [kind, runs.kind],
    stop: async () => {
      await Promise.all([kind.drain(), runs.kind.drain()]);
      await holds.stop();
      await past.stop();
      finished.stop();
      platforms.stop();
    },
  };
}

function telecommandCells(
  context: RoleContext,
  { kept, handOvers }: { readonly kept: KeptEnvelopes; readonly handOvers: HandOvers },
  lanes: Owners<Lane>,
): Hosted<typeof telecommandMachine> {
  const { bus, clock } = context;
  const store = createHistoryStore({
    bus,
    kept,
    inputOf: (cell) => lanes.of(cell)?.inputOf(cell),
    now: () => clock.now(),
    appended: (cell, { state }, seq) => lanes.of(cell)?.appended(cell, state, seq),
  });
  const servicesOf = (cell: string): LaneServices | undefined => lanes.of(cell)?.servicesOf(cell);
  const isOwned = (cell: string): boolean => lanes.of(cell)?.isOwned(cell) === true;
  const binding = createTelecommandBinding({ bus, clock, handOvers, store, servicesOf, isOwned });
  return hostCells(binding, (cell) => lanes.of(cell), context, { kept });
}
