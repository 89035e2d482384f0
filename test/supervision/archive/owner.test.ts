/** The owner of an archive on the twin of the bus: every sample once, whatever happens to it, its stream and its disk. */

import { describe, expect, it } from 'vitest';
import type { FileSystem } from '../../../archive/file-system.ts';
import type { Added } from '../../../archive/work.ts';
import { type Workshop, workHere } from '../../../archive/workshop.ts';
import type { LoggedEvent } from '../../../contract/event.ts';
import type { ArchivePart } from '../../../supervision/archive/storage.ts';
import { FragileDisk } from '../../archive/fragile-disk.ts';
import { ArchiveWorld, counted, everything, queryOf, START } from './archive-world.ts';

const DAY_MS = 86_400_000;
const FLUSHED_MS = 5 * 60_000 + 1_000;

describe('what is received', () => {
  it('is answered over the bus, from memory and from segments, of every target', async () => {
    const world = new ArchiveWorld();
    const owner = await world.owner(new FragileDisk());
    const asker = await world.asker();
    for (const value of [1, 2]) await world.send('sat1', value);
    await world.send('sat2', 3);
    await world.pass(100);
    expect(counted((await everything(world, asker, queryOf('sat1'))).samples)).toEqual({ 1: 10, 2: 10 });
    await world.pass(FLUSHED_MS);
    expect(owner.state).toMatchObject({ position: 3, read: 3, pending: 0, segments: 1, samples: 30 });
    expect(counted((await everything(world, asker, queryOf('sat1'))).samples)).toEqual({ 1: 10, 2: 10 });
    expect(counted((await everything(world, asker, queryOf('sat2'))).samples)).toEqual({ 3: 10 });
    const buckets = await world.done(asker.buckets(queryOf('sat1', { to: START + 1_000 }), 2));
    expect(buckets).toMatchObject({ ok: true, value: { archive: { archive: 'a1', begins: START + 2_100 } } });
  });

  it('is read on behind what is durable by the next owner', async () => {
    const world = new ArchiveWorld();
    const disk = new FragileDisk();
    const first = await world.owner(disk);
    await world.send('sat1', 1);
    await world.pass(FLUSHED_MS);
    await world.send('sat1', 2);
    await world.done(first.stop());
    await world.send('sat1', 3);
    await world.owner(disk);
    const asker = await world.asker();
    expect(counted((await everything(world, asker, queryOf('sat1'))).samples)).toEqual({
      1: 10,
      2: 10,
      3: 10,
    });
  });

  it('is kept by ordinal where nobody knows the platform, and holds nothing up', async () => {
    const world = new ArchiveWorld();
    await world.owner(new FragileDisk());
    await world.send('sat1', 1, 10, 'gone');
    await world.send('sat1', 2);
    await world.pass(3_000);
    const asker = await world.asker();
    const query = queryOf('sat1', { measures: ['#0'] });
    expect(counted((await everything(world, asker, query)).samples)).toEqual({ 1: 10 });
    expect(counted((await everything(world, asker, queryOf('sat1'))).samples)).toEqual({ 2: 10 });
  });
});

describe('a message that cannot be read', () => {
  it('is a dead letter and a gap, and stops nothing', async () => {
    const world = new ArchiveWorld();
    await world.owner(new FragileDisk());
    const asker = await world.asker();
    await world.send('sat1', 1);
    await world.sendBytes('sat1', 'no batch');
    await world.send('sat1', 2);
    await world.pass(FLUSHED_MS);
    const { samples, last } = await everything(world, asker, queryOf('sat1'));
    expect(counted(samples)).toEqual({ 1: 10, 2: 10 });
    expect(last.gaps).toEqual([expect.objectContaining({ first: 2, last: 2 })]);
    expect(world.deadLetters.shown).toEqual([expect.objectContaining({ kind: 'archive', id: 'sat1' })]);
  });
});

