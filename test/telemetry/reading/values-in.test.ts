/** What is said of a message of the value stream that cannot be read. */

import { expect, it } from 'vitest';
import { valuesIn } from '../../../telemetry/reading/values-in.ts';
import { keptLog } from '../../support/silent-log.ts';

it('reading/values-in.V1 says where a malformed batch is stored and how it begins, and no more of a large one', () => {
  const log = keptLog();
  const message = { seq: 7, subject: 'mcs.tm.value.sat1' };
  expect(valuesIn({ ...message, data: Buffer.from('no batch') }, log)).toBeUndefined();
  expect(valuesIn({ ...message, data: Buffer.alloc(100_000, 'x') }, log)).toBeUndefined();
  const [small, large] = log.said.map(({ fields }) => fields as { begins: string });
  expect(small).toEqual({ position: 7, subject: message.subject, bytes: 8, begins: 'bm8gYmF0Y2g=' });
  expect(large).toMatchObject({ bytes: 100_000 });
  expect(Buffer.from(large!.begins, 'base64')).toEqual(Buffer.alloc(512, 'x'));
});
