import { expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { markBytes, markIn, markWith, NO_MARK } from '../../messaging/mark-entry.ts';

const MARK = {
  epoch: 7,
  stands: { records: 4, events: 9 },
  known: [{ stream: streams.alarms, seq: 9, at: 1_000, subject: 'mcs.alarm.evt.sat1.c._.a' }],
  whole: true,
  dealtWith: 500,
};
const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

it.each([
  ['whole', MARK],
  ['of an owner that knew nothing', { ...MARK, known: [], whole: false }],
  ['of an owner that had nothing', { ...NO_MARK, whole: false }],
])('a mark is read as it was written: %s', (_, mark) => {
  expect(markIn(markBytes(mark))).toEqual(mark);
});

it('keeps all but the positions that are replaced', () => {
  expect(markIn(markWith(markBytes(MARK), { events: 3 }))).toEqual({
    ...MARK,
    stands: { records: 4, events: 3 },
  });
});

it.each([
  'noise',
  'null',
  '7',
  JSON.stringify({ epoch: 'late' }),
  JSON.stringify({ epoch: 1, dealtWith: {} }),
])('is none: %s', (text) => {
  expect(markIn(Buffer.from(text))).toBeUndefined();
});

it.each([
  ['a stream that there is not', { NOBODYS: { seq: 1, at: 1 } }],
  ['no position', { ALARMS: { at: 1 } }],
  ['a position that is none', { ALARMS: { seq: '9', at: 1 } }],
  ['no time', { ALARMS: { seq: 9 } }],
  ['nothing', { ALARMS: null }],
  ['no messages', null],
])('leaves out what says nothing of a message: %s', (_, known) => {
  expect(markIn(bytesOf({ epoch: 1, next: 4, at: 'noon', known }))).toEqual({
    ...NO_MARK,
    epoch: 1,
    stands: { next: 4 },
    whole: false,
  });
});
