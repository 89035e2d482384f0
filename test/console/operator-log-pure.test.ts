/** What the pages of events, fleet and histories work out without a browser. */

import { describe, expect, it } from 'vitest';
import type { LiveValue } from '../../console/operator/data/live-value.ts';
import {
  filterOf,
  isAsked,
  momentOf,
  questionOf,
  watchQuestionOf,
} from '../../console/operator/events/event-filter.ts';
import { ArrivalRates } from '../../console/operator/fleet/arrival-rates.ts';
import {
  needsForLaunch,
  needsIdentity,
  needsName,
  needsRole,
} from '../../console/operator/parts/permission.ts';
import { foundOf, measuresIn, msOf } from '../../console/operator/telecommands/conditions.ts';
import {
  queryNameOf,
  queryOfAsked,
  typedIn,
} from '../../console/operator/telecommands/telecommand-fields.ts';
import type { WhoAmI } from '../../contract/auth.ts';
import type { WatchedEvent } from '../../contract/event.ts';
import { newestFirst } from '../../contract/event-order.ts';

describe('a filter of events', () => {
  it('asks what the address says, without what cannot be meant', () => {
    const filter = filterOf({
      kinds: 'run,nothing,alarm',
      of: 'sat1',
      severity: 'loud',
      by: ' ada ',
      from: 'x',
    });
    expect(`${questionOf(filter)}`).toBe('kinds=run%2Calarm&targets=sat1&severity=info&by=ada');
    expect(`${watchQuestionOf(filter)}`).toBe('kinds=run%2Calarm&targets=sat1&severity=info');
    expect(filterOf({ subject: 'x' }).severity).toBe('detail');
  });

  it('takes of the watch what the service would list', () => {
    const event: WatchedEvent = {
      time: '2026-03-01T12:00:00.000Z',
      kind: 'run',
      severity: 'info',
      subject: 'R1',
      by: 'ada',
      text: 'Run R1 began.',
    };
    const passes = (query: Record<string, string>): boolean => isAsked(filterOf(query), event);
    expect(
      [{}, { by: 'ada' }, { text: 'BEGAN' }, { subject: 'R1' }, { from: '2026-03-01 12:00' }].map(passes),
    ).toEqual([true, true, true, true, true]);
    expect(
      [{ by: 'ad' }, { text: 'ended' }, { run: 'R1' }, { from: '2026-03-01 12:01' }].map(passes),
    ).toEqual([false, false, false, false]);
  });

  it('reads times in UTC', () => {
    expect(momentOf('2026-03-01')).toBe('2026-03-01T00:00:00.000Z');
    expect(momentOf(' 2026-03-01 12:30:05Z ')).toBe('2026-03-01T12:30:05.000Z');
    expect(momentOf('2026-03-01T12:30+02:00')).toBe('2026-03-01T10:30:00.000Z');
    expect(['', 'noon', '2026-13-01', '2026-03-01 25:00'].map(momentOf)).toEqual(['', '', '', '']);
  });
});

it('event-log.L4 has events in order of time, those of one time as they were recorded', () => {
  const at = (second: string, subject: string) => ({ time: `2026-03-01T12:00:${second}Z`, subject });
  const recorded = [at('10.000', 'late'), at('05.000', 'link'), at('09.500', 'b'), at('09.500', 'a')];
  expect(newestFirst(recorded).map(({ subject }) => subject)).toEqual(['late', 'b', 'a', 'link']);
});

