/** What is at risk, and what is lost: cases worked by hand. */

import { describe, expect, it } from 'vitest';
import { beforeOf, type LagInput, lagOf, lostNow, type ReaderLevel } from '../../messaging/connector-lag.ts';
import { Advances, keptS, rateOf } from '../../messaging/stream-rates.ts';
import type { StreamLevel } from '../../ports/stream-levels.ts';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');
const HOUR_MS = 3_600_000;

/** Ten messages of 100 bytes a second: a thousand seconds fit. */
function level(more: Partial<StreamLevel> = {}): StreamLevel {
  return {
    identity: 'a',
    firstSeq: 1,
    lastSeq: 5_000,
    messages: 5_000,
    bytes: 500_000,
    firstAt: NOW - 500_000,
    lastAt: NOW,
    maxBytes: 1_000_000,
    maxAgeMs: 24 * HOUR_MS,
    ...more,
  };
}

function reader(floor: number, more: Partial<ReaderLevel> = {}): ReaderLevel {
  const seq = floor + 1;
  const oldest = { seq, at: NOW - (5_000 - seq) * 100 };
  return { floor, isWhole: true, acked: floor, pending: 5_000 - floor, unacked: 0, oldest, ...more };
}

function input(more: Partial<LagInput> = {}): LagInput {
  return {
    stream: 'TM_VALUES',
    level: level(),
    rate: { messagesPerS: 10, bytesPerS: 1_000 },
    reader: reader(4_990),
    readsPerS: 10,
    alive: true,
    lost: undefined,
    now: NOW,
    ...more,
  };
}

describe('connector-lag.L1 L2 a reader', () => {
  it.each([
    ['that keeps up', input(), false],
    ['that is dead with much time left', input({ reader: reader(4_500), readsPerS: 0, alive: false }), false],
    // 5,000 messages fit beside, and 100 stand before its first: 510 of 1,000 s.
    ['that is dead, and more than half is left', input({ reader: reader(100), readsPerS: 0 }), false],
    [
      'that is dead in a full stream',
      input({ level: level({ maxBytes: 500_000 }), reader: reader(100), readsPerS: 0 }),
      true,
    ],
    [
      'that catches up in a full stream',
      input({ level: level({ maxBytes: 500_000 }), reader: reader(100), readsPerS: 50 }),
      false,
    ],
    [
      'that reads half as fast as it comes',
      input({ level: level({ maxBytes: 500_000 }), reader: reader(100), readsPerS: 5 }),
      true,
    ],
    // 4,000 before it: 400 s at that pace, 4,000 at a tenth of it.
    [
      'that is nearly as fast',
      input({ level: level({ maxBytes: 500_000 }), reader: reader(4_000), readsPerS: 9 }),
      false,
    ],
    [
      'whose oldest unread one is old',
      input({ level: level({ maxAgeMs: 600_000 }), reader: reader(1), readsPerS: 0 }),
      true,
    ],
    [
      'of a stream that stands still, by age alone',
      input({ rate: { messagesPerS: 0, bytesPerS: 0 }, reader: reader(1), readsPerS: 0 }),
      false,
    ],
    [
      'of a stream that ends before its position',
      input({ reader: reader(4_000, { floor: 6_000, oldest: undefined, pending: 0 }) }),
      true,
    ],
    [
      'that has read all',
      input({ reader: reader(5_000, { oldest: undefined, pending: 0 }), readsPerS: 0 }),
      false,
    ],
  ] as const)('%s', (_what, given, atRisk) => {
    const lag = lagOf(given);
    expect(lag.atRisk).toBe(atRisk);
    expect(lag.reason === undefined).toBe(!atRisk);
  });

  it('says when the loss begins, how many wait, and at what pace', () => {
    const full = level({ maxBytes: 500_000 });
    const lag = lagOf(input({ level: full, reader: reader(1_000), readsPerS: 0, alive: false }));
    expect(lag.reason).toBe(
      'in 100 s TM_VALUES begins to discard what is not read: 4000 messages wait, 10/s come, nobody reads them',
    );
    expect(lag).toMatchObject({ fill: 1, retentionS: 500, lagS: 399.9 });
  });
});

describe('connector-lag.L3 what is lost', () => {
  const lostOf = (
    at: StreamLevel,
    one: ReaderLevel,
    before?: ReturnType<typeof beforeOf>,
    lost?: LagInput['lost'],
  ) => lostNow({ level: at, reader: one, lost, now: NOW }, before)?.messages;

  it('of a whole stream is what lies between what is read and what stands', () => {
    expect(lostOf(level({ firstSeq: 901 }), reader(400))).toBe(500);
    expect(lostOf(level({ firstSeq: 401 }), reader(400))).toBeUndefined();
  });

  it('is counted once, and on from what is recorded', () => {
    const lost = { messages: 500, since: 'x', through: 900 };
    expect(lostOf(level({ firstSeq: 901 }), reader(400), undefined, lost)).toBeUndefined();
    expect(lostOf(level({ firstSeq: 1_001 }), reader(400), undefined, lost)).toBe(600);
  });

  it('is seen of a consumer that has read on meanwhile, by positions that it passed', () => {
    const before = beforeOf(level(), reader(400));
    expect(lostOf(level({ firstSeq: 901 }), reader(950, { acked: 450 }), before)).toBe(500);
    // Redeliveries make it less.
    expect(lostOf(level({ firstSeq: 901 }), reader(950, { acked: 480 }), before)).toBe(470);
    expect(lostOf(level(), reader(950), before)).toBeUndefined();
  });

  it('is nothing where a reader begins in the middle, or a stream was made again', () => {
    expect(lostOf(level({ firstSeq: 901 }), reader(0))).toBeUndefined();
    const fresh = beforeOf(level({ firstSeq: 901 }), reader(0));
    expect(lostOf(level({ firstSeq: 901 }), reader(905, { acked: 5 }), fresh)).toBeUndefined();
    expect(lostOf(level({ firstSeq: 1, lastSeq: 3 }), reader(400))).toBeUndefined();
  });

  it('of some subjects is the least that can have been', () => {
    const some = { isWhole: false, acked: 7 };
    const before = beforeOf(level(), reader(400, { ...some, pending: 50 }));
    expect(lostOf(level({ firstSeq: 901 }), reader(400, { ...some, pending: 20 }), before)).toBe(30);
    expect(lostOf(level({ firstSeq: 901 }), reader(950, { ...some, acked: 20, pending: 20 }), before)).toBe(
      17,
    );
    expect(lostOf(level(), reader(400, { ...some, pending: 60 }), before)).toBeUndefined();
  });
});

describe('rates', () => {
  it('stream-rates.R1 are those of the last minute, and before that the mean of what stands', () => {
    const advances = new Advances();
    advances.note('S', 100, 0);
    expect(advances.perS('S')).toBeUndefined();
    for (let s = 1; s <= 120; s += 1)
      advances.note('S', 100 + (s <= 60 ? 10 * s : 600 + 2 * (s - 60)), 1_000 * s);
    expect(advances.perS('S')).toBeCloseTo(2, 1);
    advances.note('S', 5, 130_000);
    expect(advances.perS('S')).toBeUndefined();
    expect(rateOf(level(), undefined)).toEqual({ messagesPerS: 10, bytesPerS: 1_000 });
    expect(keptS(level(), { messagesPerS: 10, bytesPerS: 1_000 })).toBe(1_000);
    expect(keptS(level(), { messagesPerS: 0, bytesPerS: 0 })).toBe(86_400);
  });
});
