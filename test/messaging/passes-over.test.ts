/**
 * Passes that are moved to those that are long over, and come back: whoever dies and whatever is put back, each is
 * there once. On buckets in memory whose every operation may be the last of a process.
 */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { AGED_REST_MS, AGED_SEARCHES_WAITING } from '../../contract/limits/aged.ts';
import { PASSES_OF_TARGET } from '../../contract/limits/pass.ts';
import type { Pass, PassSnapshot, StoredPass } from '../../contract/pass.ts';
import { DAY_MS, dayOf } from '../../messaging/aged-records.ts';
import { leaveUse, PassWriter } from '../../messaging/pass-writes.ts';
import { isCopy, PassesOver } from '../../messaging/passes-over.ts';
import { replaceWindow, upsert } from '../../mission/pass/merge.ts';
import { byAos, windowOf } from '../../mission/pass/pass.ts';
import { TargetPasses } from '../../mission/pass/target-passes.ts';
import { memoryLog } from '../http/fixture.ts';
import { settled } from '../support/manual-clock.ts';
import { atOnce, Buckets } from './cell-of-buckets.ts';

const MINUTE = 60_000;
const BEGIN = Date.UTC(2026, 0, 2);
/** Everything below is long over then. */
const NOW = BEGIN + 30 * 24 * 60 * MINUTE;
const at = (minute: number): string => new Date(BEGIN + minute * MINUTE).toISOString();
/** Every pass of the tests. */
const ALL = { aos: BEGIN - 2 * 24 * 60 * MINUTE, los: BEGIN + 10 * 24 * 60 * MINUTE };

function pass(id: string, from: number, source: 'fds' | 'provider'): Pass {
  const status = source === 'fds' ? 'predicted' : 'booked';
  const window = { aos: at(from), los: at(from + 10) };
  return { id, target: 'sat1', station: 'kiruna', ...window, max_elevation: '40 deg', source, status };
}

interface Change {
  readonly apply: (passes: TargetPasses, moment: number) => void;
}

const author = (moment: number) => ({ feeder: 'feeder', at: new Date(NOW + moment).toISOString() });
const source = fc.constantFrom<('fds' | 'provider')[]>('fds', 'provider');

/** Each identifier about a time of its own: `a` about midnight, so that it goes from day to day. */
const AROUND = { a: 24 * 60, b: 12 * 60, c: 24 * 60 + 25, d: 49 * 60 } as const;
const contribution = fc
  .record({
    id: fc.constantFrom(...(Object.keys(AROUND) as (keyof typeof AROUND)[])),
    by: fc.integer({ min: -15, max: 15 }),
    source,
  })
  .map(({ id, by, source }): Change => {
    const submitted = pass(id, AROUND[id] + by, source);
    return { apply: (passes, moment) => void upsert(passes, submitted, author(moment)) };
  });
const snapshot = fc
  .record({ source, froms: fc.uniqueArray(fc.integer({ min: 1_400, max: 1_480 }), { maxLength: 3 }) })
  .map(({ source, froms }): Change => {
    const passes = froms.map((from) => pass(`s${from}`, from, source));
    const body: PassSnapshot = { source, target: 'sat1', from: at(1_300), to: at(1_500), passes };
    return { apply: (stored, moment) => void replaceWindow(stored, body, author(moment)) };
  });
const change = fc.oneof(contribution, snapshot);

/** What stands after the changes in this order, one after the other. */
function serially(changes: readonly (readonly [Change, number])[]): StoredPass[] {
  const passes = new TargetPasses();
  for (const [each, moment] of changes) each.apply(passes, moment);
  return [...passes].sort(byAos);
}

/** A process: dead behind its operation number `dies`. */
function processOf(cell: Buckets, turn = atOnce, dies?: number) {
  const tools = { bus: cell.bus(turn, dies), log: memoryLog() };
  return { over: new PassesOver(tools), writer: new PassWriter(tools) };
}

async function write(cell: Buckets, change: Change, moment: number, dies?: number, turn = atOnce) {
  const { writer } = processOf(cell, turn, dies);
  await writer.write('sat1', (passes) => change.apply(passes, moment), ALL).catch(() => undefined);
  await settled();
}

/** A round of the one that moves them. */
async function move(cell: Buckets, dies?: number, turn = atOnce): Promise<void> {
  const { over, writer } = processOf(cell, turn, dies);
  const passes = cell.stored().map((each) => ({ pass: each }));
  try {
    const rested = await over.keep('sat1', passes, cell.now);
    await leaveUse(writer, 'sat1', rested);
  } catch {
    // Dead.
  }
  await settled();
}

