/**
 * What a year of passes costs those who do not ask for it, and those who do (decision 36): the start of a process, a
 * page in the middle, one pass, the move of many. Short in CI, where questions are counted and no time is judged;
 * `PASSES_OVER=500000 PASSES_MOVED=10000` prints how long each takes.
 */

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiledFleet, targetNames } from '../../benchmark/fleet.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { AGED_REST_MS, AGEING_MS } from '../../contract/limits/aged.ts';
import { PASS_LIST_MOST } from '../../contract/limits/pass.ts';
import type { PassOver, StoredPass } from '../../contract/pass.ts';
import { listOfPasses } from '../../http/pass-lists.ts';
import { DAY_MS, dayOf } from '../../messaging/aged-records.ts';
import { PassBook } from '../../messaging/pass-book.ts';
import { leaveUse, PassWriter } from '../../messaging/pass-writes.ts';
import { PassesOver } from '../../messaging/passes-over.ts';
import { upsert } from '../../mission/pass/merge.ts';
import { TargetPasses } from '../../mission/pass/target-passes.ts';
import type { Bus } from '../../ports/bus.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { call, realClock } from '../http/fixture.ts';
import { endAllMcs, startMcs } from '../support/mcs.ts';
import { quiet, startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const IS_LONG = process.env['PASSES_OVER'] !== undefined;
const OVER = Number(process.env['PASSES_OVER'] ?? 4_000);
const MOVED = Number(process.env['PASSES_MOVED'] ?? 400);
/** As many as there are in a year with twenty of each target on each day. */
const DAYS = Math.min(365, OVER / 100);
const TARGETS = Math.max(5, Math.ceil(OVER / DAYS / 20));
const A_DAY = Math.ceil(OVER / DAYS / TARGETS);
const WINDOW = 500;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const FIRST = TODAY - (DAYS + 2) * DAY_MS;

let nats: TestNats;
let bus: NatsBus;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  await publishConfiguration(bus, await compiledFleet(TARGETS));
}, 60_000);
afterAll(async () => {
  await endAllMcs();
  await nats.stop();
});

function stored(target: string, id: string, aos: number): StoredPass {
  const at = (ms: number): string => new Date(ms).toISOString();
  const window = { aos: at(aos), los: at(aos + 600_000) };
  const said = { max_elevation: '40 deg', source: 'fds', status: 'predicted', station: 'kiruna' } as const;
  return upsert(new TargetPasses(), { id, target, ...said, ...window }, { feeder: 'fds', at: at(aos) });
}

async function inBatches<Item>(items: Iterable<Item>, put: (item: Item) => Promise<unknown>): Promise<void> {
  const waiting: Promise<unknown>[] = [];
  for (const item of items) {
    waiting.push(put(item));
    if (waiting.length >= WINDOW) await Promise.all(waiting.splice(0));
  }
  await Promise.all(waiting);
}

/** A year of passes, as they are stored. */
async function fill(): Promise<void> {
  const bucket = bus.bucket(buckets.passesOver);
  const put = (key: string, value: unknown): Promise<unknown> =>
    bucket.put(key, gzipSync(JSON.stringify(value), { level: 1 }), 0);
  const days = Array.from({ length: DAYS }, (_, n) => FIRST + n * DAY_MS);
  const known = days.map((day) => [dayOf(day), { until: day + DAY_MS, kept: Date.now() }]);
  await put('days', Object.fromEntries(known));
  await inBatches(days, (day) => put(dayOf(day), targetNames(TARGETS)));
  const groups = days.flatMap((day) => targetNames(TARGETS).map((target) => ({ day, target })));
  await inBatches(groups, ({ day, target }) => {
    const passes = Array.from({ length: A_DAY }, (_, n): PassOver => {
      const aos = day + (n * DAY_MS) / (A_DAY + 1);
      return { pass: stored(target, `${target}-kiruna-${dayOf(aos)}T${n}`, aos) };
    });
    return put(`${dayOf(day)}.${target}`, passes);
  });
}

