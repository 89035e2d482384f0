/**
 * Races and deaths of writers of passes, on a bucket whose every answer comes when chance says so. What the real bus
 * does is in `test/http/pass-routes.test.ts`.
 */

import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { PASS_WRITES_AT_ONCE, PASSES_OF_TARGET } from '../../contract/limits/pass.ts';
import type { Pass, PassSnapshot, StoredPass } from '../../contract/pass.ts';
import { PassBook } from '../../messaging/pass-book.ts';
import { leaveUse, PassWriter } from '../../messaging/pass-writes.ts';
import { PassesOver, reachOf } from '../../messaging/passes-over.ts';
import { replaceWindow, upsert } from '../../mission/pass/merge.ts';
import { byAos, windowOf } from '../../mission/pass/pass.ts';
import { TargetPasses } from '../../mission/pass/target-passes.ts';
import type { Clock } from '../../ports/clock.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { memoryLog } from '../http/fixture.ts';
import { settled } from '../support/manual-clock.ts';
import { atOnce, Buckets } from './cell-of-buckets.ts';

/** A process that writes: dead, or away, behind its operation number `dies`. */
function writer(cell: Buckets, turn: () => Promise<void>, dies?: number): PassWriter {
  return new PassWriter({ bus: cell.bus(turn, dies), log: memoryLog() });
}

/** One that holds the passes, as every process of the service does. */
async function knowing(
  cell: Buckets,
  turn: () => Promise<void>,
  dies?: number,
): Promise<{ writer: PassWriter; passes: PassBook }> {
  const [log, bus] = [memoryLog(), cell.bus(turn)];
  // How long it waits for what it does not hold yet is a matter of chance as well.
  const clock = {
    setTimeout: (then: () => void) => void turn().then(then),
    clearTimeout: () => undefined,
  } as unknown as Clock;
  const passes = new PassBook({ bus, clock, log });
  await passes.ready;
  return { passes, writer: new PassWriter({ bus: cell.bus(turn, dies), log, passes }) };
}

type MakeWriter = (cell: Buckets, turn: () => Promise<void>, dies?: number) => Promise<PassWriter>;

const WRITERS: [string, MakeWriter][] = [
  ['asks the bus', async (...content) => writer(...content)],
  ['holds them', async (...content) => (await knowing(...content)).writer],
];

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 2) + minute * 60_000).toISOString();
const AUTHOR = { feeder: 'feeder', at: at(0) };

function pass(id: string, from: number, source: 'fds' | 'provider'): Pass {
  const status = source === 'fds' ? 'predicted' : 'booked';
  return {
    id,
    target: 'sat1',
    station: 'kiruna',
    aos: at(from),
    los: at(from + 10),
    max_elevation: '40 deg',
    source,
    status,
  };
}

type Change = (passes: TargetPasses) => void;

const change = fc.oneof(
  fc
    .record({
      id: fc.constantFrom('a', 'b', 'c'),
      from: fc.integer({ min: 0, max: 30 }),
      source: fc.constantFrom<('fds' | 'provider')[]>('fds', 'provider'),
    })
    .map(
      ({ id, from, source }): Change =>
        (passes) =>
          void upsert(passes, pass(id, from, source), AUTHOR),
    ),
  fc
    .record({
      source: fc.constantFrom<('fds' | 'provider')[]>('fds', 'provider'),
      froms: fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 3 }),
    })
    .map(({ source, froms }): Change => {
      const passes = froms.map((from) => pass(`s${from}`, from, source));
      const snapshot: PassSnapshot = { source, target: 'sat1', from: at(0), to: at(60), passes };
      return (stored) => void replaceWindow(stored, snapshot, AUTHOR);
    }),
);

/** What stands after the changes in this order, one after the other. */
function serially(changes: readonly Change[]): StoredPass[] {
  const passes = new TargetPasses();
  for (const each of changes) each(passes);
  return [...passes].sort(byAos);
}

function* orders<Item>(items: readonly Item[]): Generator<Item[]> {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries())
    for (const rest of orders(items.toSpliced(index, 1))) yield [item, ...rest];
}

const first: Change = (passes) => void upsert(passes, pass('first', 100, 'fds'), AUTHOR);

const texts = (results: readonly StoredPass[][]): string[] => results.map((each) => JSON.stringify(each));

