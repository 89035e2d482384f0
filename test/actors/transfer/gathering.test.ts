import { expect, it } from 'vitest';
import { Gathering } from '../../../actors/transfer/gathering.ts';
import { withBytes } from '../../../machines/transfer/record.ts';
import { transferOf } from '../../machines/transfer/records.ts';

const record = transferOf({ size: 1_000 });
const BYTES = Buffer.alloc(100);

it('MC-XFER-049 transfer/gathering.A3 a part that is stored and not recorded, or still being stored, holds the low-water mark back', () => {
  const gathering = new Gathering(record);
  gathering.add(200, BYTES, 5, 0);
  gathering.add(600, BYTES, 6, 0);
  gathering.add(800, BYTES, 7, 0);
  const [first, second, third] = gathering.take();
  gathering.stored(second!);
  gathering.tell();
  gathering.recorded(withBytes(record, [[600, 700]]));
  expect(gathering.firstOpen).toBe(5);
  gathering.stored(first!);
  expect(gathering.firstOpen).toBe(5);
  gathering.tell();
  gathering.recorded(
    withBytes(record, [
      [200, 300],
      [600, 700],
    ]),
  );
  expect(gathering.firstOpen).toBe(7);
  gathering.giveBack(third!, 1);
  expect(gathering.firstOpen).toBe(7);
});

it('MC-XFER-049 transfer/gathering.A3 what was let go is missing again once it begins again from its record', () => {
  const gathering = new Gathering(record);
  gathering.add(200, BYTES, 5, 0);
  expect(gathering.discard()).toBe(100);
  expect(gathering.firstOpen).toBe(5);
  gathering.restart(record);
  expect(gathering.firstOpen).toBeUndefined();
  expect(gathering.add(200, BYTES, 9, 0)).toEqual([[200, 300]]);
});
