/** What an open transfer makes of records that have less than the one before (open-transfer.O3). */

import { describe, expect, it } from 'vitest';
import { OpenTransfer } from '../../../actors/transfer/open-transfer.ts';
import { withBytes } from '../../../machines/transfer/record.ts';
import { transferOf } from '../../machines/transfer/records.ts';

const record = transferOf({ size: 1_000 });
const BYTES = Buffer.alloc(100);
const first = withBytes(record, [[0, 600]]);
const earlier = withBytes(record, [[0, 400]]);

describe.each(['recorded', 'rejoined'] as const)('a record that is %s', (how) => {
  it('open-transfer.O3 and has less than the one before: what it lacks is taken again', () => {
    const open = new OpenTransfer('sat1.7.2', first);
    expect(open.gathering.add(400, BYTES, 1, 0)).toEqual([]);
    open[how](earlier);
    expect(open.gathering.received.list()).toEqual([[0, 400]]);
    expect(open.gathering.add(400, BYTES, 2, 0)).toEqual([[400, 500]]);
  });

  it('open-transfer.O3 and has as much, of other bytes: what it lacks is taken again, and what is on its way stays', () => {
    const open = new OpenTransfer('sat1.7.2', first);
    open.gathering.add(800, BYTES, 1, 0);
    open[how](
      withBytes(record, [
        [0, 300],
        [700, 1_000],
      ]),
    );
    expect(open.gathering.received.list()).toEqual([
      [0, 300],
      [700, 1_000],
    ]);
    open[how](earlier);
    expect(open.gathering.received.list()).toEqual([
      [0, 400],
      [800, 900],
    ]);
  });

  it('and has all of the one before: nothing is taken twice', () => {
    const open = new OpenTransfer('sat1.7.2', earlier);
    open.gathering.add(400, BYTES, 1, 0);
    open[how](earlier);
    expect(open.gathering.add(400, BYTES, 2, 0)).toEqual([]);
  });
});
