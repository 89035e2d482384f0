/**
 * Two owners of one archive: the one that was asleep while the other one opened it writes nothing and removes nothing,
 * wherever it fell asleep (writing-place.P1, P2).
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import { Work } from '../../archive/work.ts';
import { workHere } from '../../archive/workshop.ts';
import { FENCED, isStream } from '../../archive/writing-place.ts';
import type { Level } from '../../contract/history.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { until } from '../support/until.ts';
import { FragileDisk } from './fragile-disk.ts';
import { blockOf, HOUR, messageOf, PLATFORM } from './values.ts';

const STREAM = 'S1';

function message(position: number) {
  const rows = [...Array(10).keys()].map((n) => ({
    ground: HOUR + position * 60_000 + n,
    cells: [position],
  }));
  return messageOf(position, [blockOf([2], rows)], { storedMs: HOUR + position * 60_000 });
}

/** An owner, step by step. */
class Owner {
  readonly work: Work;
  readonly writing: string;
  next: number;

  constructor(disk: FragileDisk) {
    this.work = new Work(disk, '');
    const { writing, streams } = this.work.open();
    this.writing = writing;
    const own = streams.find(({ stream }) => stream === STREAM);
    expect(own?.damaged ?? []).toEqual([]);
    this.next = (own?.segments.at(-1)?.last ?? 0) + 1;
  }

  /** The next positions as a segment. */
  seal(count: number): void {
    const [first, last] = [this.next, this.next + count - 1];
    for (let position = first; position <= last; position += 1)
      this.work.add({ message: message(position), digest: PLATFORM.digest, platform: PLATFORM });
    const received = [HOUR + first * 60_000, HOUR + last * 60_000] as const;
    const { writing } = this;
    this.work.seal({ writing, stream: STREAM, first, last, received, gaps: [], messages: count });
    this.next = last + 1;
  }

  compact(first: number, last: number, each: number, level: Level = 'hour'): void {
    const parts = Array.from({ length: (last - first + 1) / each }, (_, n) => ({
      first: first + n * each,
      last: first + (n + 1) * each - 1,
      level: 'part' as const,
    }));
    this.work.compact(this.writing, STREAM, parts, level);
    this.work.remove(this.writing, STREAM, parts);
  }
}

/** Every position to that one is in one segment, with its samples, and nothing else is there. */
function expectWhole(disk: FragileDisk, last: number): void {
  const { streams } = new Work(disk, '').open();
  expect(streams.map(({ stream }) => stream)).toEqual([STREAM]);
  const { segments, damaged } = streams[0]!;
  expect(damaged).toEqual([]);
  let next = 1;
  for (const segment of segments) {
    expect(segment.first).toBe(next);
    expect(segment.samples).toBe((segment.last - segment.first + 1) * 10);
    next = segment.last + 1;
  }
  expect(next).toBe(last + 1);
  expect(disk.list('').filter((name) => !isStream(name))).toHaveLength(1);
  expect(disk.list(`/${STREAM}`)).toHaveLength(segments.length);
}

/** Does it with another owner in between, in front of every operation in turn; how often it came too late. */
function inFrontOfEach(done: (owner: Owner) => void, meanwhile: (other: Owner) => void): number {
  let fenced = 0;
  for (let at = 1; ; at += 1) {
    const disk = new FragileDisk();
    const owner = new Owner(disk);
    for (let n = 0; n < 3; n += 1) owner.seal(2);
    let other: Owner | undefined;
    disk.interrupt = {
      at: disk.operations + at,
      run: () => {
        other = new Owner(disk);
        meanwhile(other);
      },
    };
    try {
      done(owner);
    } catch (error) {
      expect(error).toMatchObject({ code: FENCED });
      fenced += 1;
    }
    if (other === undefined) return fenced;
    other.seal(2);
    expectWhole(disk, other.next - 1);
    // It is over for good.
    owner.work.begin();
    expect(() => owner.seal(1)).toThrow(expect.objectContaining({ code: FENCED }));
  }
}

