import type { StreamInfo } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Connection } from '../../bus/connection.ts';
import { ApiError, kindOf, toOutage } from '../../bus/fault.ts';
import { JetStream } from '../../bus/jetstream.ts';
import { type NatsBus, openBus } from '../../bus/nats-bus.ts';
import { Outage } from '../../contract/outage.ts';
import { refusalOf } from '../../http/errors.ts';
import { type LimitedNats, startLimitedNats } from '../support/limited-nats.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';

const STREAM = { name: 'LOG', subjects: ['mcs.log.*'], maxAgeMs: 3_600_000, dedupeMs: 60_000 };
const FILL = { name: 'FILL', subjects: ['mcs.fill.*'], maxAgeMs: 3_600_000, dedupeMs: 60_000 };
const KB = 1024;

/** Every number JetStream gives, with the status it comes with where that is not 400. */
const LAST_NUMBER = 10_226;
const NOT_400: Readonly<Record<number, readonly number[]>> = {
  404: [10_014, 10_037, 10_059, 10_068],
  409: [10_158],
  412: [10_180, 10_185],
  429: [10_167, 10_210, 10_211],
  500: [
    10_006, 10_007, 10_009, 10_012, 10_013, 10_028, 10_029, 10_041, 10_042, 10_045, 10_047, 10_048, 10_049,
    10_050, 10_051, 10_052, 10_053, 10_057, 10_062, 10_064, 10_066, 10_067, 10_069, 10_072, 10_074, 10_096,
    10_104, 10_110, 10_111, 10_117, 10_118, 10_119, 10_194, 10_195,
  ],
  503: [10_004, 10_008, 10_010, 10_023, 10_035, 10_036, 10_039, 10_063, 10_075, 10_076, 10_077, 10_163],
};
const LIMITS = [10_002, 10_023, 10_026, 10_027, 10_028, 10_047, 10_053, 10_077, 10_120, 10_122];
const PASSING_BELOW_500 = [10_005, 10_124, 10_158, 10_167, 10_226];

function statusOf(number: number): number {
  const [status = '400'] = Object.entries(NOT_400).find(([, numbers]) => numbers.includes(number)) ?? [];
  return Number(status);
}

function expected(number: number): string {
  if (LIMITS.includes(number)) return 'limit';
  return statusOf(number) >= 500 || PASSING_BELOW_500.includes(number) ? 'passing' : 'refusal';
}

describe('what JetStream answers', () => {
  const numbers = Array.from({ length: LAST_NUMBER - 10_001 }, (_, n) => 10_002 + n);

  it('is an outage by its number where its status does not say so (bus/fault.F1)', () => {
    expect(numbers.map((number) => [number, kindOf(statusOf(number), number)])).toEqual(
      numbers.map((number) => [number, expected(number)]),
    );
  });

  it.each(LIMITS)('%i is an outage that says what to do (bus/fault.F2)', (number) => {
    const outage = toOutage(new ApiError(statusOf(number), number, 'no room'), 'stream X');
    expect(outage.code).toBe('bus.unavailable');
    expect(outage.message).toBe(`stream X has reached a JetStream limit: no room (${number})`);
    expect(outage.remedy).toContain('Raise');
    const [fault] = refusalOf(outage)!.faults;
    expect(fault).toMatchObject({ code: 'api::unavailable', message: outage.message, help: outage.remedy });
  });

  it('a number of a later server is judged by its status', () => {
    expect([kindOf(503, 19_999), kindOf(400, 19_999)]).toEqual(['passing', 'refusal']);
  });
});