it.each(WRITERS)(
  'pass-writes.J2 pass-writes.J3 pass-writes.J9 MC-PASS-037 what writers at once leave, of whom each %s, is what some order of them would have left',
  async (_, make) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 2, maxLength: 4 }),
        fc.scheduler(),
        async (changes, scheduler) => {
          const cell = new Buckets();
          const turn = (): Promise<void> => scheduler.schedule(Promise.resolve()).then(() => undefined);
          const before = await scheduler.waitFor(make(cell, turn));
          // What stands is said by the journal, so that who holds it need not ask.
          await scheduler.waitFor(before.write('sat1', first));
          const all = changes.map(async (each) => (await make(cell, turn)).write('sat1', each));
          await scheduler.waitFor(Promise.all(all));
          const possible = [...orders(changes)].map((order) => serially([first, ...order]));
          expect(texts(possible)).toContain(JSON.stringify(cell.stored()));
        },
      ),
      { numRuns: 300 },
    );
  },
);

it.each(WRITERS)(
  'pass-writes.J1 pass-writes.J4 pass-writes.J9 what a dead writer had decided is finished by the next, who %s, all of it or none',
  async (_, make) => {
    await fc.assert(
      fc.asyncProperty(
        change,
        change,
        change,
        fc.integer({ min: 1, max: 14 }),
        fc.scheduler(),
        async (before, dying, behind, dies, scheduler) => {
          const cell = new Buckets();
          const turn = (): Promise<void> => scheduler.schedule(Promise.resolve()).then(() => undefined);
          const write = async (change: Change, dies?: number): Promise<unknown> =>
            (await make(cell, turn, dies)).write('sat1', change);
          await scheduler.waitFor(write(before));
          const dead = write(dying, dies).catch(() => undefined);
          await scheduler.waitFor(Promise.all([dead, write(behind)]));
          // Somebody asks again for nothing: what is decided and unfinished is finished by whoever comes.
          await scheduler.waitFor(write(() => undefined));
          const possible = [
            serially([before, dying, behind]),
            serially([before, behind, dying]),
            serially([before, behind]),
          ];
          expect(texts(possible)).toContain(JSON.stringify(cell.stored()));
          await scheduler.waitFor(write(dying));
          const repeated = cell.stored();
          await scheduler.waitFor(write(dying));
          expect(cell.stored()).toEqual(repeated);
        },
      ),
      { numRuns: 300 },
    );
  },
);

it('pass-writes.J4 a snapshot that does not fit one journal is written whole, and again after a death in the middle', async () => {
  const random = seededRandom(1);
  // Words that do not compress: the passes of a mission do.
  const word = (): string =>
    Array.from({ length: 128 }, () => Math.floor(random.next() * 36).toString(36)).join('');
  const passes = Array.from({ length: 3_500 }, (_, index) => ({
    ...pass(`p${index}`, index * 20, 'fds'),
    transceiver: word(),
    protocol: word(),
  }));
  const snapshot: PassSnapshot = { source: 'fds', target: 'sat1', from: at(0), to: at(100_000), passes };
  const replace: Change = (stored) => void replaceWindow(stored, snapshot, AUTHOR);
  const cell = new Buckets();
  const now = (): Promise<void> => Promise.resolve();
  await expect(writer(cell, now, 1_500).write('sat1', replace)).rejects.toThrow('dead');
  expect(cell.stored().length).toBeGreaterThan(500);
  expect(cell.stored().length).toBeLessThan(3_500);
  const decided = gunzipSync(cell.of(buckets.passJournals).get('sat1')!.value).toString();
  expect(decided.split('"over"').length - 1).toBe(1_750);
  await writer(cell, now).write('sat1', replace);
  expect(cell.stored()).toEqual(serially([replace]));
});

it('pass-writes.J5 a pass that was removed does not come back by the journal', async () => {
  const cell = new Buckets();
  const now = (): Promise<void> => Promise.resolve();
  const one = writer(cell, now);
  await one.write('sat1', (passes) => upsert(passes, pass('a', 0, 'fds'), AUTHOR));
  await one.write('sat2', () => undefined);
  await settled();
  cell.of(buckets.passes).delete('sat1.a');
  await writer(cell, now).write('sat1', (passes) => upsert(passes, pass('b', 30, 'fds'), AUTHOR));
  expect(cell.stored().map(({ id }) => id)).toEqual(['b']);
});

