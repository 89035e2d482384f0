/** Questions to several archives of a cell, on the twin of the bus with real owners behind it. */

import { describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import { type Workshop, workHere } from '../../archive/workshop.ts';
import type { LoggedEvent } from '../../contract/event.ts';
import type { EventPlace } from '../../contract/event-query.ts';
import type { ArchivePart } from '../../supervision/archive/storage.ts';
import { FragileDisk } from '../archive/fragile-disk.ts';
import { ArchiveWorld, counted, everything, queryOf, START } from '../supervision/archive/archive-world.ts';

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

it('history-asker.Q6 who names an archive has the answer of that one, or none', async () => {
  const { world, first, asker } = await twoArchives();
  const of = (archive: string) => world.done(asker.events(EVENTS, { limit: 1, of: archive }), 10_000);
  for (const archive of ['a2', 'a1'])
    expect(await of(archive)).toMatchObject({ value: { archive: { archive } } });
  await world.done(first.stop());
  const refused = await of('a1');
  expect(refused).toMatchObject({ ok: false, faults: [{ code: 'archive::unanswered' }] });
  expect(JSON.stringify(refused)).not.toContain('a2');
  expect(await of('a3')).toMatchObject({ ok: false, faults: [{ code: 'archive::none' }] });
});

it('history-asker.Q1 what no archive can understand is asked of one alone', async () => {
  const { world, counts, asker } = await twoArchives();
  const refused = await world.done(asker.buckets({ ...QUERY, to: QUERY.from }, 4));
  expect(refused).toMatchObject({ ok: false, faults: [{ code: 'archive::invalid' }] });
  expect(counts).toEqual(['refused']);
});

/** An archive with disks of its own for samples and events. */
function ownDisks(events = new FragileDisk()): Began {
  const disks = { values: new FragileDisk(), events };
  return async (part) => workHere('', disks[part]);
}

const EVENTS = { from: 0, to: START + 86_400_000, where: {} };

function eventOf(n: number): LoggedEvent {
  const time = new Date(START + n).toISOString();
  return { time, kind: 'log', severity: 'info', subject: `s${n}`, text: `Event ${n}.`, source: `S:${n}` };
}

describe('history-asker.Q5 a page of events behind a cursor', () => {
  /** `a1` is asked first; `a2` has events of an earlier stream, too, and the cursor is of its present one. */
  async function twoLogs() {
    const world = new ArchiveWorld();
    const disk = new FragileDisk();
    const earlier = await Archive.open(workHere('', disk), { stream: 'S0', clock: world.clock });
    for (const n of [1, 2])
      await earlier.record({ position: n, storedMs: START - 10, batch: { events: [eventOf(n)] } });
    await earlier.close();
    const second = await world.owner(new FragileDisk(), { id: 'a2', workshop: ownDisks(disk) });
    await world.sendEvents(eventOf(3), eventOf(4));
    await world.send('sat1', 1);
    await world.pass(FLUSHED_MS);
    const asker = await world.asker();
    const ask = (page: { before?: EventPlace; limit: number }) =>
      world.done(asker.events(EVENTS, page), 10_000);
    const page = await ask({ limit: 1 });
    if (!page.ok) throw new Error(page.faults[0].message);
    const first = await world.owner(new FragileDisk(), { id: 'a1', workshop: ownDisks() });
    await world.pass(FLUSHED_MS);
    expect(asker.archives().map(({ archive }) => archive)).toEqual(['a1', 'a2']);
    return { world, first, second, ask, before: page.value.value.next! };
  }

  it('is given by the archive that gave the cursor', async () => {
    const { ask, before } = await twoLogs();
    expect(await ask({ before, limit: 1 })).toMatchObject({
      ok: true,
      value: { archive: { archive: 'a2' }, value: { events: [{ subject: 's3' }] } },
    });
  });

  it('is asked of the next archive where the first one does not know the cursor', async () => {
    const { ask } = await twoLogs();
    expect(await ask({ before: { stream: 'S0', position: 2, index: 0 }, limit: 9 })).toMatchObject({
      ok: true,
      value: { archive: { archive: 'a2' }, value: { events: [{ subject: 's1' }] } },
    });
  });

  it('is invalid where no archive knows the cursor, and not where the one that does is away', async () => {
    const { world, second, ask, before } = await twoLogs();
    expect(await ask({ before: { ...before, stream: 'S9' }, limit: 1 })).toMatchObject({
      ok: false,
      faults: [{ code: 'archive::invalid' }],
    });
    await world.done(second.stop());
    expect(await ask({ before, limit: 1 })).toMatchObject({
      ok: false,
      faults: [{ code: 'archive::unanswered' }],
    });
  });
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
