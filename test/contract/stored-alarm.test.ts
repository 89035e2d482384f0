/** Entries of `mcs_alarms`, as other programs read them. */

import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import { AlarmRecord, type StoredAlarm } from '../../contract/alarm.ts';
import { readStoredAlarm, storedAlarmBytes } from '../../contract/stored-alarm.ts';

const record: AlarmRecord = {
  previous: 'NORMAL',
  state: 'ACTIVE_UNACK',
  severity: 'warning',
  value: 6.2,
  seq: 1,
  active_since: '2026-01-02T03:04:05.678Z',
  changed_at: '2026-01-02T03:04:05.678Z',
  cause: 'condition',
};
const stored: StoredAlarm = {
  record,
  epoch: 7,
  evaluated: { position: 12, at: 1_700_000_000_000 },
  reactions: [{ seq: 1, at: 1_700_000_000_000, procedure: 'shed_load' }],
  reports: 2,
};
const bytes = (entry: unknown): Uint8Array => Buffer.from(JSON.stringify(entry));

it('MC-ALM-002 an entry is the record of section 2.4, with what its writer needs in one field beside it', () => {
  const { actor, ...shown } = JSON.parse(storedAlarmBytes(stored).toString());
  expect(shown).toEqual(record);
  expect(Value.Check(AlarmRecord, shown)).toBe(true);
  expect(actor).toEqual({ epoch: 7, evaluated: stored.evaluated, reactions: stored.reactions, reports: 2 });
  expect(readStoredAlarm(storedAlarmBytes(stored))).toEqual(stored);
});

it('stored-alarm.A1 an entry of the version before is read, and written as of now', () => {
  const read = readStoredAlarm(bytes(stored));
  expect(read).toEqual(stored);
  expect(JSON.parse(storedAlarmBytes(read!).toString())).toMatchObject({ state: 'ACTIVE_UNACK', seq: 1 });
});

it.each([
  ['no JSON', Buffer.from('{')],
  ['null', bytes(null)],
  ['a record without what its writer needs', bytes(record)],
  ['another kind of actor', bytes({ ...record, actor: 5 })],
  ['no state', bytes({ seq: 1, actor: { epoch: 1, evaluated: { position: 1, at: 1 } } })],
  ['no place in the stream', bytes({ ...record, actor: { epoch: 1, evaluated: {} } })],
  ['reactions that are null', bytes({ ...stored, reactions: null })],
  ['a reaction that is null', bytes({ ...stored, reactions: [null] })],
  ['a reaction without its time', bytes({ ...stored, reactions: [{ seq: 1 }] })],
  ['a record of the version before without epoch', bytes({ record, evaluated: stored.evaluated })],
])('%s is no alarm', (_what, entry) => {
  expect(readStoredAlarm(entry)).toBeUndefined();
});
