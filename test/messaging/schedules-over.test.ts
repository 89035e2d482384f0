/** Schedules that have long been final, with whoever moves them dying at any operation. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { AGED_REST_MS } from '../../contract/limits/aged.ts';
import { SCHEDULE_LIVE_AFTER_END_MS } from '../../contract/limits/schedule.ts';
import { Outage } from '../../contract/outage.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import { isLongFinal, SchedulesOver } from '../../messaging/schedules-over.ts';
import { quiet } from '../support/nats.ts';
import { atOnce, Buckets } from './cell-of-buckets.ts';

const NOW = Date.UTC(2026, 5, 1);
const LONG = SCHEDULE_LIVE_AFTER_END_MS + 60_000;
const log = quiet;

/** One that became final so long ago. */
function final(id: string, agoMs = LONG, more: Partial<StoredSchedule> = {}): StoredSchedule {
  const at = new Date(NOW - agoMs).toISOString();
  return {
    id,
    pass: 'p1',
    start: 'aos',
    run: 'look',
    targets: { sat: 'sat1' },
    environment: 'bench',
    target: 'sat1',
    state: 'missed',
    reasons: ['it was late'],
    ir: '0',
    content: '0',
    config: '0',
    max_duration: '10 s',
    sends: false,
    needs_validation: false,
    fire_at: at,
    created_at: at,
    updated_at: at,
    changes: [],
    ...more,
  };
}

const bytes = (schedule: StoredSchedule): Uint8Array => Buffer.from(JSON.stringify(schedule));
const atHand = (cell: Buckets): StoredSchedule[] =>
  [...cell.of(buckets.schedules).values()].map(({ value }) => JSON.parse(Buffer.from(value).toString()));

/** One round of whoever moves: as many as wait. */
async function round(cell: Buckets, dies?: number): Promise<void> {
  const over = new SchedulesOver({ bus: cell.bus(atOnce, dies), log });
  const waiting = atHand(cell).filter((each) => isLongFinal(each, cell.now));
  try {
    for (const each of await over.keep(waiting, cell.now)) await over.leave(each);
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
  }
}

function filled(schedules: readonly StoredSchedule[]): Buckets {
  const cell = new Buckets();
  cell.now = NOW;
  for (const each of schedules) cell.put(buckets.schedules, each.id, bytes(each), 0);
  return cell;
}

const read = (cell: Buckets): SchedulesOver => new SchedulesOver({ bus: cell.bus(atOnce), log });
const listed = async (cell: Buckets): Promise<string[]> =>
  (await read(cell).list({}, 10_000, () => true)).map(({ id }) => id).sort();

describe('schedules that have long been final', () => {
  it('are those whose run would be over for a week, and whose last change is as old, and no open one', () => {
    expect(isLongFinal(final('s'), NOW)).toBe(true);
    expect(isLongFinal(final('s', LONG - 120_000), NOW)).toBe(false);
    expect(isLongFinal(final('s', LONG, { updated_at: new Date(NOW).toISOString() }), NOW)).toBe(false);
    expect(isLongFinal(final('s', LONG, { fire_at: new Date(NOW).toISOString() }), NOW)).toBe(false);
    expect(isLongFinal(final('s', LONG, { state: 'at_risk' }), NOW)).toBe(false);
    expect(isLongFinal(final('s', LONG, { state: 'fired', submitted: false }), NOW)).toBe(false);
    expect(isLongFinal(final('s', LONG, { state: 'fired', submitted: true }), NOW)).toBe(true);
  });

  it('schedules-over.O2 stand for a while before they leave those at hand, and are found by identifier', async () => {
    const cell = filled([final('a'), final('b', 40 * LONG)]);
    await round(cell);
    expect([await listed(cell), atHand(cell).length]).toEqual([['a', 'b'], 2]);
    cell.now += AGED_REST_MS - 1;
    await round(cell);
    expect(atHand(cell)).toHaveLength(2);
    cell.now += 1;
    await round(cell);
    expect([await listed(cell), atHand(cell)]).toEqual([['a', 'b'], []]);
    expect((await read(cell).find('b'))?.fire_at).toBe(final('b', 40 * LONG).fire_at);
    expect(await read(cell).find('c')).toBeUndefined();
  });

  it('one that is replaced meanwhile stays, and comes again as it is then', async () => {
    const cell = filled([final('a')]);
    await round(cell);
    cell.now += AGED_REST_MS;
    const revision = cell.of(buckets.schedules).get('a')!.revision;
    const open = final('a', 0, { state: 'scheduled', reasons: [] });
    cell.put(buckets.schedules, 'a', bytes(open), revision);
    await round(cell);
    expect(atHand(cell)).toEqual([open]);
    const again = final('a', LONG - 1_000, { state: 'cancelled', reasons: ['cancelled by ada'] });
    cell.put(buckets.schedules, 'a', bytes(again), cell.of(buckets.schedules).get('a')!.revision);
    cell.now += LONG;
    await round(cell);
    cell.now += AGED_REST_MS;
    await round(cell);
    expect(atHand(cell)).toEqual([]);
    expect((await read(cell).find('a'))?.state).toBe('cancelled');
  });

  it('one that cannot be read is left out, and nothing is written over it', async () => {
    const cell = filled([final('a')]);
    await round(cell);
    const [key] = [...cell.of(buckets.schedulesOver).keys()].filter((each) => each.includes('.g'));
    const entry = cell.of(buckets.schedulesOver).get(key!)!;
    cell.put(buckets.schedulesOver, key!, Buffer.from('no entry'), entry.revision);
    cell.now += AGED_REST_MS;
    await round(cell);
    expect([await listed(cell), atHand(cell).length]).toEqual([[], 1]);
  });

  it('are there once and whole, whoever dies at which operation and however often', async () => {
    const lives = fc.array(fc.integer({ min: 1, max: 14 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(lives, fc.integer({ min: 1, max: 6 }), async (deaths, count) => {
        const schedules = Array.from({ length: count }, (_, n) => final(`s${n}`, LONG + n * 11 * 3_600_000));
        const cell = filled(schedules);
        for (const dies of deaths) {
          await round(cell, dies);
          cell.now += AGED_REST_MS / 2;
          const there = new Set([...(await listed(cell)), ...atHand(cell).map(({ id }) => id)]);
          expect(there.size).toBe(count);
        }
        for (let last = 0; last < 2; last += 1) {
          await round(cell);
          cell.now += AGED_REST_MS;
        }
        await round(cell);
        expect(atHand(cell)).toEqual([]);
        expect(await listed(cell)).toEqual(schedules.map(({ id }) => id).sort());
      }),
      { numRuns: 60 },
    );
  });
});
