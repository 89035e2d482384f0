/**
 * The reconciler: one process of the cell informs drivers and gateways how links are bound. Mission Control Service,
 * section 4.3.
 */

import { startLinkBindings } from '../reconciler/link-bindings.ts';
import type { Role, RoleContext } from '../role.ts';

export async function startReconciler({ bus, clock, random, log, missions }: RoleContext): Promise<Role> {
  return {
    shared: [],
    leads: [
      {
        name: 'reconciler',
        start: (context) => startLinkBindings({ ...context, bus, clock, random, log, missions }),
      },
    ],
    stop: async () => undefined,
  };
}
