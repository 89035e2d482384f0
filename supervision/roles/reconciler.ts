/**
 * The reconciler: one process of the cell informs drivers and gateways how links are bound, and checks which gateways
 * serve the passes to come. Mission Control Service, sections 4.3 and 4.5.
 */

import type { StoredPass } from '../../contract/pass.ts';
import type { Worker, WorkerContext } from '../ownership/owned-worker.ts';
import { startLinkBindings } from '../reconciler/link-bindings.ts';
import { PassGateways } from '../reconciler/pass-gateways.ts';
import type { Role, RoleContext } from '../role.ts';

export async function startReconciler(context: RoleContext): Promise<Role> {
  return {
    shared: [],
    leads: [{ name: 'reconciler', start: (work) => startReconciling(context, work) }],
    stop: async () => undefined,
  };
}

async function startReconciling(
  { bus, clock, random, log, missions, passes }: RoleContext,
  work: WorkerContext,
): Promise<Worker> {
  const bindings = await startLinkBindings({ ...work, bus, clock, random, log, missions });
  const soon = (those: readonly StoredPass[]): void => bindings.passesSoon(those);
  const gateways = new PassGateways({ ...work, bus, clock, log, missions, passes, soon });
  gateways.start();
  return { stop: async () => void (await Promise.all([bindings.stop(), gateways.stop()])) };
}
