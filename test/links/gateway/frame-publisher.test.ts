import { beforeEach, describe, expect, it } from 'vitest';
import { decodeBatch, type FrameBatch } from '../../../contract/batch.ts';
import { BUS_RETRY_MS } from '../../../contract/limits/bus.ts';
import { FRAME_BYTES, FRAMES_PER_MESSAGE, GATEWAY_QUEUE_FRAMES } from '../../../contract/limits/link.ts';
import { Outage } from '../../../contract/outage.ts';
import { FramePublisher } from '../../../links/gateway/frame-publisher.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { type KeptLog, keptLog } from '../../support/silent-log.ts';
import { MemoryBus } from '../memory-bus.ts';

let bus: MemoryBus;
let clock: ManualClock;
let log: KeptLog;
let publisher: FramePublisher;

beforeEach(() => {
  bus = new MemoryBus();
  clock = new ManualClock(5_000);
  log = keptLog();
  publisher = new FramePublisher({ bus, clock, log, gateway: 'sim-1', life: 'x' });
});

function frameOf(number: number, bytes = 4): Buffer {
  const frame = Buffer.alloc(bytes);
  frame.writeUInt32BE(number);
  return frame;
}

function stored(): number[][] {
  return bus.stored.map(({ data }) =>
    decodeBatch<FrameBatch>(data).frames.map((frame) => Buffer.from(frame).readUInt32BE()),
  );
}

const range = (start: number, end: number) =>
  Array.from({ length: end - start }, (_, index) => start + index);

describe('batching', () => {
  it('T1 makes one message of the frames of a turn, each with its ground time', async () => {
    for (const number of range(0, 5)) publisher.push(frameOf(number));
    expect(bus.stored).toEqual([]);
    await clock.run(1);
    expect(stored()).toEqual([[0, 1, 2, 3, 4]]);
    expect(bus.stored[0]?.subject).toBe('mcs.tm.frame.sim-1');
    const { at } = decodeBatch<FrameBatch>(bus.stored[0]!.data);
    expect(at.map(Math.floor)).toEqual([5_000, 5_000, 5_000, 5_000, 5_000]);
  });

  it('frame-publisher.J2 no two frames have the same ground time, and the order of the times is that of the frames', async () => {
    publisher.push(frameOf(0));
    publisher.push(frameOf(1));
    expect(publisher.now()).toBeGreaterThan(5_000);
    clock.advance(-0.5);
    publisher.push(frameOf(2));
    await clock.run(1);
    publisher.push(frameOf(3));
    expect(publisher.now()).toBe(clock.now());
    await clock.run(1);
    const at = bus.stored.flatMap(({ data }) => decodeBatch<FrameBatch>(data).at);
    expect(at).toEqual([...new Set(at)].sort((a, b) => a - b));
    expect(at[3]! - at[0]!).toBeLessThan(1.1);
  });

  it('frame-publisher.J2 a clock that was set back far is followed at once', async () => {
    publisher.push(frameOf(0));
    clock.advance(-3_600_000);
    publisher.push(frameOf(1));
    await clock.run(3_600_010, 600_000);
    const [first, second] = bus.stored.flatMap(({ data }) => decodeBatch<FrameBatch>(data).at);
    expect(first! - second!).toBe(3_600_000);
  });

  it('frame-publisher.J1 collects while a message is on its way, at most a message full at a time', async () => {
    let release: () => void = () => undefined;
    bus.before = () => new Promise((resolve) => (release = resolve));
    publisher.push(frameOf(0));
    await clock.run(1);
    const more = FRAMES_PER_MESSAGE + 10;
    for (const number of range(1, 1 + more)) publisher.push(frameOf(number));
    await clock.run(1);
    expect(bus.stored).toEqual([]);
    bus.before = () => undefined;
    release();
    await settled();
    expect(stored().map((frames) => frames.length)).toEqual([1, FRAMES_PER_MESSAGE, 10]);
    expect(stored().flat()).toEqual(range(0, 1 + more));
  });

  it('keeps a message of large frames below what a bus server takes', async () => {
    for (const number of range(0, 40)) publisher.push(frameOf(number, FRAME_BYTES));
    await clock.run(1);
    await settled();
    expect(stored().flat()).toEqual(range(0, 40));
    expect(Math.max(...bus.stored.map(({ data }) => data.length))).toBeLessThan(1024 * 1024);
  });

  it('ids differ between messages', async () => {
    const ids = new Set<string | undefined>();
    const { append } = bus;
    bus.append = (stream, subject, data, options) => {
      ids.add(options?.id);
      return append.call(bus, stream, subject, data, options);
    };
    for (const number of range(0, 3)) {
      publisher.push(frameOf(number));
      await clock.run(1);
    }
    expect(ids.size).toBe(3);
  });
});

