/** What `mcs demo` does with passes, over the API of the demo mission. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepPasses } from '../../cli/demo-passes.ts';
import type { PassList } from '../../contract/pass.ts';
import type { Schedule, ScheduleList } from '../../contract/schedule.ts';
import type { RuleList } from '../../contract/schedule-rule.ts';
import { call } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

let cell: DemoCell;
beforeAll(async () => {
  cell = await startDemoCell({ memberTtlMs: 20_000 });
}, 60_000);
afterAll(() => cell.stop());

/** One start of the demo, until it has fed; what it printed. */
async function started(api = cell.api): Promise<{ printed: string[]; warned: string[] }> {
  const ended = new AbortController();
  const printed: string[] = [];
  const warned: string[] = [];
  const over = keepPasses({
    api,
    mission: DEMO,
    signal: ended.signal,
    print: (line) => printed.push(line),
    warn: (line) => warned.push(line),
  });
  await until(() => printed.length + warned.length > 0, { what: 'the feed', timeoutMs: 30_000 });
  ended.abort();
  await over;
  return { printed, warned };
}

const read = async <Reply>(path: string): Promise<Reply> =>
  (await call<Reply>('GET', `${cell.api}${path}`)).body;
const passes = async () => (await read<PassList>('/v1/passes?all=true')).passes.map(({ pass }) => pass);
const rules = async () => (await read<RuleList>('/v1/schedule-rules')).rules;
const schedules = async () => (await read<ScheduleList>('/v1/schedules?all=true')).schedules;

describe('the passes of the demo', { timeout: 90_000 }, () => {
  it('are predicted for each target; one is made up, with a schedule and one of the rule within two minutes', async () => {
    const before = Date.now();
    const { printed, warned } = await started();
    expect(warned).toEqual([]);
    expect(printed).toEqual([
      expect.stringMatching(/^Passes are fed: \d+ predicted, .*: made-up-\d+T\d+ of sat1 begins in \S+\.$/),
    ]);
    const fed = await passes();
    const predicted = fed.filter(({ source }) => source === 'fds');
    expect(new Set(predicted.map(({ target }) => target))).toEqual(new Set(['sat1', 'sat2', 'noaa20']));
    expect(new Set(predicted.map(({ feeder }) => feeder))).toEqual(new Set(['flight-dynamics']));
    const [madeUp, ...more] = fed.filter(({ source }) => source === 'provider');
    expect(more).toEqual([]);
    expect(madeUp).toMatchObject({ station: 'made-up', target: 'sat1', feeder: 'station-network' });
    const ofIt = async (): Promise<Schedule[] | undefined> => {
      const found = (await schedules()).filter(({ pass }) => pass === madeUp!.id);
      return found.length === 2 ? found : undefined;
    };
    const planned = await until(ofIt, { what: 'the schedule of the rule', timeoutMs: 30_000 });
    expect(planned.map(({ id, state, run, by }) => [id, state, run, by])).toEqual([
      [`check-${madeUp!.id}`, 'scheduled', 'long_check', 'demo'],
      [`health-each-pass-${madeUp!.id}`, 'scheduled', 'health_check', 'rule health-each-pass'],
    ]);
    for (const { fire_at } of planned)
      expect(Date.parse(fire_at) - before).toBeLessThan(120_000 + Date.now() - before);
    await until(async () => (await rules())[0]!.passes.created > 1, { what: 'schedules of the rule' });
  });

  it('demo-passes.D1 are the same after a second start over the same store', async () => {
    const [rule] = await rules();
    const known = await passes();
    const { warned } = await started();
    expect(warned).toEqual([]);
    const again = await passes();
    expect(again.filter(({ source }) => source === 'provider')).toHaveLength(1);
    expect(again.filter(({ status }) => status === 'cancelled')).toEqual([]);
    expect(again.map(({ id }) => id)).toEqual(expect.arrayContaining(known.map(({ id }) => id)));
    expect((await rules()).map(({ id, updated_at }) => [id, updated_at])).toEqual([
      [rule!.id, rule!.updated_at],
    ]);
  });

  it('demo-passes.D2 are reported where they cannot be fed, and the demo stays', async () => {
    const { printed, warned } = await started('http://127.0.0.1:9');
    expect(printed).toEqual([]);
    expect(warned).toEqual([
      expect.stringMatching(/^the demo's passes: .* does not answer.*; trying again$/),
    ]);
  });
});