/** A bus that counts what is asked of it, by what and of which bucket. */
function counted(): { bus: Bus; asked: Map<string, number> } {
  const asked = new Map<string, number>();
  const bucket = (definition: BucketDefinition) =>
    new Proxy(bus.bucket(definition), {
      get: (real, what, receiver) => {
        const name = `${String(what)} ${definition.name}`;
        asked.set(name, (asked.get(name) ?? 0) + 1);
        return Reflect.get(real, what, receiver);
      },
    });
  return {
    bus: new Proxy(bus, { get: (real, what) => (what === 'bucket' ? bucket : Reflect.get(real, what)) }),
    asked,
  };
}

const ofOver = (asked: ReadonlyMap<string, number>): [string, number][] =>
  [...asked].filter(([what]) => what.endsWith(buckets.passesOver.name));

async function timed<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
  const begun = performance.now();
  const value = await work();
  report(what, performance.now() - begun);
  return value;
}
const report = (what: string, ms: number): void => {
  if (IS_LONG) process.stdout.write(`${what}: ${ms.toFixed(1)} ms\n`);
};

async function serving(nats: TestNats, what: string) {
  const args = ['serve', '--nats', nats.url, '--credentials', nats.credentialsFile];
  return timed(what, () => startMcs({ args }));
}

/** In turn, as the machine is never as quiet as it was. */
async function startsInTurn(): Promise<void> {
  const other = await startNats();
  await publishConfiguration(await other.connected(), await compiledFleet(TARGETS));
  for (let n = 0; n < 5; n += 1) {
    await (await serving(other, 'start of a process, no passes')).kill('SIGTERM');
    await (await serving(nats, 'start of a process beside them')).kill('SIGTERM');
  }
  await other.stop();
}

it('a process starts beside a year of passes as beside none, and lists them page by page', async () => {
  await timed(`${DAYS * TARGETS * A_DAY} passes of ${TARGETS} targets and ${DAYS} days written`, fill);
  if (IS_LONG) await startsInTurn();
  const bytes = Buffer.from(JSON.stringify(LEFT_BEHIND));
  await bus.bucket(buckets.passes).put('sat2.left-behind', bytes, 0);
  const mcs = await serving(nats, 'start of a process beside them');
  await until(async () => (await call(`${mcs.api}/v1/passes`)).status === 200);
  const seen: string[] = [];
  for (let after: string | undefined, page = 0; page < 3; page += 1) {
    const query = after === undefined ? `from=${new Date(middle()).toISOString()}` : `after=${after}`;
    const { body } = await timed(`page ${page + 1} in the middle`, () =>
      call(`${mcs.api}/v1/passes?all=true&${query}`),
    );
    seen.push(
      ...body.passes.map(({ pass }: { pass: StoredPass }) => `${pass.aos} ${pass.target}.${pass.id}`),
    );
    after = body.next;
    if (after === undefined) break;
  }
  // Those of a year, and the one in use.
  expect(seen.length).toBe(Math.min(3 * PASS_LIST_MOST, expectedBehind(middle()) + 1));
  expect(seen).toEqual([...new Set(seen)].sort());
  const oldest = `sat1-kiruna-${dayOf(FIRST)}T0`;
  const found = await timed('the oldest pass by its identifier', () =>
    call(`${mcs.api}/v1/passes/sat1/${oldest}`),
  );
  expect(found.body.pass.id).toBe(oldest);
  const unknown = await timed('a pass that is not there', () => call(`${mcs.api}/v1/passes/sat1/p9`));
  expect(unknown.status).toBe(404);
  await isMoved(mcs.api);
  await mcs.kill('SIGTERM');
}, 600_000);

const LEFT_BEHIND = stored('sat2', 'left-behind', TODAY - 2 * DAY_MS);