describe('pass-writes.J9 a process that holds the passes', () => {
  const asked = (cell: Buckets): number => cell.asked.get(`list ${buckets.passes.name}`) ?? 0;
  const said = (id: string, from: number): Change => {
    return (passes) => void upsert(passes, pass(id, from, 'fds'), AUTHOR);
  };

  it('asks the bus for them once, however many it and others write, and also when some leave', async () => {
    const cell = new Buckets();
    const [one, other] = [await knowing(cell, atOnce), await knowing(cell, atOnce)];
    for (let n = 0; n < 30; n += 1) {
      await (n % 3 === 0 ? other : one).writer.write('sat1', said(`p${n}`, n * 20));
      await settled();
    }
    const gone = await leaveUse(one.writer, 'sat1', one.passes.passes('sat1').slice(0, 5));
    await settled();
    await other.writer.write('sat1', said('last', 1_000));
    expect([gone.length, cell.stored().length, asked(cell)]).toEqual([5, 26, 1]);
  });

  it('asks where what it thought turns out to stand otherwise, as behind a store that went back, and loses nothing', async () => {
    const cell = new Buckets();
    await writer(cell, atOnce).write('sat1', said('a', 0));
    await settled();
    const nothing = { standing: async () => ({ passes: [], revisions: new Map<string, number>() }) };
    const wrong = new PassWriter({ bus: cell.bus(atOnce), log: memoryLog(), passes: nothing });
    await wrong.write('sat1', (passes) => void upsert(passes, pass('a', 0, 'provider'), AUTHOR));
    expect(cell.stored().map(({ id, contributions }) => [id, Object.keys(contributions).sort()])).toEqual([
      ['a', ['fds', 'provider']],
    ]);
    // By the first writer, and by this one when it was wrong.
    expect(asked(cell)).toBe(2);
  });

  it('asks again where what it holds is behind, and where somebody wrote beside the journal', async () => {
    const cell = new Buckets();
    let isHeld = false;
    const turns: (() => void)[] = [];
    const turn = (): Promise<void> =>
      isHeld ? new Promise((resolve) => void turns.push(resolve)) : Promise.resolve();
    const late = await knowing(cell, turn);
    const writes = new PassWriter({ bus: cell.bus(atOnce), log: memoryLog(), passes: late.passes });
    const other = await knowing(cell, atOnce);
    await other.writer.write('sat1', said('a', 0));
    await settled();
    isHeld = true;
    await other.writer.write('sat1', said('b', 30));
    await settled();
    expect(asked(cell)).toBe(1);
    const written = writes.write('sat1', said('c', 60));
    await settled();
    // It waits for no longer than it may, and has not been given what was written.
    turns.at(-1)!();
    await written;
    await settled();
    expect([cell.stored().map(({ id }) => id), asked(cell)]).toEqual([['a', 'b', 'c'], 2]);
    const entry = cell.of(buckets.passes).get('sat1.a')!;
    const beside = { ...JSON.parse(Buffer.from(entry.value).toString()), max_elevation: '41 deg' };
    cell.put(buckets.passes, entry.key, Buffer.from(JSON.stringify(beside)), entry.revision);
    await settled();
    await other.writer.write('sat1', said('d', 90));
    expect(cell.stored().map(({ max_elevation }) => max_elevation)[0]).toBe('41 deg');
    expect(asked(cell)).toBe(3);
  });
});

it('a pass or a journal that cannot be read is left out, and hides no other', async () => {
  const cell = new Buckets();
  const now = (): Promise<void> => Promise.resolve();
  await writer(cell, now).write('sat1', (passes) => upsert(passes, pass('a', 0, 'fds'), AUTHOR));
  await settled();
  cell.put(buckets.passes, 'sat1.broken', Buffer.from('{'), 0);
  cell.put(
    buckets.passJournals,
    'sat1',
    Buffer.from('no journal'),
    cell.of(buckets.passJournals).get('sat1')!.revision,
  );
  const { outcome } = await writer(cell, now).write('sat1', (passes) => {
    upsert(passes, pass('b', 30, 'provider'), AUTHOR);
    return [...passes].map(({ id }) => id);
  });
  expect(outcome).toEqual(['a', 'b']);
  expect([...cell.of(buckets.passes).keys()]).toEqual(['sat1.a', 'sat1.broken', 'sat1.b']);
});

