/** What a connector holds before it stores it, beside what it has not taken. */

import { expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { readConnectorHeartbeat } from '../../contract/connector-wire.ts';
import { takenOf } from '../../messaging/connector-taken.ts';
import type { StreamLevel, StreamLevels } from '../../ports/stream-levels.ts';

const LEVEL = { firstSeq: 11, lastSeq: 100 } as StreamLevel;
/** Message `n` was stored at `n` seconds. */
const LEVELS = { next: async (_stream, _filter, seq) => ({ seq, at: seq * 1_000 }) } as StreamLevels;

const taken = (seq: number, upTo: number | undefined, more: { at?: number; level?: object } = {}) => {
  const { at = 100_000, level = {} } = more;
  const stores_at = '2026-01-02T03:04:05.678Z';
  const position = { seq, ...(upTo !== undefined && { taken: { seq: upTo, stores_at } }) };
  const pending = LEVEL.lastSeq - Math.max(seq, LEVEL.firstSeq - 1);
  const reader = { floor: seq, isWhole: true, acked: undefined, pending, unacked: 0, oldest: undefined };
  return takenOf(LEVELS, streams.values, { ...LEVEL, ...level }, position, { reader, at });
};

it('connector-taken.T1 is measured at the last heartbeat, and nothing of one that does not say it', async () => {
  const storesAt = '2026-01-02T03:04:05.678Z';
  expect(await taken(40, undefined)).toBeUndefined();
  expect(await taken(40, 90)).toEqual({ held: 50, behindS: 9, storesAt });
  // What came since the heartbeat it cannot have taken.
  expect(await taken(40, 90, { at: 90_500 })).toEqual({ held: 50, behindS: 0, storesAt });
  expect(await taken(40, 100)).toEqual({ held: 60, behindS: 0, storesAt });
  expect(await taken(100, 100)).toEqual({ held: 0, behindS: 0, storesAt: undefined });
});

it('is bounded by what the stream holds', async () => {
  expect(await taken(40, 500)).toMatchObject({ held: 60, behindS: 0 });
  expect(await taken(3, 5)).toMatchObject({ held: 0, behindS: 89 });
  expect(await taken(60, 20)).toMatchObject({ held: 0, behindS: 39 });
});

it('connector-wire.C1 is read with the position, and a heartbeat with another form of it is none', () => {
  const beat = (said: unknown) =>
    readConnectorHeartbeat(
      Buffer.from(
        JSON.stringify({
          instance: 'a',
          health: { state: 'ok' },
          positions: { at: { seq: 1, taken: said } },
        }),
      ),
    )?.positions;
  const stores_at = '2026-01-02T03:04:05.678Z';
  expect(beat({ seq: 7, stores_at, more: 1 })).toEqual({ at: { seq: 1, taken: { seq: 7, stores_at } } });
  expect(beat({ seq: 7 })).toEqual({ at: { seq: 1, taken: { seq: 7 } } });
  for (const wrong of [7, null, {}, { seq: -1 }, { seq: 7, stores_at: 'soon' }, { seq: 7, stores_at: 5 }])
    expect(beat(wrong)).toBeUndefined();
});