describe('without a bus', () => {
  it('frame-publisher.J1 repeats a message until the bus has it, once', async () => {
    let lost = 3;
    const lose = () => {
      lost -= 1;
      if (lost > 0) throw new Outage('bus.unavailable', 'gone');
    };
    // First it is stored and its acknowledgement lost, then the next one is lost, and its repetition.
    bus.after = () => {
      bus.after = () => undefined;
      bus.before = lose;
      lose();
    };
    publisher.push(frameOf(1));
    publisher.push(frameOf(2));
    await clock.run(BUS_RETRY_MS * 5, BUS_RETRY_MS);
    publisher.push(frameOf(3));
    await clock.run(BUS_RETRY_MS * 5, BUS_RETRY_MS);
    expect(lost).toBeLessThan(1);
    expect(stored()).toEqual([[1, 2], [3]]);
  });

  it('frame-publisher.J1 a message whose acknowledgement was lost is stored once, also when its id is forgotten meanwhile', async () => {
    publisher.push(frameOf(1));
    await clock.run(1);
    bus.after = () => {
      bus.after = () => undefined;
      bus.connected = false;
      throw new Outage('bus.unavailable', 'gone');
    };
    publisher.push(frameOf(2));
    await clock.run(BUS_RETRY_MS * 3, BUS_RETRY_MS);
    bus.forgetIds();
    bus.connected = true;
    publisher.push(frameOf(3));
    await clock.run(BUS_RETRY_MS * 3, BUS_RETRY_MS);
    expect(stored()).toEqual([[1], [2], [3]]);
  });

  it('asks the absent bus again at the pace of its retries, no faster', async () => {
    let attempts = 0;
    bus.before = () => {
      attempts += 1;
      throw new Outage('bus.unavailable', 'gone');
    };
    publisher.push(frameOf(1));
    await clock.run(BUS_RETRY_MS * 4, BUS_RETRY_MS / 10);
    expect(attempts).toBeGreaterThan(2);
    expect(attempts).toBeLessThanOrEqual(5);
  });

  it('frame-publisher.J3 keeps the newest frames, drops and counts the oldest', async () => {
    bus.connected = false;
    const total = GATEWAY_QUEUE_FRAMES + 1_000;
    for (const number of range(0, total)) publisher.push(frameOf(number));
    expect(publisher.dropped).toBeGreaterThanOrEqual(1_000);
    bus.connected = true;
    await clock.run(BUS_RETRY_MS * 2, BUS_RETRY_MS);
    await settled();
    const numbers = stored().flat();
    expect(numbers).toEqual(range(publisher.dropped, total));
    expect(log.said[0]).toMatchObject({ message: 'received frames dropped' });
  });

  it('reports a source when to wait, and when there is room again', async () => {
    bus.connected = false;
    let room: Promise<void> | undefined;
    for (const number of range(0, GATEWAY_QUEUE_FRAMES)) room = publisher.push(frameOf(number));
    expect(room).toBeDefined();
    bus.connected = true;
    await clock.run(1);
    await room;
    expect(publisher.dropped).toBe(0);
  });

  it('stop sends what waits, and gives up what the bus does not take', async () => {
    publisher.push(frameOf(1));
    await publisher.stop();
    expect(stored()).toEqual([[1]]);
    const other = new FramePublisher({ bus, clock, log, gateway: 'sim-1', life: 'y' });
    bus.connected = false;
    for (const number of range(0, 300)) other.push(frameOf(number));
    await other.stop();
    expect(other.dropped).toBe(300);
  });
});

it('drops a frame that is longer than any', async () => {
  publisher.push(Buffer.alloc(FRAME_BYTES + 1));
  publisher.push(frameOf(1));
  await clock.run(1);
  expect(stored()).toEqual([[1]]);
  expect(publisher.dropped).toBe(1);
});

it('a message the bus refuses holds up nothing behind it', async () => {
  let refusals = 1;
  bus.before = () => {
    refusals -= 1;
    if (refusals === 0) throw new TypeError('too large');
  };
  publisher.push(frameOf(1));
  await clock.run(1);
  publisher.push(frameOf(2));
  await clock.run(1);
  expect(stored()).toEqual([[2]]);
  expect(publisher.dropped).toBe(1);
});