describe('an account without room', () => {
  let nats: LimitedNats;
  let bus: NatsBus;
  /** Another process, which takes the room. */
  let filler: NatsBus;

  beforeAll(async () => {
    nats = await startLimitedNats(256 * KB);
    bus = openBus({ url: nats.url, name: 'limits', log: quiet });
    filler = openBus({ url: nats.url, name: 'filler', log: quiet });
  });

  afterAll(async () => {
    await Promise.all([bus.close(), filler.close()]);
    await nats.stop();
  });

  const bytes = (text: string) => Buffer.from(text);
  /** room.R2: the account is asked again in a moment. */
  const roomFor = <Value>(write: () => Promise<Value>) =>
    until(() => write().catch((error: unknown) => void expect(error).toBeInstanceOf(Outage)));
  const fill = async (size: number): Promise<unknown> => {
    for (;;) {
      const full = await filler
        .append(FILL, 'mcs.fill.a', Buffer.alloc(size))
        .catch((error: unknown) => error);
      if (full instanceof Error) return full;
    }
  };

  it('refuses as an outage, at once; a log that met it has no hole and goes on when there is room (append.W3, jetstream.J3)', async () => {
    const first = await bus.append(STREAM, 'mcs.log.a', bytes('1'), { id: '1', expectLastSubjectSeq: 0 });
    await bus.append(STREAM, 'mcs.log.b', bytes('of somebody else'));
    const expectLastSubjectSeq = first.outcome === 'stored' ? first.seq : 0;
    const full = await fill(4 * KB);
    expect(full).toBeInstanceOf(Outage);
    expect(full).toMatchObject({ code: 'bus.unavailable', remedy: expect.stringContaining('Raise') });

    const second = () =>
      bus.append(STREAM, 'mcs.log.a', Buffer.alloc(8 * KB), { id: '2', expectLastSubjectSeq });
    await expect(second()).rejects.toMatchObject({ code: 'bus.unavailable' });
    await expect(second()).rejects.toMatchObject({ code: 'bus.unavailable' });
    expect(Buffer.from((await bus.last(STREAM, 'mcs.log.a'))!.data).toString()).toBe('1');

    await nats.limit(512 * KB);
    const stored = await roomFor(second);
    expect(stored.outcome).toBe('stored');
    expect(await second()).toMatchObject({ outcome: 'duplicate' });
    const read: number[] = [];
    const follower = await bus.follow(
      STREAM,
      'mcs.log.a',
      { from: 'start' },
      ({ data }) => void read.push(data.length),
    );
    await follower.caughtUp;
    await follower.stop();
    expect(read).toEqual([1, 8 * KB]);
  });

  it('never lets two writers go on behind the same message (append.W3)', async () => {
    const first = await bus.append(STREAM, 'mcs.log.c', bytes('1'), { expectLastSubjectSeq: 0 });
    const expectLastSubjectSeq = first.outcome === 'stored' ? first.seq : 0;
    await fill(4 * KB);
    // Below what is stored: those who write leave the last share of an account alone.
    await nats.limit(400 * KB);
    await expect(
      bus.append(STREAM, 'mcs.log.c', Buffer.alloc(8 * KB), { expectLastSubjectSeq }),
    ).rejects.toBeInstanceOf(Outage);
    await nats.limit(1024 * KB);
    await roomFor(() => bus.append(FILL, 'mcs.fill.b', bytes('room')));
    const others = openBus({ url: nats.url, name: 'others', log: quiet });
    const writers = [bus, others, bus, others].map((each, n) =>
      each.append(STREAM, 'mcs.log.c', bytes(`by ${n}`), { id: `by ${n}`, expectLastSubjectSeq }),
    );
    const outcomes = (await Promise.all(writers)).map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['conflict', 'conflict', 'conflict', 'stored']);
    expect((await bus.append(STREAM, 'mcs.log.c', bytes('late'), { expectLastSubjectSeq })).outcome).toBe(
      'conflict',
    );
    await others.close();
  });

  it('takes no value from a bucket once it was refused (room.R1)', async () => {
    const bucket = bus.bucket({ name: 'mcs_limits', history: 1 });
    const written = await bucket.put('a', bytes('old'), 0);
    const revision = written.outcome === 'written' ? written.revision : 0;
    await fill(KB);
    await nats.limit(900 * KB);
    const large = () => bus.append(STREAM, 'mcs.log.d', Buffer.alloc(8 * KB));
    await expect(large()).rejects.toMatchObject({ code: 'bus.unavailable' });
    const grown = () => bucket.put('a', Buffer.alloc(8 * KB), revision);
    for (let n = 0; n < 20; n += 1)
      await expect(grown()).rejects.toMatchObject({ remedy: expect.stringContaining('Raise') });
    expect(Buffer.from((await bucket.get('a'))!.value).toString()).toBe('old');
    await nats.limit(2048 * KB);
    expect((await roomFor(grown)).outcome).toBe('written');
  });

  it('is not written to its end, so that a server of 2.9 has nothing to take out again (room.R3)', async () => {
    await nats.limit(4096 * KB);
    await roomFor(() => bus.append(FILL, 'mcs.fill.c', bytes('room')));
    await bus.levels.account();
    const refused = await filler.levels.account().then(() => fill(16 * KB));
    expect(refused).toMatchObject({ message: expect.stringContaining('the account of the bus is full') });
    const { bytes: stored, maxBytes } = await bus.levels.account();
    expect(stored).toBeLessThan(maxBytes!);
    expect(await filler.levels.account()).toMatchObject({ isFull: true });
    await nats.limit(8192 * KB);
    await roomFor(() => filler.append(FILL, 'mcs.fill.c', bytes('room')));
  });

  it('a stream that takes nothing new is named, and keeps nobody from writing elsewhere (bus/fault.F3)', async () => {
    await bus.append(STREAM, 'mcs.log.e', bytes('1'));
    const admin = new Connection({ url: nats.url, name: 'admin', log: quiet });
    const jetstream = new JetStream(admin);
    const info = await jetstream.read<StreamInfo>('STREAM.INFO.LOG', undefined);
    const full = { ...info.config, discard: 'new', max_msgs: info.state.messages };
    await jetstream.read('STREAM.UPDATE.LOG', full);
    const refused = bus.append(STREAM, 'mcs.log.e', bytes('2'));
    await expect(refused).rejects.toMatchObject({
      code: 'bus.unavailable',
      message: expect.stringContaining('stream LOG'),
      remedy: expect.stringContaining('Raise the size of this stream'),
    });
    expect((await bus.append(FILL, 'mcs.fill.d', bytes('x'))).outcome).toBe('stored');
    expect(await bus.levels.stream('LOG')).toMatchObject({ share: 1, isFull: true });
    await jetstream.read('STREAM.UPDATE.LOG', info.config);
    expect((await bus.append(STREAM, 'mcs.log.e', bytes('2'))).outcome).toBe('stored');
    await admin.close();
  });

  it('names the stream it has no room for', async () => {
    const large = { ...STREAM, name: 'LARGE', subjects: ['mcs.large.*'], maxBytes: 2 ** 40 };
    await expect(bus.append(large, 'mcs.large.a', bytes('x'))).rejects.toMatchObject({
      code: 'bus.unavailable',
      message: expect.stringContaining('stream LARGE'),
      remedy: expect.stringContaining('Raise'),
    });
  });
});