describe('an owner that sleeps while another one opens the archive', () => {
  it('commits no segment of positions that the other one has', () => {
    const fenced = inFrontOfEach(
      (owner) => owner.seal(4),
      (other) => other.seal(3),
    );
    expect(fenced).toBeGreaterThan(10);
  });

  it('compacts nothing that the other one has compacted, and removes none of its segments', () => {
    const fenced = inFrontOfEach(
      (owner) => owner.compact(1, 6, 2),
      (other) => other.seal(1),
    );
    expect(fenced).toBeGreaterThan(10);
  });

  it('removes by its retention nothing that is there for the other one', () => {
    for (let at = 1; at < 4; at += 1) {
      const disk = new FragileDisk();
      const owner = new Owner(disk);
      owner.seal(2);
      owner.seal(2);
      let there: readonly string[] = [];
      const run = (): void => {
        new Owner(disk).seal(1);
        there = [...disk.list(`/${STREAM}`)].sort();
      };
      disk.interrupt = { at: disk.operations + at, run };
      const remove = (): void =>
        owner.work.remove(owner.writing, STREAM, [{ first: 1, last: 2, level: 'part' }]);
      // In front of the first rename, or behind it: then it was gone before the other one looked.
      if (at === 1) expect(remove).toThrow(expect.objectContaining({ code: FENCED }));
      else remove();
      expect([...disk.list(`/${STREAM}`)].sort()).toEqual(there);
    }
  });

  it('is informed once, and nothing is lost by asking it', async () => {
    const disk = new FragileDisk();
    const clock = new ManualClock(HOUR);
    const lost: string[] = [];
    const open = () =>
      Archive.open(workHere('', disk), { stream: STREAM, clock, lost: ({ message: why }) => lost.push(why) });
    const one = await open();
    await one.append(message(1), PLATFORM);
    const other = await open();
    expect(await one.flush()).toBe(false);
    expect(await one.flush()).toBe(false);
    expect(await one.maintain()).toBeUndefined();
    expect(lost).toEqual([expect.stringContaining('another process has opened the archive')]);
    await one.close();
    expect(other.readFrom).toBe(1);
    await other.append(message(1), PLATFORM);
    expect(await other.flush()).toBe(true);
    expectWhole(disk, 1);
  });
});

/** Its state stands behind its name, which is in parentheses. */
const isStopped = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.startsWith('T');

describe('a process that is stopped in front of its rename and goes on later', () => {
  it('finds that it is the owner no more', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcs-owners-'));
    const program = join(import.meta.dirname, 'sleeping-owner.fixture.ts');
    const sleeper = spawn(process.execPath, ['--import', 'tsx', program, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(sleeper, 'exit');
    try {
      const lines = createInterface(sleeper.stdout)[Symbol.asyncIterator]();
      // It stops itself between the last sync of its files and the rename that makes them a segment, a moment after it
      // has said so: what wakes it before that is lost.
      expect((await lines.next()).value).toBe('sleeps');
      await until(() => isStopped(sleeper.pid!), { what: 'its sleep' });
      const clock = new ManualClock(HOUR);
      const archive = await Archive.open(workHere(folder), { stream: STREAM, clock });
      for (const position of [1, 2]) await archive.append(message(position), PLATFORM);
      expect(await archive.flush()).toBe(true);
      sleeper.kill('SIGCONT');
      expect((await lines.next()).value).toContain('another process has opened the archive');
      await exited;
      expect(readdirSync(join(folder, STREAM))).toEqual(['1-2']);
      await archive.append(message(3), PLATFORM);
      expect(await archive.flush()).toBe(true);
      await archive.close();
      const again = await Archive.open(workHere(folder), { stream: STREAM, clock });
      expect(again).toMatchObject({ readFrom: 4, damaged: [] });
    } finally {
      sleeper.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