describe('a message that cannot be written', () => {
  /** Threads whose encoder fails on everything that has this value. */
  function failingOn(value: number): Workshop {
    const whole = workHere('', new FragileDisk());
    const gathered: Added[] = [];
    const isThere = (some: readonly Added[]): boolean =>
      some.some(({ message: { batch } }) => batch.blocks.some((block) => block.value.includes(value)));
    const failing = async (name: string, given: unknown): Promise<unknown> => {
      if (name === 'begin') gathered.length = 0;
      if (name === 'add') gathered.push(given as Added);
      if (name === 'seal' && isThere(gathered)) throw new Error('the encoder has a defect');
      if (name === 'seal') gathered.length = 0;
      return name === 'probe' && isThere(given as Added[])
        ? { reason: 'the encoder has a defect' }
        : undefined;
    };
    return Object.assign({}, whole, {
      do: async (...call: Parameters<Workshop['do']>) =>
        (await failing(call[0], call[1])) ?? (whole.do as (...given: unknown[]) => unknown)(...call),
    });
  }

  it('is a dead letter and a gap, is said in health, and everything else is written', async () => {
    const world = new ArchiveWorld();
    const owner = await world.owner(new FragileDisk(), { workshop: async () => failingOn(4) });
    const asker = await world.asker();
    for (const value of [1, 2, 3, 4, 5, 6]) await world.send('sat1', value);
    await world.pass(FLUSHED_MS);
    expect(owner.trouble).toBeUndefined();
    expect(owner.state).toMatchObject({ position: 6, waiting: 0 });
    const { samples, last } = await everything(world, asker, queryOf('sat1'));
    expect(counted(samples)).toEqual({ 1: 10, 2: 10, 3: 10, 5: 10, 6: 10 });
    expect(last.gaps).toEqual([expect.objectContaining({ first: 4, last: 4 })]);
    expect(world.deadLetters.shown).toEqual([
      expect.objectContaining({
        kind: 'archive',
        error: expect.stringContaining('the encoder has a defect'),
      }),
    ]);
    expect(owner.setAside).toBe(1);
  });
});

describe('an event that cannot be written', () => {
  /** Threads whose encoder fails on every event that says this. */
  function failingOn(text: string): Workshop {
    const whole = workHere('', new FragileDisk());
    let isThere = false;
    const says = (given: unknown): boolean => JSON.stringify(given).includes(text);
    const failing = (name: string, given: unknown): unknown => {
      if (name === 'begin') isThere = false;
      if (name === 'addEvents') isThere ||= says(given);
      if (name === 'seal' && isThere) throw new Error('the encoder has a defect');
      return name === 'probeEvents' && says(given) ? { reason: 'the encoder has a defect' } : undefined;
    };
    return Object.assign({}, whole, {
      do: async (...call: Parameters<Workshop['do']>) =>
        failing(call[0], call[1]) ?? (whole.do as (...given: unknown[]) => unknown)(...call),
    });
  }

  const said = (n: number): LoggedEvent => {
    const time = new Date(START).toISOString();
    return { time, kind: 'log', severity: 'info', subject: 's', text: `event ${n}`, source: `s:${n}` };
  };

  it('is a dead letter and a gap of the log, is said in health, and everything else is written', async () => {
    const world = new ArchiveWorld();
    const files = new FragileDisk();
    const owner = await world.owner(files, {
      workshop: async (part) => (part === 'events' ? failingOn('event 3') : workHere('', files)),
    });
    const asker = await world.asker();
    for (let n = 1; n <= 5; n += 1) await world.sendEvents(said(n));
    await world.pass(FLUSHED_MS);
    expect(owner.trouble).toBeUndefined();
    expect(owner.setAside).toBe(1);
    const query = { from: START - 1_000, to: START + DAY_MS, where: {} };
    const found = await world.done(asker.events(query, { before: undefined, limit: 10 }, undefined));
    if (!found.ok) throw new Error(found.faults[0].message);
    const { events, gaps } = found.value.value;
    expect(events.map(({ text }) => text)).toEqual(['event 5', 'event 4', 'event 2', 'event 1']);
    expect(gaps).toEqual([expect.objectContaining({ first: 3, last: 3 })]);
    expect(world.deadLetters.shown).toEqual([
      expect.objectContaining({
        kind: 'archive',
        error: expect.stringContaining('the encoder has a defect'),
      }),
    ]);
  });
});

describe('a stream that went back', () => {
  /** Two messages are durable, of a third nothing, then the store is put back to behind the first. */
  async function wentBack(isAway: boolean) {
    const world = new ArchiveWorld();
    const disk = new FragileDisk();
    let owner = await world.owner(disk);
    for (const value of [1, 2]) await world.send('sat1', value);
    await world.pass(FLUSHED_MS);
    if (isAway) await world.done(owner.stop());
    world.server.turn(false);
    const first = world.server.stream({ name: 'TM_VALUES', dedupeMs: 0 }).messages[0]!;
    world.server.rewind(() => first.at);
    await world.pass(100);
    world.server.turn(true);
    await world.pass(3_000);
    for (const value of [4, 5]) await world.send('sat1', value);
    if (!isAway) {
      expect(world.failures).toEqual([expect.objectContaining({ code: 'bus.unavailable' })]);
      await world.done(owner.stop());
    }
    owner = await world.owner(disk);
    await world.pass(FLUSHED_MS);
    const asker = await world.asker();
    return { owner, ...(await everything(world, asker, queryOf('sat1'))) };
  }

  it.each([
    ['while it is read', false],
    ['while nobody reads', true],
  ])('%s: is another one from there on, and what it held between is a gap', async (_name, isAway) => {
    const { samples, last } = await wentBack(isAway);
    expect(counted(samples)).toEqual({ 1: 10, 2: 10, 4: 10, 5: 10 });
    expect(last.gaps).toEqual([expect.objectContaining({ first: 0, last: 1 })]);
  });
});

