/**
 * The process that moves passes and schedules that are long over is killed with -9 in the middle of it, again and again
 * (decision 36): what it moves is in the lists once at any moment, and in the end in one place. It kills itself behind
 * a write: whoever counts them from outside may be too late.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { listOfPasses } from '../../http/pass-lists.ts';
import { listOfSchedules } from '../../http/schedule-lists.ts';
import { DAY_MS } from '../../messaging/aged-records.ts';
import { openBooks } from '../../messaging/books.ts';
import { PassesOver } from '../../messaging/passes-over.ts';
import { SchedulesOver } from '../../messaging/schedules-over.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { realClock } from '../http/fixture.ts';
import { storedSchedule } from '../mission/schedule/records.ts';
import { drawnSeed } from '../support/drawn-seed.ts';
import { quiet, startNats, type TestNats } from '../support/nats.ts';
import { storedPass } from '../support/passes.ts';
import { compiledPrograms } from '../support/program.ts';
import { until } from '../support/until.ts';

const DEATHS = 3;
const EACH = 300;
const TARGETS = 5;
const AOS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 20 * DAY_MS;

let nats: TestNats;
let bus: NatsBus;
let program: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  program = join(await compiledPrograms('test/flow/mover.fixture.ts'), 'mover.fixture.mjs');
}, 60_000);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await nats.stop();
});

/** It dies behind so many writes; without a number it lives. */
function mover(writes?: number): ChildProcess {
  const args = [program, nats.url, nats.credentialsFile, ...(writes === undefined ? [] : [String(writes)])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  children.add(child);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
  children.delete(child);
}

async function fill(): Promise<string[]> {
  const at = new Date(AOS).toISOString();
  const cancelled = { state: 'cancelled', fire_at: at, created_at: at, updated_at: at } as const;
  const put = (definition: BucketDefinition, key: string, value: object) =>
    bus.bucket(definition).put(key, Buffer.from(JSON.stringify(value)), 0);
  const ids = Array.from({ length: EACH }, (_, n) => `moved-${n}`);
  await Promise.all(
    ids.flatMap((id, n) => {
      const target = `sat${n % TARGETS}`;
      const pass = storedPass(AOS + n * 1_000, AOS + n * 1_000 + 600_000, { id, target });
      return [
        put(buckets.passes, `${target}.${id}`, pass),
        put(buckets.schedules, id, storedSchedule({ id, ...cancelled })),
      ];
    }),
  );
  return ids.sort();
}

it('MC-PASS-058 MC-SCH-014 whenever who moves passes and schedules is killed each is in the lists once, and in the end it is moved, once', async () => {
  const all = await fill();
  const books = openBooks({ bus, clock: realClock, log: quiet });
  await Promise.all([books.passes.ready, books.schedules.ready]);
  const over = {
    passesOver: new PassesOver({ bus, log: quiet }),
    schedulesOver: new SchedulesOver({ bus, log: quiet }),
  };
  const ports = { passes: books.passes, schedules: books.schedules, clock: realClock, ...over };
  const time = { all: true, from: AOS, to: AOS + DAY_MS };
  const listed = async (): Promise<string[][]> => [
    (await listOfPasses(time, ports)).passes.map(({ pass }) => pass.id).sort(),
    (await listOfSchedules(time, ports)).schedules.map(({ id }) => id).sort(),
  ];
  const left = async (): Promise<number> =>
    (await bus.bucket(buckets.passes).list('>')).length +
    (await bus.bucket(buckets.schedules).list('>')).length;
  const seed = drawnSeed();
  const random = seededRandom(seed);
  const lefts: number[] = [];
  for (let death = 0; death < DEATHS; death += 1) {
    const child = mover(1 + Math.floor(random.next() * 80));
    expect(await once(child, 'exit'), `seed ${seed}`).toEqual([null, 'SIGKILL']);
    children.delete(child);
    expect(await listed(), `seed ${seed}`).toEqual([all, all]);
    lefts.push(await left());
  }
  // It was killed in the middle of it.
  expect(lefts.at(-1)).toBeGreaterThan(0);
  const last = mover();
  await until(async () => (await left()) === 0, { timeoutMs: 90_000, what: `all being moved, seed ${seed}` });
  await end(last);
  expect(await listed(), `seed ${seed}`).toEqual([all, all]);
  await books.stop();
}, 180_000);