/** As lists show them. */
async function shown(cell: Buckets): Promise<StoredPass[]> {
  const used = cell.stored();
  const isShown = (pass: StoredPass): boolean =>
    !used.some((each) => each.id === pass.id && isCopy(each, pass));
  const over = await processOf(cell).over.list({}, Number.POSITIVE_INFINITY, isShown);
  return [...used, ...over.map(({ pass }) => pass)].sort(byAos);
}

async function moveAll(cell: Buckets): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await move(cell);
    cell.now += AGED_REST_MS;
  }
}

const step = fc.oneof(
  fc.record({ change, dies: fc.option(fc.integer({ min: 1, max: 30 })) }),
  fc.record({ move: fc.option(fc.integer({ min: 1, max: 40 })), rests: fc.boolean() }),
);

it('passes-over.O1 passes-over.O2 pass-writes.J7 who writes and who moves may die anywhere: every pass is there once, as if none were moved', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const cell = new Buckets();
      cell.now = NOW;
      const done: (readonly [Change, number])[] = [];
      for (const [moment, each] of steps.entries()) {
        if ('change' in each) {
          if (each.dies !== null) await write(cell, each.change, moment, each.dies);
          await write(cell, each.change, moment);
          done.push([each.change, moment]);
        } else {
          if (each.rests) cell.now += AGED_REST_MS;
          await move(cell, each.move ?? undefined);
        }
        expect(await shown(cell)).toEqual(serially(done));
      }
      await moveAll(cell);
      expect(cell.stored()).toEqual([]);
      expect(await shown(cell)).toEqual(serially(done));
    }),
    { numRuns: 120 },
  );
});

it('pass-writes.J6 a contribution of the moment in which passes are moved is neither lost nor doubled', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 3 }),
      change,
      fc.option(fc.integer({ min: 1, max: 30 })),
      fc.scheduler(),
      async (before, during, dies, scheduler) => {
        const cell = new Buckets();
        cell.now = NOW;
        for (const [moment, each] of before.entries()) await write(cell, each, moment);
        await move(cell);
        cell.now += AGED_REST_MS;
        const turn = (): Promise<void> => scheduler.schedule(Promise.resolve()).then(() => undefined);
        const writing = write(cell, during, before.length, undefined, turn);
        const moving = [move(cell, dies ?? undefined, turn), move(cell, undefined, turn)];
        await scheduler.waitFor(Promise.all([writing, ...moving]));
        // What a dead one decided is finished by whoever comes.
        await write(cell, { apply: () => undefined }, 0);
        const done = [...before, during].map((each, moment) => [each, moment] as const);
        expect(await shown(cell)).toEqual(serially(done));
        await moveAll(cell);
        expect(await shown(cell)).toEqual(serially(done));
      },
    ),
    { numRuns: 120 },
  );
});

const idsOf = (passes: readonly StoredPass[]): string[] => passes.map(({ id }) => id).sort();

it.each([
  ['in use', buckets.passes],
  ['long over', buckets.passesOver],
  ['decided', buckets.passJournals],
])('what is put back of those %s loses no pass and doubles none', async (_, bucket) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 5 }),
      fc.array(fc.constantFrom('move', 'rest'), { maxLength: 4 }),
      fc.array(change, { maxLength: 2 }),
      fc.array(fc.constantFrom('move', 'rest'), { maxLength: 4 }),
      async (before, moves, behind, later) => {
        const cell = new Buckets();
        cell.now = NOW;
        const moving = async (steps: readonly string[]): Promise<void> => {
          for (const each of steps)
            if (each === 'move') await move(cell);
            else cell.now += AGED_REST_MS;
        };
        for (const [moment, each] of before.entries()) await write(cell, each, moment);
        await moving(moves);
        const copy = new Map(cell.of(bucket));
        const known = await shown(cell);
        // What is over is put back for less than it rests before anybody relies on it (`AGED_REST_MS`).
        for (const [moment, each] of behind.entries()) await write(cell, each, 10 + moment);
        await moving(bucket === buckets.passesOver ? later.filter((each) => each === 'move') : later);
        cell.putBack(bucket, copy);
        const then = await shown(cell);
        expect(idsOf(then)).toEqual([...new Set(idsOf(then))]);
        const over = await processOf(cell).over.list({}, Number.POSITIVE_INFINITY, () => true);
        const left = [...cell.stored(), ...over.map((each) => each.pass)];
        await moveAll(cell);
        const end = await shown(cell);
        expect(cell.stored()).toEqual([]);
        expect(idsOf(end)).toEqual([...new Set(idsOf(end))]);
        expect(idsOf(end)).toEqual(expect.arrayContaining(idsOf(known)));
        for (const { id, updated_at } of [...known, ...left])
          expect(end.find((each) => each.id === id)!.updated_at! >= updated_at!).toBe(true);
      },
    ),
    { numRuns: 80 },
  );
});