describe('a disk that refuses', () => {
  it('to open the archive is asked again, and nothing fails', async () => {
    const world = new ArchiveWorld();
    const disk = new FragileDisk();
    let refused = 0;
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const workshop = async (part: string) => {
      if (part === 'events') return workHere('', world.events);
      refused += 1;
      if (refused <= 2) throw full;
      return workHere('', disk);
    };
    await world.send('sat1', 1);
    const owner = await world.owner(disk, { workshop });
    expect(owner.trouble).toBe('no space left');
    await world.pass(20_000);
    expect(owner).toMatchObject({ trouble: undefined, state: { read: 1 } });
    expect(world.failures).toEqual([]);
  });

  it('what is to be written says so, waits, and loses nothing', async () => {
    const world = new ArchiveWorld();
    const disk = new FragileDisk();
    const owner = await world.owner(disk);
    const asker = await world.asker();
    disk.room = 10;
    await world.send('sat1', 1);
    await world.pass(FLUSHED_MS);
    expect(owner.trouble).toContain('no space left');
    await world.pass(2_100);
    expect(asker.archives()).toMatchObject([{ archive: 'a1', alive: true, trouble: owner.trouble }]);
    expect(counted((await everything(world, asker, queryOf('sat1'))).samples)).toEqual({ 1: 10 });
    disk.room = Number.POSITIVE_INFINITY;
    await world.send('sat1', 2);
    await world.pass(FLUSHED_MS);
    expect(owner).toMatchObject({ trouble: undefined, state: { position: 2 } });
    expect(counted((await everything(world, asker, queryOf('sat1'))).samples)).toEqual({ 1: 10, 2: 10 });
  });
});

describe('retention', () => {
  it('of samples and of minutes is that of the configuration', async () => {
    const world = new ArchiveWorld({ samplesMs: DAY_MS, minutesMs: 3 * DAY_MS });
    const disk = new FragileDisk();
    const owner = await world.owner(disk);
    const asker = await world.asker();
    await world.send('sat1', 1);
    await world.pass(3_600_000);
    await world.send('sat1', 2);
    await world.pass(DAY_MS + 3_600_000);
    await world.send('sat1', 3);
    await world.pass(2 * FLUSHED_MS);
    const { samples } = await everything(world, asker, queryOf('sat1'));
    expect(counted(samples)).toEqual({ 3: 10 });
    const buckets = await world.done(asker.buckets(queryOf('sat1'), 100));
    expect(buckets).toMatchObject({ ok: true, value: { value: { thinned: true } } });
    world.missions.publish({
      ...world.missions.current!,
      settings: { ...world.missions.current!.settings, archive: { samplesMs: DAY_MS, minutesMs: DAY_MS } },
    });
    await world.pass(FLUSHED_MS);
    expect(owner.state?.segments).toBe(1);
  });
});

describe('two owners of one folder', () => {
  it('the one before is shut out, fails, and every sample is there once', async () => {
    const world = new ArchiveWorld();
    const disk: FileSystem & { room: number } = new FragileDisk();
    const first = await world.owner(disk);
    await world.send('sat1', 1);
    const second = await world.owner(disk, { epoch: 2, instance: 'p2' });
    await world.send('sat1', 2);
    await world.pass(FLUSHED_MS);
    expect(world.failures).toEqual([expect.objectContaining({ code: 'MCS_ARCHIVE_FENCED' })]);
    await world.done(first.stop());
    expect(second.state).toMatchObject({ position: 2 });
    const asker = await world.asker();
    expect(counted((await everything(world, asker, queryOf('sat1'))).samples)).toEqual({ 1: 10, 2: 10 });
    expect(asker.archives()).toMatchObject([{ instance: 'p2' }]);
  });

  it('is not opened by a process whose lease may be over', async () => {
    const world = new ArchiveWorld();
    world.holds = false;
    await expect(world.owner(new FragileDisk())).rejects.toMatchObject({ code: 'bus.unavailable' });
  });
});

