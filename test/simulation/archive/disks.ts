/**
 * Disks of archives in a simulated run, and the work of processes on them. A disk outlives the processes; what it had
 * not synced, a cut of its power may take (test/archive/fragile-disk.ts).
 *
 * D1. A call of the work takes time, in which its process may die or fall asleep, and is done whole at its end, unless
 *     the process dies at a step of it: nothing of it reaches the disk from then on.
 * D2. What each process asked of a disk is written down, with the time and what came of it.
 */

import type { FileSystem } from '../../../archive/file-system.ts';
import { type Opened, Work } from '../../../archive/work.ts';
import { ThreadEnded, type Workshop, workHere } from '../../../archive/workshop.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ArchiveStorage } from '../../../supervision/archive/storage.ts';
import { Crash, FragileDisk } from '../../archive/fragile-disk.ts';
import type { Chance } from '../chance.ts';
import type { WorkDone } from './history.ts';

export interface Planted {
  readonly wrapDisk?: (files: FileSystem) => FileSystem;
  readonly wrapWork?: (workshop: Workshop) => Workshop;
}

interface DiskUser {
  readonly instance: string;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly isAlive: () => boolean;
  /** The process reached a step, and may be dead then. */
  readonly reached: (what: string, phase: 'asked' | 'done') => void;
  /** Time of day of the world. */
  readonly now: () => number;
}

const LONGEST_CALL_MS = 6;
const ROOT = '';

export class Disks {
  readonly #disks = new Map<string, FragileDisk>();
  readonly #logs = new Map<string, FragileDisk>();
  readonly #threads = new Map<string, Set<() => void>>();
  readonly #planted: Planted;
  /** D2 */
  readonly done: WorkDone[] = [];

  constructor(planted: Planted) {
    this.#planted = planted;
  }

  /** Identities of the archives on them. */
  get archives(): string[] {
    return [...this.#disks.keys()];
  }

  of(archive: string): FragileDisk {
    const disk = this.#disks.get(archive) ?? new FragileDisk();
    this.#disks.set(archive, disk);
    return disk;
  }

  #logOf(archive: string): FragileDisk {
    const disk = this.#logs.get(archive) ?? new FragileDisk();
    this.#logs.set(archive, disk);
    return disk;
  }

  /** What a process has of them. */
  storage(user: DiskUser): ArchiveStorage {
    return {
      identity: async (folder) => archiveOf(folder),
      workshop: async (folder, part) => {
        // The log of events is kept as values are, and what is broken here is looked for in values.
        if (part === 'events') return workHere(ROOT, this.#logOf(archiveOf(folder)));
        const workshop = this.#workshop(archiveOf(folder), user);
        return this.#planted.wrapWork?.(workshop) ?? workshop;
      },
    };
  }

  /** The threads of a process die; what they were asked is rejected, and others begin with the next call. */
  endThreads(instance: string): void {
    for (const end of this.#threads.get(instance) ?? []) end();
  }

  #workshop(archive: string, user: DiskUser): Workshop {
    const seen = mortal(this.of(archive), user);
    const files = this.#planted.wrapDisk?.(seen) ?? seen;
    const [writer, reader] = [new Lane(files, user), new Lane(files, user)];
    const ends = this.#threads.get(user.instance) ?? new Set();
    this.#threads.set(user.instance, ends);
    const end = (): void => void [writer, reader].map((lane) => lane.end());
    ends.add(end);
    return {
      do: async (name, ...args) => {
        const by = { archive, instance: user.instance, name, args, asked: user.now() };
        const value = await writer.call(name, args);
        this.done.push({ ...by, at: user.now(), value: value as Opened });
        return value as ReturnType<Work[typeof name]>;
      },
      ask: async (name, signal, ...args) => {
        signal?.throwIfAborted();
        const asked = [...(args as readonly unknown[]), () => signal?.throwIfAborted()];
        return (await reader.call(name, asked)) as ReturnType<Work[typeof name]>;
      },
      end: async () => void ends.delete(end),
    };
  }
}

/** The archive of a state folder. */
export function archiveOf(folder: string): string {
  return `of-${folder.split('/').filter(Boolean).at(0)}`;
}

/** A thread: calls in their order, each after a moment. */
class Lane {
  readonly #files: FileSystem;
  readonly #user: DiskUser;
  #work: Work;
  #last: Promise<unknown> = Promise.resolve();
  #life = 0;

  constructor(files: FileSystem, user: DiskUser) {
    this.#files = files;
    this.#user = user;
    this.#work = new Work(files, ROOT);
  }

  end(): void {
    this.#life += 1;
    this.#work = new Work(this.#files, ROOT);
  }

  call(name: keyof Work, args: readonly unknown[]): Promise<unknown> {
    const life = this.#life;
    const { reached } = this.#user;
    const done = this.#last.then(async () => {
      // What is gathered is handed over, and waited for by nobody.
      if (name !== 'add') await this.#moment();
      if (life !== this.#life) throw new ThreadEnded('a thread of the archive has ended');
      reached(`work ${name}`, 'asked');
      this.#expectAlive();
      const call = this.#work[name] as (...given: unknown[]) => unknown;
      const value = call.apply(this.#work, [...args]);
      reached(`work ${name}`, 'done');
      this.#expectAlive();
      return value;
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  #moment(): Promise<void> {
    const { clock, chance } = this.#user;
    return new Promise((resolve) => void clock.setTimeout(resolve, LONGEST_CALL_MS * chance.next()));
  }

  #expectAlive(): void {
    if (!this.#user.isAlive()) throw new Crash('the process is dead');
  }
}

/** The disk as a process reaches it: each operation is a step at which it may die (D1). */
function mortal(disk: FileSystem, { isAlive, reached }: DiskUser): FileSystem {
  const step = <Done>(what: string, act: () => Done): Done => {
    const expectAlive = (): void => {
      if (!isAlive()) throw new Crash(what);
    };
    expectAlive();
    reached(`disk ${what}`, 'asked');
    expectAlive();
    const done = act();
    reached(`disk ${what}`, 'done');
    expectAlive();
    return done;
  };
  return {
    list: (path) => step(`list ${path}`, () => disk.list(path)),
    makeDirectory: (path) => step(`make ${path}`, () => disk.makeDirectory(path)),
    claimDirectory: (path) => step(`claim ${path}`, () => disk.claimDirectory(path)),
    create: (path) => {
      const file = step(`create ${path}`, () => disk.create(path));
      return {
        append: (bytes) => step(`append ${path}`, () => file.append(bytes)),
        sync: () => step(`sync ${path}`, () => file.sync()),
        close: () => file.close(),
      };
    },
    open: (path) => step(`open ${path}`, () => disk.open(path)),
    rename: (from, to) => step(`rename ${from} ${to}`, () => disk.rename(from, to)),
    syncDirectory: (path) => step(`sync-directory ${path}`, () => disk.syncDirectory(path)),
    remove: (path) => step(`remove ${path}`, () => disk.remove(path)),
  };
}
