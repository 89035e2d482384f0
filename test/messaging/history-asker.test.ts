/** Questions to several archives of a cell, on the twin of the bus with real owners behind it. */

import { expect, it } from 'vitest';
import { type Workshop, workHere } from '../../archive/workshop.ts';
import type { ArchivePart } from '../../supervision/archive/storage.ts';
import { FragileDisk } from '../archive/fragile-disk.ts';
import { ArchiveWorld, counted, everything, queryOf } from '../supervision/archive/archive-world.ts';

const QUERY = queryOf('sat1');
const FLUSHED_MS = 5 * 60_000 + 1_000;

type Began = (part: ArchivePart) => Promise<Workshop>;

/** Threads of the values whose questions behave so. */
function asked(ask: (signal: AbortSignal | undefined) => Promise<never>): Began {
  const disks = { values: new FragileDisk(), events: new FragileDisk() };
  return async (part) => {
    const whole = workHere('', disks[part]);
    if (part === 'events') return whole;
    return Object.assign({}, whole, { ask: (_: string, signal?: AbortSignal) => ask(signal) });
  };
}

/** Two archives with the same past, of which `a1` is asked first. */
async function twoArchives(workshop?: Began) {
  const world = new ArchiveWorld();
  const counts: string[] = [];
  const count = (outcome: string): void => void counts.push(outcome);
  const first = await world.owner(new FragileDisk(), { id: 'a1', count, ...(workshop && { workshop }) });
  const second = await world.owner(new FragileDisk(), { id: 'a2' });
  await world.send('sat1', 1);
  await world.pass(FLUSHED_MS);
  const asker = await world.asker();
  await world.pass(2_500);
  expect(asker.archives().map(({ archive }) => archive)).toEqual(['a1', 'a2']);
  return { world, counts, first, second, asker };
}

it('history-asker.Q1 the next archive is asked where the first is not there any more', async () => {
  const { world, first, asker } = await twoArchives();
  expect(await world.done(asker.buckets(QUERY, 4))).toMatchObject({ value: { archive: { archive: 'a1' } } });
  await world.done(first.stop());
  const answer = await world.done(asker.buckets(QUERY, 4), 10_000);
  expect(answer).toMatchObject({ ok: true, value: { archive: { archive: 'a2' } } });
  expect(counted((await everything(world, asker, QUERY)).samples)).toEqual({ 1: 10 });
});

it('history-asker.Q1 the next archive is asked where the first one fails, and both reasons are said where no one can', async () => {
  const { world, second, asker } = await twoArchives(
    asked(() => Promise.reject(new Error('the disk is gone'))),
  );
  const answer = await world.done(asker.buckets(QUERY, 4));
  expect(answer).toMatchObject({ ok: true, value: { archive: { archive: 'a2' } } });
  await world.done(second.stop());
  const refused = await world.done(asker.samples(QUERY, { limit: 5 }), 10_000);
  expect(refused.ok).toBe(false);
  if (refused.ok) return;
  expect(refused.faults).toHaveLength(1);
  expect(refused.faults[0].message).toContain('the disk is gone');
  expect(refused.faults[0].message).toContain('archive a2 (p1) is not there any more');
});

it('history-asker.Q1 what no archive can understand is asked of one alone', async () => {
  const { world, counts, asker } = await twoArchives();
  const refused = await world.done(asker.buckets({ ...QUERY, to: QUERY.from }, 4));
  expect(refused).toMatchObject({ ok: false, faults: [{ code: 'archive::invalid' }] });
  expect(counts).toEqual(['refused']);
});

it('history-asker.Q3 who waits no more is informed at once, and the archive gives the question up', async () => {
  let isGivenUp = false;
  const hanging = asked(
    (signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          isGivenUp = true;
          reject(signal.reason as Error);
        });
      }),
  );
  const { world, counts, asker } = await twoArchives(hanging);
  const given = new AbortController();
  const answer = asker.buckets(QUERY, 4, given.signal);
  answer.catch(() => undefined);
  await world.pass(50);
  expect(isGivenUp).toBe(false);
  given.abort(new Error('the page was closed'));
  await expect(answer).rejects.toThrow('the page was closed');
  await world.pass(50);
  expect(isGivenUp).toBe(true);
  expect(counts).toEqual(['given-up']);
  await expect(asker.samples(QUERY, { limit: 1 }, given.signal)).rejects.toThrow('the page was closed');
});

it('known-archives.A4 where no archive is there one question waits for one, and those of the next period do not', async () => {
  const world = new ArchiveWorld();
  const asker = await world.asker();
  const ask = async (ms: number) => {
    let answered = false;
    const answer = asker.samples(QUERY, { limit: 1 });
    void answer.then(() => {
      answered = true;
    });
    await world.pass(ms);
    return answered;
  };
  expect(await ask(500)).toBe(false);
  await world.pass(600);
  expect(await ask(10)).toBe(true);
  await world.pass(2_500);
  expect(await ask(10)).toBe(false);
  await world.pass(1_000);
  // Whoever comes is asked at once.
  await world.owner(new FragileDisk());
  expect(await ask(100)).toBe(true);
});
