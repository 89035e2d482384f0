/** The past over HTTP, with a real archive behind it: every status, every form, every bound. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HISTORY_MEASURES, HISTORY_PAGE, HISTORY_STREAMS } from '../../contract/limits/archive.ts';
import { historyRoutes } from '../../http/routes/history.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf } from './fixture.ts';
import { type HistoryWorld, HOUR, startHistoryWorld } from './history-world.ts';
import { PROVIDER, testMission } from './world.ts';

const coverage = new Coverage(historyRoutes);
const iso = (ms: number): string => new Date(ms).toISOString();
const S = 1_000;

/** More than a page, of another day. */
const MANY = HISTORY_PAGE + 500;
const DAY = HOUR - 24 * 3_600_000;
const pathOfMany = () => {
  const query = { measures: 'camera.images', from: iso(DAY), to: iso(DAY + MANY) };
  return { url: pathOf(query), samples: MANY };
};

let world: HistoryWorld;
beforeAll(async () => {
  world = await startHistoryWorld();
  // Two minutes of a voltage, once a second; the first minute is a segment, the second one is in memory.
  for (let n = 0; n < 120; n += 1) {
    const time = HOUR + n * S;
    await world.take([{ key: 'battery[1].voltage', value: 7 + n / 100, time, ground: time + 250 }]);
    if (n === 59) await world.archive.flush();
  }
  await world.take([{ key: 'obc.mode', value: 1, time: HOUR + 10 * S }]);
  await world.take([{ key: 'obc.counter', value: 7, time: HOUR + 20 * S, deferred: true }]);
  const ground = HOUR + 119 * S + 250;
  const many = Array.from({ length: MANY }, (_, n) => ({
    key: 'camera.images',
    value: n % 7,
    time: DAY + n,
    ground,
  }));
  await world.take(many);
  // Five positions are lost in the third minute; the fourth has a sample behind them.
  await world.take([{ key: 'battery[1].voltage', value: 9, time: HOUR + 200 * S }], 129);
});
afterAll(() => world.stop());

const pathOf = (query: Record<string, string | number>, target = 'sat1'): string => {
  const all = { from: iso(HOUR), to: iso(HOUR + 300 * S), ...query };
  return `${world.url}/v1/targets/${target}/values/history?${new URLSearchParams(all as Record<string, string>)}`;
};
const ask = (query: Record<string, string | number>, headers: Record<string, string> = {}): Promise<Answer> =>
  coverage.call(pathOf(query), { headers });
const said = (answer: Answer): [number, string[]] => [answer.status, codesOf(answer)];

describe('buckets', () => {
  it('has each minute of a segment and of memory without a seam, and says which was lost in part', async () => {
    const { status, body } = await ask({ measures: 'battery[1].voltage', points: 5 });
    expect([status, body.width_ms, body.from, body.to]).toEqual([
      200,
      60_000,
      iso(HOUR),
      iso(HOUR + 300 * S),
    ]);
    const [voltage] = body.measures;
    const view = { component: 'battery', instance: '1', measure: 'voltage', in_catalogue: true };
    expect(voltage).toMatchObject({ name: 'battery[1].voltage', ...view, type: 'f64', unit: 'V' });
    const [first, second, third, fourth, ...more] = voltage.buckets;
    expect(first).toEqual({
      time: iso(HOUR),
      n: 60,
      min: 7,
      max: 7.59,
      mean: expect.closeTo(7.295, 9),
      first_time: iso(HOUR),
      last_time: iso(HOUR + 59 * S),
      last: 7.59,
    });
    expect(second).toMatchObject({ n: 60, last: 8.19, lost: true });
    // Loss is not silence: the third minute had samples that nobody has, the fifth had none.
    const nothing = { n: 0, min: null, max: null, mean: null, first_time: null, last_time: null, last: null };
    expect(third).toEqual({ time: iso(HOUR + 120 * S), ...nothing, lost: true });
    expect(fourth).toMatchObject({ n: 1, last: 9, lost: true });
    expect(more).toEqual([]);
    expect(body.gaps).toEqual([{ from: expect.any(String), to: iso(HOUR + 200 * S), positions: [124, 128] }]);
    expect([body.damaged, body.thinned, body.archive]).toEqual([[], false, { id: 'a1', pending: 0 }]);
  });

  it('lists silence as nothing, and every instance of a component', async () => {
    const { body } = await ask({ measures: 'battery.voltage', points: 100, to: iso(HOUR + 100 * S) });
    expect(body.measures.map(({ name }: { name: string }) => name)).toEqual([
      'battery[1].voltage',
      'battery[2].voltage',
    ]);
    expect(body.measures.map(({ buckets }: { buckets: unknown[] }) => buckets.length)).toEqual([100, 0]);
  });

  it('comes as CSV with the same numbers', async () => {
    const csv = await ask({ measures: 'battery[1].voltage', points: 5 }, { accept: 'text/csv' });
    const lines = csv.body.trimEnd().split('\n');
    expect(lines[0]).toBe('target,measure,time,n,min,max,mean,first_time,last_time,last,lost');
    expect(lines[1]).toMatch(/^sat1,battery\[1\]\.voltage,2026-01-02T03:00:00\.000Z,60,7,7\.59,7\.29\d+,/);
    expect(lines[3]).toBe(`sat1,battery[1].voltage,${iso(HOUR + 120 * S)},0,,,,,,,true`);
    expect(lines).toHaveLength(5);
    expect(csv.headers.get('x-mcs-gaps')).toBe('1');
  });
});

