/** How many schedules and rules there may be (docs/schedules.md): one more is refused, and a replaced one is not one more. */

import { expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { SCHEDULE_RULES, SCHEDULES_OF_PASS, SCHEDULES_OPEN } from '../../contract/limits/schedule.ts';
import type { RuleRequest } from '../../contract/schedule-rule.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import { ruleRefusal } from '../../messaging/rule-writes.ts';
import type { ScheduleTools } from '../../messaging/schedule-changes.ts';
import { createSchedule } from '../../messaging/schedule-writes.ts';
import { mission } from '../mission/procedure/run-mission.ts';
import { AOS, MINUTE, storedPass, storedSchedule } from '../mission/schedule/records.ts';

const bus = {
  objects: () => ({ keep: async () => undefined }),
  bucket: ({ name }: { name: string }) => ({
    get: async () =>
      name === buckets.passes.name ? { value: Buffer.from(JSON.stringify(storedPass())) } : undefined,
    put: async () => ({ outcome: 'written', revision: 1 }),
  }),
} as never;
const request = { id: 'new', pass: 'p1', start: 'aos', run: 'set', targets: { sat: 'sat1' } };

interface There {
  readonly onPass?: readonly StoredSchedule[];
  readonly open?: number;
  /** Whether the one that is posted is among those that are open. */
  readonly again?: boolean;
}

/** What comes of posting one more. */
async function posted({ onPass = [], open = 0, again = false }: There): Promise<string> {
  const tools = {
    bus,
    clock: { now: () => AOS - 20 * MINUTE, monotonic: () => 0 },
    passes: { find: () => storedPass() },
    schedules: {
      get: () => undefined,
      onPass: () => onPass,
      open: { size: open, has: () => again },
    },
  } as unknown as ScheduleTools;
  const draft = { request, pass: storedPass(), environment: 'bench', offsetMs: 0 };
  const created = await createSchedule(draft, mission, tools, { by: 'ada' });
  return created.outcome === 'refused'
    ? created.faults.map(({ message }) => message).join('; ')
    : created.outcome;
}

/** Later than the one that is posted, so that they do not stand in its way. */
const others = (count: number, state: StoredSchedule['state'] = 'scheduled'): StoredSchedule[] =>
  Array.from({ length: count }, (_, n) =>
    storedSchedule({ id: `s${n}`, state, fire_at: new Date(AOS + 9 * MINUTE).toISOString() }),
  );

it('a pass has so many that may take place; those cancelled do not count', async () => {
  expect(await posted({ onPass: others(SCHEDULES_OF_PASS - 1) })).toBe('created');
  expect(await posted({ onPass: others(SCHEDULES_OF_PASS) })).toMatch(
    /^pass p1 of sat1 has 200 schedules already$/,
  );
  expect(await posted({ onPass: others(SCHEDULES_OF_PASS, 'cancelled') })).toBe('created');
});

it('a cell has so many that are open; one that is replaced is not one more', async () => {
  expect(await posted({ open: SCHEDULES_OPEN - 1 })).toBe('created');
  expect(await posted({ open: SCHEDULES_OPEN })).toMatch(/^there are 100000 open schedules already$/);
  expect(await posted({ open: SCHEDULES_OPEN, again: true })).toBe('created');
});

it('a cell has so many rules; one that is replaced is not one more', async () => {
  const rule: RuleRequest = { id: 'r', target: 'sat1', start: 'aos', run: 'set', targets: { sat: 'sat1' } };
  const refusal = async (size: number, known: boolean) => {
    const rules = { size, get: () => (known ? rule : undefined) } as never;
    return (await ruleRefusal(rule, mission, { bus, rules }))?.map(({ message }) => message);
  };
  expect(await refusal(SCHEDULE_RULES - 1, false)).toBeUndefined();
  expect(await refusal(SCHEDULE_RULES, false)).toEqual([`there are ${SCHEDULE_RULES} rules already`]);
  expect(await refusal(SCHEDULE_RULES, true)).toBeUndefined();
});
