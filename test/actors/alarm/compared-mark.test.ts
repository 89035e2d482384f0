/** Up to where records and events of alarms are known to say the same, under writes that end in any order. */

import { expect, it } from 'vitest';
import { COMPARED_MARK, ComparedMark, type Writing } from '../../../actors/alarm/compared-mark.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { ALARM_WRITES_NOT_COVERED } from '../../../contract/limits/alarm.ts';
import { markKey } from '../../../messaging/mark-entry.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { LogBus } from '../telecommand/log-bus.ts';

const alarmSubject = subject.alarmEvent({ target: 'sat1', component: 'obc', alarm: 'hot' });
const keyOf = (n: number): string => `sat1.obc._.a${n}`;

function markOn(bus: LogBus, epoch: number) {
  const failures: Error[] = [];
  const mark = new ComparedMark({
    bus,
    clock: new ManualClock(0),
    log: keptLog(),
    epoch,
    lost: (error) => void failures.push(error),
  });
  return { mark, failures };
}

/** A bus whose bucket of records and stream of events have so many writes. */
async function busWith({ records, events }: { records: number; events: number }): Promise<LogBus> {
  const bus = new LogBus();
  // Which alarm an event is of does not matter here.
  bus.stillHolds = async (stream, { seq }) => seq <= bus.messages(stream).length;
  for (let n = 0; n < records; n += 1) await bus.bucket(buckets.alarms).overwrite(`r${n}`, Buffer.from('r'));
  for (let n = 0; n < events; n += 1) await bus.append(streams.alarms, alarmSubject, Buffer.from('e'));
  return bus;
}

/** What the next leader finds behind one that did this, from where ten records and ten events were compared. */
async function behind(act: (mark: ComparedMark) => void, bus?: LogBus): Promise<unknown> {
  const on = bus ?? (await busWith({ records: 50, events: 50 }));
  const { mark } = markOn(on, 1);
  await mark.take();
  mark.keep({ records: 10, events: 10 });
  act(mark);
  await mark.stop();
  return (await markOn(on, 2).mark.take()).since;
}

const head = (position: number) => ({ position, at: 0 });

it('compared-mark.C1 a record is covered with those before it, in whatever order their writes end', async () => {
  const begun: Writing[] = [];
  const writing = (mark: ComparedMark) => {
    for (let n = 0; n < 3; n += 1) begun[n] = mark.writing(keyOf(n));
  };
  const ended = (...order: number[]) =>
    behind((mark) => {
      writing(mark);
      for (const n of order) begun[n]!.ended(11 + n, head(11 + n));
    });
  expect(await ended(0)).toMatchObject({ records: 11 });
  expect(await ended(0, 2)).toMatchObject({ records: 11 });
  expect(await ended(2, 1)).toMatchObject({ records: 10 });
  expect(await ended(2, 1, 0)).toMatchObject({ records: 13, events: 13 });
});

it('compared-mark.C1 what somebody else wrote holds it back until it has been compared', async () => {
  const foreign = (mark: ComparedMark) => {
    for (const revision of [12, 13]) mark.writing(keyOf(revision)).ended(revision, head(revision - 1));
  };
  expect(await behind(foreign)).toMatchObject({ records: 10, events: 10 });
  const looked = (mark: ComparedMark) => {
    foreign(mark);
    mark.comparing(keyOf(0)).ended(11, head(3));
  };
  expect(await behind(looked)).toMatchObject({ records: 13, events: 12 });
});

it('compared-mark.C2 no event is covered that was published behind the begin of a write that is not', async () => {
  const waits = (mark: ComparedMark) => {
    mark.writing(keyOf(0)).ended(11, head(11));
    mark.writing(keyOf(1));
    mark.writing(keyOf(2)).ended(12, head(12));
    mark.writing(keyOf(3)).ended(13, head(13));
  };
  expect(await behind(waits)).toMatchObject({ records: 13, events: 11 });
});

it('a write that failed, or that its alarm has begun again, holds nothing back', async () => {
  const failed = (mark: ComparedMark) => {
    mark.writing(keyOf(0)).ended();
    mark.writing(keyOf(1));
    mark.writing(keyOf(1)).ended(11, head(11));
  };
  expect(await behind(failed)).toMatchObject({ records: 11, events: 11 });
});

it('compared-mark.C3 behind more writes than it keeps it stands still, and nothing waits any more', async () => {
  const bus = await busWith({ records: 50, events: 50 });
  const many = (mark: ComparedMark) => {
    for (let n = 0; n <= ALARM_WRITES_NOT_COVERED; n += 1) mark.writing(keyOf(n)).ended(12 + n, head(11));
    mark.writing(keyOf(0)).ended(11, head(11));
  };
  expect(await behind(many, bus)).toMatchObject({ records: 10, events: 10 });
});

it('covers what ended before all was compared', async () => {
  const bus = await busWith({ records: 20, events: 20 });
  const { mark } = markOn(bus, 1);
  await mark.take();
  mark.comparing(keyOf(1)).ended(4, head(4));
  mark.comparing(keyOf(2)).ended(11, head(5));
  mark.writing(keyOf(0)).ended(12, head(12));
  mark.keep({ records: 11, events: 11 });
  await mark.stop();
  expect((await markOn(bus, 2).mark.take()).since).toMatchObject({ records: 12, events: 12 });
});