describe('samples', () => {
  it('are paged by cursor, each once, across segment and memory', async () => {
    const values: number[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const query = { measures: 'battery[1].voltage', limit: 50, ...(cursor !== undefined && { cursor }) };
      const { body } = await ask(query);
      values.push(...body.samples.map(({ sample }: { sample: { value: number } }) => sample.value));
      cursor = body.next;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBe(3);
    expect(values).toEqual([...Array.from({ length: 120 }, (_, n) => 7 + n / 100), 9]);
  });

  it('are as current values are, with times, link and delivery', async () => {
    const { body } = await ask({ measures: 'obc.mode,obc.counter', delivery: 'all' });
    const came = { time: iso(HOUR + 10 * S), ground_time: iso(HOUR + 10 * S), link: 'uhf' };
    expect(body.samples).toEqual([
      { component: 'obc', measure: 'mode', sample: { value: 'SAFE', raw: 1, ...came, delivery: 'realtime' } },
      {
        component: 'obc',
        measure: 'counter',
        sample: {
          value: 7,
          time: iso(HOUR + 20 * S),
          ground_time: iso(HOUR + 20 * S),
          link: 'uhf',
          delivery: 'deferred',
        },
      },
    ]);
    const count = async (delivery: string): Promise<number> =>
      (await ask({ measures: 'obc.mode,obc.counter', delivery })).body.samples.length;
    expect([await count('realtime'), await count('deferred')]).toEqual([1, 1]);
    expect((await ask({ measures: 'obc.mode,obc.counter' })).body.samples).toHaveLength(1);
  });

  it('come as CSV and as lines of JSON: all of them, or a page with the place of the next in a header', async () => {
    const measures = 'battery[1].voltage';
    const csv = await ask({ measures }, { accept: 'text/csv' });
    const lines = csv.body.trimEnd().split('\n');
    expect(lines[0]).toBe('target,measure,time,ground_time,value,raw,link,delivery,superseded,position');
    expect(lines[1]).toBe(`sat1,battery[1].voltage,${iso(HOUR)},${iso(HOUR + 250)},7,,uhf,realtime,false,1`);
    expect(lines).toHaveLength(122);
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="sat1-history.csv"');
    const page = await ask({ measures, limit: 100 }, { accept: 'application/x-ndjson' });
    expect(page.body.trimEnd().split('\n')).toHaveLength(100);
    const cursor = page.headers.get('x-mcs-next')!;
    const rest = await ask({ measures, limit: 100, cursor }, { accept: 'application/x-ndjson' });
    expect(rest.body.trimEnd().split('\n')).toHaveLength(21);
    expect(rest.headers.get('x-mcs-next')).toBeNull();
    const [first] = rest.body.split('\n');
    expect(JSON.parse(first)).toMatchObject({ component: 'battery', instance: '1', sample: { value: 8 } });
  });

  it('are JSON for who takes anything, and by the preference that weighs most', async () => {
    const type = async (accept: string): Promise<string | null> =>
      (await ask({ measures: 'obc.mode' }, { accept })).headers.get('content-type');
    expect(await type('*/*')).toBe('application/json');
    expect(await type('image/png')).toBe('application/json');
    expect(await type('text/csv;q=0.5, application/json;q=0.4')).toContain('text/csv');
    expect(await type('application/vnd.apache.parquet')).toBe('application/vnd.apache.parquet');
    expect(await type('text/csv;q=0')).toBe('application/json');
  });
});

describe('measures', () => {
  it('of an earlier catalogue are asked for by their exact name', async () => {
    const before = testMission();
    world.missions.publish(testMission(PLATFORM_BEFORE));
    await world.take([{ key: 'thruster.pressure', value: 3, time: HOUR + 30 * S }], 140);
    world.missions.publish(before);
    const { body } = await ask({ measures: 'thruster.pressure' });
    expect(body.measures).toEqual([
      { name: 'thruster.pressure', component: 'thruster', measure: 'pressure', in_catalogue: false },
    ]);
    expect(body.samples).toHaveLength(1);
    const refused = await ask({ measures: 'pressure' });
    expect(said(refused)).toEqual([400, ['api::invalid-measure']]);
    expect(refused.body.errors[0].help).toMatch(/component\[instance\]\.measure/);
    // What no catalogue had is no fault, and says that today's has it not.
    const never = await ask({ measures: 'thruster[9].pressure', points: 10 });
    const [{ in_catalogue, buckets }] = never.body.measures;
    expect([in_catalogue, buckets.every(({ n }: { n: number }) => n === 0)]).toEqual([false, true]);
  });

  it('are at most so many, and selectors too', async () => {
    const many = Array.from({ length: HISTORY_MEASURES + 1 }, (_, n) => `a.m${n}`).join();
    const refused = await ask({ measures: many });
    expect(said(refused)).toEqual([400, ['api::invalid-measure']]);
    expect(refused.body.errors[0].message).toContain('at most 100 at once');
    expect((await ask({})).body.measures).toHaveLength(6);
  });
});

describe('refusals', () => {
  it('name what is wrong, where, and how to ask instead', async () => {
    const wrong = async (query: Record<string, string | number>): Promise<string> => {
      const answer = await ask({ measures: 'obc.mode', ...query });
      expect(said(answer)).toEqual([400, ['api::invalid-body']]);
      return answer.body.errors[0].message;
    };
    expect(await wrong({ from: iso(HOUR), to: iso(HOUR) })).toMatch(/from: .* is not before to/);
    expect(await wrong({ from: 'yesterday' })).toContain('not a time such as');
    expect(await wrong({ points: 0 })).toContain('points');
    expect(await wrong({ points: 4_001 })).toContain('4000');
    expect(await wrong({ limit: HISTORY_PAGE + 1 })).toContain('limit');
    expect(await wrong({ points: 10, limit: 10 })).toContain('cursor or limit');
    expect(await wrong({ cursor: 'x' })).toContain('cursor');
    expect(await wrong({ cursor: '1_1_9999999' })).toContain('cursor');
    expect(await wrong({ delivery: 'never' })).toContain('delivery');
    const points = Array.from({ length: 11 }, (_, n) => `a.m${n}`).join();
    expect(await wrong({ measures: points, points: 4_000 })).toContain('too many');
  });

  it('answers 503 where no archive does, with what to do', async () => {
    for (const code of ['none', 'unanswered', 'busy', 'failed'] as const) {
      world.refuseWith({ code: `archive::${code}`, message: 'why' });
      for (const query of [{ points: 5 }, {}]) {
        const answer = await ask({ measures: 'obc.mode', ...query });
        expect(said(answer)).toEqual([503, [`archive::${code}`]]);
        expect(answer.body.errors[0].help).toMatch(/\w/);
      }
    }
    world.refuseWith({ code: 'archive::invalid', message: 'why' });
    expect(said(await ask({ measures: 'obc.mode' }))).toEqual([400, ['archive::invalid']]);
    world.refuseWith(undefined);
  });

  it('MC-GEN-017 answers 503 while the bus is away, and without a configuration', async () => {
    world.connect(false);
    expect(said(await ask({ measures: 'obc.mode' }))).toEqual([503, ['api::unavailable']]);
    world.connect(true);
    const mission = world.missions.current!;
    world.missions.publish(undefined);
    expect(said(await ask({ measures: 'obc.mode' }))).toEqual([503, ['api::no-configuration']]);
    world.missions.publish(mission);
  });

  it('knows targets, catalogues and callers', async () => {
    const of = (target: string) => coverage.call(pathOf({}, target));
    expect(said(await of('nobody'))).toEqual([404, ['api::unknown-target']]);
    expect(said(await of('no.body'))).toEqual([404, ['api::invalid-target']]);
    expect(said(await of('ghost'))).toEqual([503, ['api::no-catalogue']]);
    const bearer = { authorization: 'Bearer x' };
    expect(said(await ask({}, bearer))).toEqual([401, ['auth::no-provider']]);
    const mission = world.missions.current!;
    const auth = { ...PROVIDER, required: true };
    world.missions.publish({ ...mission, settings: { ...mission.settings, auth } });
    expect(said(await ask({}))).toEqual([401, ['auth::token-required']]);
    expect(said(await ask({}, bearer))).toEqual([401, ['auth::invalid-token']]);
    world.missions.publish(mission);
  });
});

describe('all rows of a time', () => {
  const measures = 'obc.counter';
  const get = (limit?: string) =>
    fetch(pathOf({ measures, ...(limit !== undefined && { limit }) }), { headers: { accept: 'text/csv' } });

  it('sample-reply.S3 are cut off, and seen to be, where a segment turns out to be damaged or the archive goes', async () => {
    const many = pathOfMany();
    world.beforePage(undefined);
    world.damagedFrom(2);
    const damaged = await fetch(many.url, { headers: { accept: 'text/csv' } });
    expect([damaged.status, damaged.headers.get('x-mcs-damaged')]).toEqual([200, '0']);
    await expect(damaged.text()).rejects.toThrow();
    world.damagedFrom(Number.POSITIVE_INFINITY);
    world.beforePage(async (page) => {
      if (page === 2) world.refuseWith({ code: 'archive::none', message: 'gone' });
    });
    const left = await fetch(many.url, { headers: { accept: 'text/csv' } });
    await expect(left.text()).rejects.toThrow();
    world.refuseWith(undefined);
    world.beforePage(undefined);
    expect(
      (await (await fetch(many.url, { headers: { accept: 'text/csv' } })).text()).split('\n'),
    ).toHaveLength(many.samples + 2);
    expect(world.log.lines.filter(({ message }) => message.includes('cut off'))).toHaveLength(2);
  });

  it('of a segment that is damaged say so in the headers of each page', async () => {
    world.beforePage(undefined);
    world.damagedFrom(1);
    expect((await get('5')).headers.get('x-mcs-damaged')).toBe('1');
    world.damagedFrom(Number.POSITIVE_INFINITY);
  });

  it('are sent to so many at once, and a further one is refused', async () => {
    let waiting = 0;
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { url } = pathOfMany();
    world.beforePage(async (page) => {
      if (page <= HISTORY_STREAMS) return;
      waiting += 1;
      await gate;
    });
    const answers = await Promise.all(
      Array.from({ length: HISTORY_STREAMS }, () => fetch(url, { headers: { accept: 'text/csv' } })),
    );
    const texts = answers.map((answer) => answer.text());
    await until(() => waiting === HISTORY_STREAMS);
    expect(said(await ask({ measures }))).toEqual([503, ['archive::busy']]);
    go();
    await Promise.all(texts);
    world.beforePage(undefined);
    expect((await ask({ measures })).status).toBe(200);
  });
});

describe('an answer that nobody reads any more', () => {
  it('is given up: the question that is under way is aborted, and no further page is asked for', async () => {
    const gone = new AbortController();
    let aborted = false;
    let asked = 0;
    world.beforePage(async (page, signal) => {
      asked = page;
      signal?.addEventListener('abort', () => {
        aborted = true;
      });
      if (page === 1) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    });
    const answer = fetch(pathOf({ measures: 'obc.mode' }), { signal: gone.signal }).catch(() => 'gone');
    await until(() => asked === 1);
    gone.abort();
    expect(await answer).toBe('gone');
    await until(() => aborted);
    world.beforePage(undefined);
    // Whoever asks next is answered.
    expect((await ask({ measures: 'obc.mode' })).status).toBe(200);
  });
});

it('every status and code of the past was seen', () => {
  expect(coverage.missing()).toEqual([]);
});

const PLATFORM_BEFORE = `
platform: box
version: 1.0.0
components:
  thruster:
    measures:
      pressure: { type: f64, unit: bar }
  camera: { measures: { images: { type: u16 } } }
`;
