/** Records of alarms against their events. The leader corrects both as soon as the alarm changes (recovery). */

import { headOf } from '../../actors/alarm/alarm-event.ts';
import { validName } from '../../actors/alarm/record-store.ts';
import { bucketStream } from '../../bus/declared.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { readStoredAlarm } from '../../contract/stored-alarm.ts';
import type { Look } from './finding.ts';
import { unreadable, whereOf } from './records.ts';

export const alarms: Look = {
  checks: ['alarm-record-behind-log', 'alarm-log-behind-record', 'unreadable-record'],
  needs: [bucketStream(buckets.alarms), streams.alarms.name],
  look: ({ bus, found }) =>
    bus.inventory.entries(buckets.alarms, async ({ key, value }) => {
      const name = validName(key);
      const stored = readStoredAlarm(value);
      if (name === undefined || stored === undefined)
        return found(unreadable(buckets.alarms, key, 'the record of the alarm'));
      const { seq, event } = await headOf(bus, name);
      // What has left the stream by its age is not missing.
      if (event === undefined || seq === stored.record.seq) return;
      const where = whereOf(buckets.alarms, key);
      const what = `its record has transition ${stored.record.seq}, its last event ${seq}`;
      const check = seq > stored.record.seq ? 'alarm-record-behind-log' : 'alarm-log-behind-record';
      found({
        check,
        where,
        what,
        remedy: 'the leader of the alarms corrects it with the next change of the alarm',
      });
    }),
};