describe('what a telecommand needs', () => {
  const has = (name: string): boolean => ['obc.mode', 'battery[1].voltage', 'power.payload'].includes(name);

  it('is found by whole names, within the component, and of its instance', () => {
    expect(measuresIn('obc.mode == SAFE and power.payload == true', 'camera', undefined, has)).toEqual([
      'obc.mode',
      'power.payload',
    ]);
    expect(measuresIn('mode == BOOT', 'obc', undefined, has)).toEqual(['obc.mode']);
    expect(measuresIn('voltage > 7 V', 'battery', '1', has)).toEqual(['battery[1].voltage']);
    expect(measuresIn('battery.voltage > 7 V', 'battery', '1', has)).toEqual(['battery[1].voltage']);
    expect(measuresIn('images changes', 'camera', undefined, has)).toEqual([]);
  });

  it('is too old behind its age, and never received where nothing came', () => {
    const sample = {
      value: 'SAFE',
      time: '2026-03-01T12:00:00.000Z',
      ground_time: '',
      link: 'uhf',
      delivery: 'realtime',
    };
    const live = {
      name: 'obc.mode',
      sample,
      groundAt: 0,
      spark: [],
      tail: undefined,
    } as unknown as LiveValue;
    const values = new Map([['obc.mode', live]]);
    const at = Date.parse(sample.time) + 61_000;
    expect(foundOf(['obc.mode', 'x.y'], values, msOf('60 s'), at)).toEqual([
      { name: 'obc.mode', live, isOld: true },
      { name: 'x.y', live: undefined, isOld: false },
    ]);
    expect(foundOf(['obc.mode'], values, msOf('2 min'), at)[0]!.isOld).toBe(false);
    expect(msOf('soon')).toBeUndefined();
  });
});

it('a form comes back from its address as it was typed', () => {
  const asked = { args: { period: '61 s', on: true, n: 3 }, instance: '1', link: 'uhf' };
  const query = queryOfAsked(asked);
  expect(query).toEqual({ 'arg.period': '61 s', 'arg.on': 'true', 'arg.n': '3', instance: '1', link: 'uhf' });
  expect(typedIn({ ...query, target: 'sat1' })).toEqual({
    period: '61 s',
    on: 'true',
    n: '3',
    ' instance': '1',
    ' link': 'uhf',
  });
  expect([queryNameOf('period'), queryNameOf(' environment')]).toEqual(['arg.period', 'environment']);
});

it('permission.P1 says what is missing, and nothing while nothing is known', () => {
  const anonymous: WhoAmI = { identity: 'anonymous', roles: [] };
  const ada: WhoAmI = { identity: 'declared', subject: 'ada', roles: ['operator'] };
  const signedIn: WhoAmI = { ...ada, identity: 'verified' };
  const strict = {
    environment: 'flight',
    in_orbit: true,
    identity: 'jwt' as const,
    human_orchestration: true,
    hazardous_confirmation: [],
  };
  expect([undefined, anonymous, ada].map(needsName)).toEqual(['', 'needs your name', '']);
  expect([undefined, anonymous, ada].map((who) => needsRole(who, 'supervisor'))).toEqual([
    '',
    'needs role supervisor',
    'needs role supervisor',
  ]);
  expect([needsRole(ada, 'operator'), needsRole(ada, undefined)]).toEqual(['', '']);
  expect([ada, signedIn].map((who) => needsIdentity(who, strict))).toEqual(['needs a sign-in', '']);
  expect(needsForLaunch(anonymous, { ...strict, human_orchestration: false })).toBe('');
  expect(needsForLaunch(anonymous, { ...strict, identity: 'declared' })).toBe('needs your name');
});

it('rates are counted over the last ten seconds, and begin again with another target', () => {
  const rates = new ArrivalRates();
  const linkCount = new Map([['uhf', 0]]);
  const arrivals = { linkCount };
  for (let second = 0; second <= 20; second += 1) {
    linkCount.set('uhf', second < 10 ? second * 5 : 50 + (second - 10) * 20);
    rates.look(arrivals, second * 1_000);
    if (second === 1) expect(rates.of('uhf')).toBeUndefined();
    if (second === 9) expect(rates.of('uhf')).toBe(5);
  }
  expect(rates.of('uhf')).toBe(20);
  rates.look({ linkCount: new Map() }, 21_000);
  expect(rates.of('uhf')).toBeUndefined();
});