it('a leader that died before all was compared has covered nothing', async () => {
  const bus = await busWith({ records: 20, events: 20 });
  const { mark } = markOn(bus, 1);
  expect(await mark.take()).toMatchObject({ since: { records: 0, events: 0 }, recordsLost: false });
  mark.writing(keyOf(0)).ended(12, head(12));
  await mark.stop();
  expect((await markOn(bus, 2).mark.take()).since).toMatchObject({ records: 0, events: 0 });
});

it.each([
  ['the bucket of records went back', { records: 9, events: 50 }, { recordsLost: true }],
  ['the bucket of records was made anew', { records: 0, events: 50 }, { recordsLost: true }],
  ['the stream of events went back', { records: 50, events: 9 }, { recordsLost: false }],
  ['both are there', { records: 50, events: 50 }, { recordsLost: false, since: { records: 10, events: 10 } }],
])('nothing counts as covered unless both hold it: %s', async (_, stands, expected) => {
  const before = await busWith({ records: 50, events: 50 });
  await behind(() => undefined, before);
  const after = await busWith(stands);
  const key = markKey(COMPARED_MARK);
  await after.bucket(buckets.members).put(key, (await before.bucket(buckets.members).get(key))!.value, 0);
  const taken = await markOn(after, 3).mark.take();
  expect(taken).toMatchObject({ since: { records: 0, events: 0 }, ...expected });
});

it('holes that were not there when it was compared are a loss, once', async () => {
  const bus = await busWith({ records: 50, events: 50 });
  bus.emptyUntil = 1_000;
  expect(await behind(() => undefined, bus)).toMatchObject({ records: 10 });
  bus.emptyUntil = 2_000;
  const { mark } = markOn(bus, 3);
  expect((await mark.take()).since).toMatchObject({ records: 0, events: 0 });
  mark.keep({ records: 50, events: 50 });
  await mark.stop();
  expect((await markOn(bus, 4).mark.take()).since).toMatchObject({ records: 50, events: 50 });
});

it('another leader that has taken it ends the term', async () => {
  const bus = await busWith({ records: 20, events: 20 });
  const first = markOn(bus, 1);
  await first.mark.take();
  first.mark.keep({ records: 10, events: 10 });
  await markOn(bus, 2).mark.take();
  first.mark.writing(keyOf(0)).ended(11, head(11));
  await first.mark.stop();
  expect(first.failures).toHaveLength(1);
});

it('compared-mark.C2 nor one behind a write that has ended and is not covered, though its alarm has been written since', async () => {
  const again = (mark: ComparedMark) => {
    for (const revision of [12, 13]) mark.writing(keyOf(0)).ended(revision, head(revision));
    mark.writing(keyOf(0)).ended();
  };
  expect(await behind(again)).toMatchObject({ records: 10, events: 10 });
});

it('a comparison of what is covered holds nothing back', async () => {
  const old = (mark: ComparedMark) => {
    mark.comparing(keyOf(0)).ended(4, head(4));
    mark.comparing(keyOf(1)).ended(10, head(10));
    mark.writing(keyOf(2)).ended(11, head(11));
  };
  expect(await behind(old)).toMatchObject({ records: 11, events: 11 });
});

it('nothing counts as covered where the stream went back and has grown again, or something is lost elsewhere', async () => {
  const bus = await busWith({ records: 50, events: 50 });
  const wrote = (mark: ComparedMark): void => mark.writing(keyOf(0)).ended(11, { position: 11, at: 1_000 });
  expect(await behind(wrote, bus)).toMatchObject({ records: 11 });
  const next = async (): Promise<unknown> => (await markOn(bus, 4).mark.take()).since;
  bus.lostUntil = 999;
  expect(await next()).toMatchObject({ records: 11 });
  bus.lostUntil = 1_001;
  expect(await next()).toMatchObject({ records: 0, events: 0 });
  bus.lostUntil = undefined;
  bus.stillHolds = LogBus.prototype.stillHolds;
  expect(await next()).toMatchObject({ records: 0, events: 0 });
});

it('compared-mark.C2 a comparison of the same alarm ends no write that is under way', async () => {
  const both = (mark: ComparedMark) => {
    mark.writing(keyOf(0));
    mark.comparing(keyOf(0)).ended(4, head(4));
    mark.writing(keyOf(1)).ended(11, head(12));
  };
  expect(await behind(both)).toMatchObject({ records: 11, events: 10 });
});

it.each([
  ['at or below what was covered when it began', [8, 10], 2],
  ['above it, though a comparison has covered it since', [11], 0],
])(
  'compared-mark.C4 a record that is written %s shows whether the bucket went back',
  async (_, revisions, lost) => {
    const bus = await busWith({ records: 50, events: 50 });
    const { mark, failures } = markOn(bus, 1);
    await mark.take();
    mark.keep({ records: 10, events: 10 });
    for (const revision of revisions) {
      const writing = mark.writing(keyOf(0));
      mark.comparing(keyOf(0)).ended(revision, head(11));
      writing.ended(revision, head(11));
    }
    expect(failures).toHaveLength(lost);
    await mark.stop();
  },
);