it('a journal that names passes of another target is not waited for', async () => {
  const cell = new Buckets();
  const now = (): Promise<void> => Promise.resolve();
  const stray = { ...pass('a', 0, 'fds'), target: 'sat2' };
  const journal = gzipSync(JSON.stringify({ writes: [{ over: 0, pass: stray }] }));
  cell.put(buckets.passJournals, 'sat1', journal, 0);
  // A writer that asks for more than this has lost its way.
  await writer(cell, now, 50).write('sat1', (passes) => upsert(passes, pass('b', 30, 'fds'), AUTHOR));
  expect(cell.stored().map(({ id }) => id)).toEqual(['b']);
});

it('pass-writes.J8 no write leaves a target with more passes in use than it may have', async () => {
  const cell = new Buckets();
  const many = Array.from({ length: PASSES_OF_TARGET }, (_, n) => pass(`p${n}`, n * 20, 'fds'));
  const fill: Change = (passes) => {
    for (const each of many) passes.set(upsert(new TargetPasses(), each, AUTHOR));
  };
  const one = writer(cell, atOnce);
  await one.write('sat1', fill);
  expect(cell.of(buckets.passes).size).toBe(PASSES_OF_TARGET);
  const more = one.write('sat1', (passes) => upsert(passes, pass('more', -100, 'fds'), AUTHOR));
  await expect(more).rejects.toThrow(
    `target sat1 would have ${PASSES_OF_TARGET + 1} passes; it may have ${PASSES_OF_TARGET}`,
  );
  expect(cell.of(buckets.passes).has('sat1.more')).toBe(false);
  // What is there may change, and makes room as it leaves.
  await one.write('sat1', (passes) => upsert(passes, pass('p0', 5, 'provider'), AUTHOR));
  await one.write('sat1', (passes) => passes.delete('p1'));
  await one.write('sat1', (passes) => upsert(passes, pass('more', -100, 'fds'), AUTHOR));
  expect(cell.of(buckets.passes).size).toBe(PASSES_OF_TARGET);
});

it('pass-writes.J7 reads nothing of what is long over for the time to come, and a bounded part of it for the past', async () => {
  const cell = new Buckets();
  const now = Date.parse(at(0)) + 40 * 86_400_000;
  const soon = pass('soon', 40 * 1_440, 'fds');
  expect(reachOf([windowOf(soon)], now)).toBeUndefined();
  await writer(cell, atOnce).write('sat1', (passes) => upsert(passes, soon, AUTHOR));
  expect([...cell.asked.keys()].filter((what) => what.endsWith(buckets.passesOver.name))).toEqual([]);
  const late = pass('late', 0, 'fds');
  const reach = reachOf([windowOf(late)], now);
  expect(reach).toEqual(windowOf(late));
  const over = new PassesOver({ bus: cell.bus(atOnce), log: memoryLog() });
  for (let day = 0; day < 30; day += 1) {
    const stored = upsert(new TargetPasses(), pass(`d${day}`, day * 1_440, 'fds'), AUTHOR);
    await over.keep('sat1', [{ pass: stored }], now);
  }
  cell.asked.clear();
  await writer(cell, atOnce).write('sat1', (passes) => upsert(passes, late, AUTHOR), reach);
  // The days, and what two of them have: none is before that of its AOS.
  expect(cell.asked.get(`get ${buckets.passesOver.name}`)).toBe(5);
});

it('pass-writes.J10 few writes are under way at once, of a snapshot and of what a dead writer had decided', async () => {
  let [under, most] = [0, 0];
  const turn = async (): Promise<void> => {
    most = Math.max(most, ++under);
    await new Promise((then) => setImmediate(then));
    under -= 1;
  };
  const cell = new Buckets();
  const many = Array.from({ length: 1_000 }, (_, n) => pass(`p${n}`, n * 20, 'fds'));
  const fill: Change = (passes) => {
    for (const each of many) passes.set(upsert(new TargetPasses(), each, AUTHOR));
  };
  await expect(writer(cell, turn, 400).write('sat1', fill)).rejects.toThrow('dead');
  const left = cell.of(buckets.passes).size;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(1_000);
  await writer(cell, turn).write('sat1', () => undefined);
  expect(cell.of(buckets.passes).size).toBe(1_000);
  expect(most).toBe(PASS_WRITES_AT_ONCE);
});
