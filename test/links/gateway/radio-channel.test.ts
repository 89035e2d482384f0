/** The radio channel of simulated gateways: what becomes of frames, each way. */

import { describe, expect, it } from 'vitest';
import { CHANNEL_FRAMES } from '../../../contract/limits/simulation.ts';
import { RadioChannel } from '../../../links/gateway/radio-channel.ts';
import { createSimulated } from '../../../links/gateway/simulated.ts';
import type { ChannelDocument, ChannelWay } from '../../../mission/document/simulated.ts';
import type { Gateway as Definition } from '../../../mission/mission.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { writePusTelecommand } from '../../../protocol/pus-telecommand.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const FRAMES = 2_000;

/** What arrives of frames that are sent one each millisecond: number and time. */
function arrivals(way: ChannelWay, { seed = 7, other = {} }: { seed?: number; other?: ChannelWay } = {}) {
  const clock = new ManualClock(0);
  const channel: ChannelDocument = { up: way, down: other };
  const up = new RadioChannel(clock, seed, { channel }, 'up');
  const down = new RadioChannel(clock, seed, { channel }, 'down');
  const arrived: [number: number, at: number][] = [];
  for (let number = 0; number < FRAMES; number += 1) {
    const frame = Buffer.alloc(4);
    frame.writeUInt32BE(number);
    up.pass(frame, (each) => arrived.push([each.readUInt32BE(), clock.now()]));
    if (number % 3 === 0) down.pass(frame, () => {});
    clock.advance(1);
  }
  clock.advance(60_000);
  expect(clock.waiting).toBe(0);
  return arrived;
}

const numbersOf = (arrived: [number, number][]): number[] => arrived.map(([number]) => number);

describe('a radio channel', () => {
  it('radio-channel.H2 without settings hands the frame itself over at once', () => {
    const clock = new ManualClock(0);
    const channel = new RadioChannel(clock, 7, {}, 'up');
    const frame = Buffer.from('ab');
    const arrived: Buffer[] = [];
    channel.pass(frame, (each) => arrived.push(each));
    expect(arrived[0]).toBe(frame);
    expect(clock.waiting).toBe(0);
  });

  it('loses the share it says, in order and in time', () => {
    const arrived = arrivals({ loss: 0.1, delay: '300 ms' });
    expect(1 - arrived.length / FRAMES).toBeCloseTo(0.1, 1);
    expect(numbersOf(arrived)).toEqual(numbersOf(arrived).toSorted((a, b) => a - b));
    expect(arrived.every(([number, at]) => at === number + 300)).toBe(true);
  });

  it('doubles the share it says', () => {
    const numbers = numbersOf(arrivals({ duplication: 0.2 }));
    expect(numbers.length / FRAMES - 1).toBeCloseTo(0.2, 1);
    expect(new Set(numbers).size).toBe(FRAMES);
  });

  it('radio-channel.H3 lets the share it says be overtaken, and loses none of it', () => {
    const numbers = numbersOf(arrivals({ reordering: 0.1, delay: '20 ms' }));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: FRAMES }, (_, n) => n));
    let highest = -1;
    const overtaken = numbers.filter((number) => {
      const isBehind = number < highest;
      highest = Math.max(highest, number);
      return isBehind;
    });
    expect(overtaken.length / FRAMES).toBeCloseTo(0.1, 1);
  });

  it('radio-channel.H1 is the same for the same seed whatever the other way does, and differs for another', () => {
    const way = { loss: 0.3, duplication: 0.1, reordering: 0.1, delay: '50 ms' };
    expect(arrivals(way, { other: { loss: 1 } })).toEqual(arrivals(way));
    expect(arrivals(way, { seed: 8 })).not.toEqual(arrivals(way));
  });

  it('radio-channel.H4 holds so many frames, and none when it was stopped', () => {
    const clock = new ManualClock(0);
    const channel = new RadioChannel(clock, 7, { channel: { up: { delay: '1 s' } } }, 'up');
    let arrived = 0;
    const send = (count: number): void => {
      for (let n = 0; n < count; n += 1) channel.pass(Buffer.of(1), () => (arrived += 1));
    };
    send(CHANNEL_FRAMES + 10);
    clock.advance(1_000);
    expect(arrived).toBe(CHANNEL_FRAMES);
    send(5);
    channel.stop();
    clock.advance(2_000);
    expect(arrived).toBe(CHANNEL_FRAMES);
  });
});

describe('a simulated gateway', () => {
  const ping = (): Buffer => {
    const header = { apid: 0x73, sequenceCount: 1, flags: 9, service: 17, subtype: 1, source: 0 };
    const packet = writePusTelecommand({ ...header, data: Buffer.alloc(0) });
    if (!packet.ok) throw new Error(packet.faults[0]);
    return packet.value;
  };

  /** Of sat1: what arrives on board of 20 frames, and what comes down in ten seconds. */
  async function flown(channel: ChannelDocument | undefined) {
    const clock = new ManualClock(Date.UTC(2026, 0, 1));
    const settings = { seed: 1, ...(channel !== undefined && { channel }) };
    const definition = { name: 'sim-1', kind: 'simulated', faults: [], echo: false, tags: [], settings };
    const made = createSimulated(definition as unknown as Definition, { clock, random: seededRandom(1) });
    if (!made.ok) throw new Error(made.faults.join('; '));
    const down: Buffer[] = [];
    made.value.start({ frame: (frame) => void down.push(frame), echo: () => {} });
    for (let sent = 0; sent < 20; sent += 1) expect(await made.value.send(ping())).toEqual({ sent: true });
    clock.advance(10_000);
    const { total } = made.value.stats!() as { total: number };
    await made.value.stop();
    expect(clock.waiting).toBe(0);
    return { total, down: down.length };
  }

  it('has a channel each way that settings make bad, and without settings a good one', async () => {
    const good = await flown(undefined);
    expect(good.total).toBe(20);
    expect(await flown({ up: { loss: 1 } })).toMatchObject({ total: 0 });
    const deaf = await flown({ down: { loss: 1 } });
    expect(deaf).toEqual({ total: 20, down: 0 });
    expect((await flown({ up: { duplication: 1 } })).total).toBe(40);
    expect((await flown({ down: { duplication: 1 } })).down).toBe(2 * good.down);
  });
});