describe('stream-archiver.A5 an owner that cannot be started', () => {
  it.each([
    ['threads are begun', 'threads', ['end']],
    ['segments are opened', 'open', ['open', 'end']],
    ['the stream is asked for', 'follow', ['open', 'end']],
  ])('is stopped when nothing goes on of what it opens, while %s', async (_name, waits, expected) => {
    const world = new ArchiveWorld();
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const calls: string[] = [];
    const workshop = async (part: ArchivePart): Promise<Workshop> => {
      if (part === 'values') throw new Error('no thread can be begun');
      if (waits === 'threads') await gate;
      const whole = workHere('', world.events);
      return Object.assign({}, whole, {
        do: async (...call: Parameters<Workshop['do']>) => {
          calls.push(call[0]);
          if (waits === call[0]) await gate;
          return (whole.do as (...given: unknown[]) => unknown)(...call);
        },
        end: async () => void calls.push('end'),
      });
    };
    const bus = world.open('owner');
    const follow = bus.follow.bind(bus);
    const followers: { isStopped: boolean }[] = [];
    bus.follow = async (...given) => {
      if (waits === 'follow') await gate;
      const follower = await follow(...given);
      const kept = { isStopped: false };
      followers.push(kept);
      const stop = async (): Promise<void> => {
        kept.isStopped = true;
        await follower.stop();
      };
      return { stop, caughtUp: follower.caughtUp };
    };
    let listeners = 0;
    const { missions } = world;
    const onChange = missions.onChange.bind(missions);
    missions.onChange = (listener) => {
      const forget = onChange(listener);
      listeners += 1;
      return () => {
        listeners -= 1;
        forget();
      };
    };
    const owner = world.made(new FragileDisk(), { bus, workshop });
    const before = listeners;
    await expect(world.done(owner.start())).rejects.toThrow('no thread can be begun');
    let isStopped = false;
    const stopping = owner.stop().then(() => {
      isStopped = true;
    });
    await world.pass(100);
    expect(isStopped).toBe(false);
    go();
    await world.done(stopping);
    expect(listeners).toBe(before);
    expect(followers.filter((each) => !each.isStopped)).toEqual([]);
    await world.sendEvents({
      time: new Date(START).toISOString(),
      kind: 'log',
      severity: 'info',
      subject: 's',
      text: 't',
      source: 's:1',
    });
    await world.pass(FLUSHED_MS);
    expect(calls).toEqual(expected);
  });
});

describe('the log of events', () => {
  const EVERYTHING = { from: 0, to: 1e13, where: {} };
  const eventOf = (n: number): LoggedEvent => ({
    time: new Date(START + n).toISOString(),
    kind: 'run',
    severity: 'info',
    subject: `r${n}`,
    text: `Event ${n}.`,
    source: `S:${n}`,
  });
  const subjectsOf = async (world: ArchiveWorld): Promise<string[]> => {
    const asker = await world.asker();
    const asked = await world.done(asker.events(EVERYTHING, { limit: 100 }));
    if (!asked.ok) throw new Error(JSON.stringify(asked.faults));
    return asked.value.value.events.map(({ subject }) => subject);
  };

  it('is archived beside the samples, read on by the next owner, and each event once', async () => {
    const world = new ArchiveWorld();
    const owner = await world.owner(new FragileDisk());
    await world.sendEvents(eventOf(1), eventOf(2));
    await world.pass(FLUSHED_MS);
    await world.sendEvents(eventOf(3));
    await world.pass(100);
    expect(owner.state?.events).toMatchObject({ position: 1, read: 2, pending: 0, segments: 1, waiting: 1 });
    expect(await subjectsOf(world)).toEqual(['r3', 'r2', 'r1']);
    await world.done(owner.stop());
    await world.sendEvents(eventOf(4));
    await world.owner(new FragileDisk());
    expect(await subjectsOf(world)).toEqual(['r4', 'r3', 'r2', 'r1']);
  });

  it('has a gap where a message cannot be read', async () => {
    const world = new ArchiveWorld();
    await world.owner(new FragileDisk());
    for (const text of ['no batch', '{"events":[{"kind":"run"}]}']) await world.sendEventBytes(text);
    await world.sendEvents(eventOf(1));
    await world.pass(FLUSHED_MS);
    const asker = await world.asker();
    const asked = await world.done(asker.events(EVERYTHING, { limit: 100 }));
    expect(asked).toMatchObject({
      ok: true,
      value: {
        value: {
          gaps: [{ first: 1, last: 2 }],
        },
      },
    });
    expect(world.deadLetters.count).toBe(2);
    expect(await subjectsOf(world)).toEqual(['r1']);
  });

  it('is kept as long as the configuration says', async () => {
    const world = new ArchiveWorld({ eventsMs: DAY_MS / 24 });
    await world.owner(new FragileDisk());
    await world.sendEvents(eventOf(1));
    await world.pass(FLUSHED_MS);
    await world.pass(2 * 3_600_000);
    await world.sendEvents(eventOf(2));
    await world.pass(FLUSHED_MS);
    await world.pass(120_000);
    expect(await subjectsOf(world)).toEqual(['r2']);
  }, 60_000);
});
