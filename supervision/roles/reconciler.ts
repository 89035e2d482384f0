/**
 * The reconciler: one process of the cell informs drivers and gateways how links are bound, checks which gateways serve
 * the passes to come, and moves those that are long over. Mission Control Service, sections 4.3 and 4.5.
 */

import type { StoredPass } from '../../contract/pass.ts';
import type { Worker, WorkerContext } from '../ownership/owned-worker.ts';
import { startContentAgeing } from '../reconciler/content-ageing.ts';
import { startLinkBindings } from '../reconciler/link-bindings.ts';
import { PassAgeing } from '../reconciler/pass-ageing.ts';
import { PassGateways } from '../reconciler/pass-gateways.ts';
import { startScheduleAgeing } from '../reconciler/schedule-ageing.ts';
import { startTransferAgeing } from '../reconciler/transfer-ageing.ts';
import type { Role, RoleContext } from '../role.ts';

export async function startReconciler(context: RoleContext): Promise<Role> {
  return {
    shared: [],
    leads: [{ name: 'reconciler', start: (work) => startReconciling(context, work) }],
    stop: async () => undefined,
  };
}

async function startReconciling(
  { bus, clock, random, log, missions, passes, books }: RoleContext,
  work: WorkerContext,
): Promise<Worker> {
  const bindings = await startLinkBindings({ ...work, bus, clock, random, log, missions });
  const soon = (those: readonly StoredPass[]): void => bindings.passesSoon(those);
  const gateways = new PassGateways({ ...work, bus, clock, log, missions, passes, soon });
  gateways.start();
  const ageing = new PassAgeing({ ...work, bus, clock, log, passes });
  ageing.start();
  const schedules = startScheduleAgeing({ ...work, bus, clock, log, schedules: books.schedules });
  const transfers = startTransferAgeing({ ...work, bus, clock, log, missions, transfers: books.transfers });
  const content = startContentAgeing({ ...work, bus, clock, log, missions });
  return {
    stop: async () =>
      void (await Promise.all(
        [bindings, gateways, ageing, schedules, transfers, content].map((each) => each.stop()),
      )),
  };
}
