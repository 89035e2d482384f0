/** Modes of targets that cannot be read: no run and no person has said since in which mode the target is. */

import { bucketStream } from '../../bus/declared.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { readTargetMode } from '../../mission/mode.ts';
import type { Look } from './finding.ts';
import { unreadable } from './records.ts';

export const modes: Look = {
  checks: ['unreadable-record'],
  needs: [bucketStream(buckets.modes)],
  look: ({ bus, found }) =>
    bus.inventory.entries(buckets.modes, async ({ key, value }) => {
      if (readTargetMode(value) !== 'unreadable') return;
      const remedy = `set it again: mcs mode set ${key} MODE`;
      found({ ...unreadable(buckets.modes, key, 'the mode of the target'), remedy });
    }),
};
