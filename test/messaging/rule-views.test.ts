import { describe, expect, it } from 'vitest';
import { AGED_SEARCHES_WAITING } from '../../contract/limits/aged.ts';
import { RULE_PAIRS_SLICE, RULE_REFUSALS_SHOWN } from '../../contract/limits/schedule.ts';
import { Outage } from '../../contract/outage.ts';
import type { StoredPass } from '../../contract/pass.ts';
import type { StoredRefusal, StoredRule } from '../../contract/stored-schedule.ts';
import { RuleViews, type RuleViewsOptions } from '../../messaging/rule-views.ts';
import { RULE } from '../actors/schedule/world.ts';
import { AOS, at, MINUTE, storedPass } from '../mission/schedule/records.ts';
import { ManualClock } from '../support/manual-clock.ts';

interface World {
  readonly rules: number;
  readonly passes: readonly StoredPass[];
  readonly scheduled?: ReadonlySet<string>;
  readonly refused?: ReadonlySet<string>;
}

function viewsOf({ rules, passes, scheduled = new Set(), refused = new Set() }: World): RuleViews {
  const stored = Array.from({ length: rules }, (_, n): StoredRule => {
    return { ...RULE, id: rules === 1 ? 'each' : `each-${n}`, updated_at: at(0) };
  });
  const refusalOf = (rule: string, pass: string): StoredRefusal | undefined =>
    refused.has(pass) ? { rule, target: 'sat1', pass, reasons: ['too long'], at: at(0) } : undefined;
  return new RuleViews({
    clock: new ManualClock(AOS - MINUTE),
    passes: { inAnyOrder: () => passes },
    schedules: { get: (id: string) => (scheduled.has(id) ? {} : undefined) },
    rules: { rules: () => stored, refusalOf },
  } as unknown as RuleViewsOptions);
}

const manyPasses = (count: number): StoredPass[] =>
  Array.from({ length: count }, (_, n) =>
    storedPass({ id: `p${n}`, aos: at(n * MINUTE), los: at(n * MINUTE + MINUTE / 2) }),
  );

describe('the view of a rule', () => {
  it('MC-RULE-014 rule-views.V2 counts every refusal, and shows those of the earliest passes, whatever order they came in', async () => {
    const passes = manyPasses(RULE_REFUSALS_SHOWN + 50);
    const views = viewsOf({
      rules: 1,
      passes: passes.toReversed(),
      scheduled: new Set(['each-p0']),
      refused: new Set(passes.map(({ id }) => id)),
    });
    const [rule] = await views.list('sat1');
    const { matched, created, refused, refused_count } = rule!.passes;
    expect({ matched, created, refused_count }).toEqual({
      matched: passes.length,
      created: 1,
      refused_count: passes.length - 1,
    });
    expect(refused.map(({ pass }) => pass)).toEqual(
      passes.slice(1, RULE_REFUSALS_SHOWN + 1).map(({ id }) => id),
    );
  });

  it('rule-views.V1 MC-LIM-011 of many rules and passes lets others have their turn in between, and is made one at a time', async () => {
    const [rules, passes] = [40, manyPasses(RULE_PAIRS_SLICE / 4)];
    const views = viewsOf({ rules, passes });
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    expect(await views.list(undefined)).toHaveLength(rules);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(rules / 4 - 1);

    const order: number[] = [];
    const lists = Array.from({ length: 3 }, (_, n) => views.list(undefined).then(() => order.push(n)));
    const first = await Promise.race(lists.map(async (list, n) => list.then(() => n)));
    expect([first, order]).toEqual([0, [0]]);
    await Promise.all(lists);
    expect(order).toEqual([0, 1, 2]);
  });

  it('rule-views.V1 is refused where too many wait for it', async () => {
    const views = viewsOf({ rules: 1, passes: manyPasses(1) });
    const lists = Array.from({ length: AGED_SEARCHES_WAITING + 10 }, () => views.list(undefined));
    const ended = await Promise.allSettled(lists);
    const refused = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused).toHaveLength(9);
    expect(refused.every((reason) => reason instanceof Outage)).toBe(true);
  });
});
