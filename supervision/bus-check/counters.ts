/** Sequence counts that drivers have reserved. */

import { bucketStream } from '../../bus/declared.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { reservedUpTo } from '../../links/driver/counter-blocks.ts';
import type { Look } from './finding.ts';
import { unreadable } from './records.ts';

export const counters: Look = {
  checks: ['unreadable-record'],
  needs: [bucketStream(buckets.drivers)],
  look: ({ bus, found }) =>
    bus.inventory.entries(buckets.drivers, async ({ key, value }) => {
      if (reservedUpTo(value) !== undefined) return;
      const finding = unreadable(buckets.drivers, key, 'the reservation of sequence counts');
      const what = `${finding.what}: nothing is encoded with this counter until it is corrected`;
      const remedy = `wait until telecommands that are being verified are over, then \`nats kv del ${buckets.drivers.name} ${key}\`: counts begin at 0`;
      found({ ...finding, what, remedy });
    }),
};