it('aged-records.D4 what cannot be read is left out with a line in the log, and is not written over', async () => {
  const cell = new Buckets();
  cell.now = NOW;
  await write(cell, { apply: (passes, n) => void upsert(passes, pass('a', 600, 'fds'), author(n)) }, 0);
  await write(cell, { apply: (passes, n) => void upsert(passes, pass('b', 2_100, 'fds'), author(n)) }, 1);
  await moveAll(cell);
  const key = `${dayOf(windowOf(pass('a', 600, 'fds')).aos)}.sat1`;
  const entry = cell.of(buckets.passesOver).get(key)!;
  const broken = Buffer.from('no entry');
  cell.put(buckets.passesOver, key, broken, entry.revision);
  const log = memoryLog();
  const over = new PassesOver({ bus: cell.bus(atOnce), log });
  expect((await over.list({}, 10, () => true)).map(({ pass: { id } }) => id)).toEqual(['b']);
  expect(log.lines.map(({ level }) => level)).toEqual(['error']);
  // One of that day stays in use.
  await write(cell, { apply: (passes, n) => void upsert(passes, pass('c', 700, 'fds'), author(n)) }, 2);
  await moveAll(cell);
  expect(idsOf(cell.stored())).toEqual(['c']);
  expect(cell.of(buckets.passesOver).get(key)!.value).toEqual(broken);
});

it('passes-over.O1 an identifier that comes again days later is another pass', async () => {
  const cell = new Buckets();
  cell.now = NOW;
  const add = (hour: number): Change => ({
    apply: (passes, n) => void upsert(passes, pass('a', hour * 60, 'fds'), author(n)),
  });
  await write(cell, add(10), 0);
  await moveAll(cell);
  const late = processOf(cell).writer;
  const window = windowOf(pass('a', 100 * 60, 'fds'));
  await late.write('sat1', (passes) => add(100).apply(passes, 1), window);
  const aosOf = async (): Promise<string[]> => (await shown(cell)).map(({ aos }) => aos);
  expect(await aosOf()).toEqual([at(600), at(6_000)]);
  await moveAll(cell);
  expect(await aosOf()).toEqual([at(600), at(6_000)]);
  expect((await processOf(cell).over.find('sat1', 'a'))?.pass.aos).toBe(at(6_000));
});

it('pass-writes.J7 an interval with more passes than a target may have is refused', async () => {
  const cell = new Buckets();
  cell.now = NOW;
  const { over, writer } = processOf(cell);
  const days = 5;
  for (let day = 0; day < days; day += 1) {
    const passes = Array.from({ length: PASSES_OF_TARGET / days + 1 }, (_, n) => {
      const one = pass(`p${day}-${n}`, day * 1_440 + n / 10, 'fds');
      return { pass: upsert(new TargetPasses(), one, author(0)) };
    });
    await over.keep('sat1', passes, NOW);
  }
  const refused = writer.write('sat1', () => undefined, { aos: BEGIN, los: BEGIN + days * DAY_MS });
  await expect(refused).rejects.toThrow('more than 20000 passes of sat1 that are long over');
  await writer.write('sat1', () => undefined, { aos: BEGIN, los: BEGIN + 3_600_000 });
});

it('passes-over.O4 a search waits for the one before, and one too many is refused', async () => {
  const cell = new Buckets();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { over } = processOf(cell, () => held);
  const searches = Array.from({ length: AGED_SEARCHES_WAITING + 1 }, () => over.find('sat1', 'a'));
  await expect(over.find('sat1', 'a')).rejects.toThrow('too many searches');
  release();
  expect(await Promise.all(searches)).toEqual(searches.map(() => undefined));
  expect(await over.find('sat1', 'a')).toBeUndefined();
});

it('what is over may be removed whole: what is in use stays, and more is kept behind it', async () => {
  const cell = new Buckets();
  cell.now = NOW;
  const add = (id: string, hour: number): Change => ({
    apply: (passes, n) => void upsert(passes, pass(id, hour * 60, 'fds'), author(n)),
  });
  await write(cell, add('a', 10), 0);
  await moveAll(cell);
  await write(cell, add('b', 12), 1);
  cell.putBack(buckets.passesOver, new Map());
  expect(idsOf(await shown(cell))).toEqual(['b']);
  await moveAll(cell);
  expect([idsOf(cell.stored()), idsOf(await shown(cell))]).toEqual([[], ['b']]);
});