/** Its reconciler moves what is long over; it does not leave those in use before it has stood for a while. */
async function isMoved(api: string): Promise<void> {
  // By a look at what is over itself, as lists show the one in use.
  const over = new PassesOver({ bus, log: quiet });
  await until(async () => (await over.find('sat2', 'left-behind')) !== undefined, {
    timeoutMs: AGEING_MS + 90_000,
    what: 'the pass among those that are over',
  });
  const { body } = await call(`${api}/v1/passes?all=true&target=sat2&from=${LEFT_BEHIND.aos}`);
  expect(body.passes.map((view: { pass: StoredPass }) => view.pass.id)).toEqual(['left-behind']);
}

/** The begin of a day in the middle. */
const middle = (): number => FIRST + Math.floor(DAYS / 2) * DAY_MS;
const expectedBehind = (from: number): number => ((FIRST + DAYS * DAY_MS - from) / DAY_MS) * TARGETS * A_DAY;

it('passes-over.O3 who does not ask for what is over reads none of it, and a page reads its days', async () => {
  const own = counted();
  const passes = new PassBook({ bus: own.bus, clock: realClock, log: quiet });
  const passesOver = new PassesOver({ bus: own.bus, log: quiet });
  await until(() => passes.live);
  const ports = { passes, passesOver, clock: realClock };
  await listOfPasses({}, ports);
  expect(ofOver(own.asked)).toEqual([]);
  const from = middle();
  const { passes: listed } = await listOfPasses(
    { all: true, from, to: from + 2 * DAY_MS, target: 'sat1' },
    ports,
  );
  expect(listed).toHaveLength(2 * A_DAY);
  // The days; of three of them, as any of the day before may go on, the targets; and one entry of each.
  expect(ofOver(own.asked)).toEqual([[`get ${buckets.passesOver.name}`, 1 + 2 + 2]]);
  await passes.stop();
});

it('many passes are moved, each once', async () => {
  const bucket = bus.bucket(buckets.passes);
  const live = Array.from({ length: MOVED }, (_, n) => {
    const target = targetNames(TARGETS)[n % TARGETS]!;
    return stored(target, `moved-${n}`, TODAY - 3 * DAY_MS + n * 1_000);
  });
  await inBatches(live, (pass) =>
    bucket.put(`${pass.target}.${pass.id}`, Buffer.from(JSON.stringify(pass)), 0),
  );
  const byTarget = new Map<string, StoredPass[]>();
  for (const pass of live) byTarget.set(pass.target, [...(byTarget.get(pass.target) ?? []), pass]);
  const own = counted();
  const tools = { bus: own.bus, log: quiet };
  const [over, writer] = [new PassesOver(tools), new PassWriter(tools)];
  await timed(`${MOVED} passes of ${byTarget.size} targets written where they go`, async () => {
    for (const [target, passes] of byTarget)
      expect(
        await over.keep(
          target,
          passes.map((pass) => ({ pass })),
          Date.now(),
        ),
      ).toEqual([]);
  });
  await timed('the same leave those in use', async () => {
    for (const [target, passes] of byTarget) {
      const rested = await over.keep(
        target,
        passes.map((pass) => ({ pass })),
        Date.now() + 2 * AGED_REST_MS,
      );
      expect(await leaveUse(writer, target, rested)).toHaveLength(passes.length);
    }
  });
  expect(own.asked.get(`list ${buckets.passesOver.name}`)).toBeUndefined();
  expect((await bucket.list('>')).filter(({ key }) => key.includes('moved-'))).toEqual([]);
  const time = { from: TODAY - 3 * DAY_MS };
  const found = await over.list(time, Number.POSITIVE_INFINITY, ({ id }) => id.startsWith('moved-'));
  expect(found.map(({ pass }) => pass.id).sort()).toEqual(live.map(({ id }) => id).sort());
}, 600_000);
