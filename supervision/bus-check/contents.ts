/** Content in the object stores: uploads, and files that came down whole or in parts. */

import { objectStores } from '../../contract/bus/buckets.ts';
import type { Look } from './finding.ts';

/** What brings content back. */
const REMEDIES = [
  [objectStores.uploads, 'store it again: mcs file put, or POST /v1/uploads'],
  [
    objectStores.files,
    'bring it back from a copy of the store; bytes of a file that is still arriving are asked for again',
  ],
] as const;

export const contents: Look = {
  checks: ['content-incomplete'],
  needs: REMEDIES.map(([{ name }]) => `OBJ_${name}`),
  look: async ({ bus, found }) => {
    for (const [store, remedy] of REMEDIES) {
      const objects = bus.objects(store);
      await bus.inventory.objects(store, async ({ name, size }) => {
        const isIncomplete = size !== undefined && (await objects.wholeSize(name)) === undefined;
        // One that was removed meanwhile is not found again (bus-check/check.B1).
        if (size !== undefined && !isIncomplete) return;
        const what = isIncomplete
          ? `of its ${size} bytes some are not stored`
          : 'its description cannot be read';
        found({ check: 'content-incomplete', where: `${store.name} ${name}`, what, remedy });
      });
    }
  },
};
