/**
 * One server per state directory: nats-server itself starts happily on a store that another one is writing.
 *
 * L1. The directory belongs to the process named in `owner.json` while that process or its server lives.
 * L2. A process is its pid together with its start time: a pid comes round again, in a container at once.
 */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface StateLock {
  /** Notes the server that now works on the directory. */
  serverStarted(pid: number): Promise<void>;
  release(): Promise<void>;
}

interface LivingProcess {
  readonly pid: number;
  /** Clock ticks since boot, where the system tells. */
  readonly started?: string;
}

interface Owner {
  readonly owner: LivingProcess;
  readonly server?: LivingProcess;
}

/** The server of a dead owner ends by itself as soon as it notices, after it closed its store. */
const ORPHAN_MS = 5_000;

/** Takes `stateDir` for this process, creating it; rejects while a living owner or its server holds it. */
export async function lockState(stateDir: string): Promise<StateLock> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const path = join(stateDir, 'owner.json');
  await freed(stateDir, path);
  const owner = await identify(process.pid);
  await claim(stateDir, path, { owner });
  return {
    serverStarted: async (pid) => writeOwner(path, { owner, server: await identify(pid) }),
    release: () => rm(path, { force: true }),
  };
}

async function freed(stateDir: string, path: string): Promise<void> {
  const held = await readOwner(path);
  if (held === undefined) return;
  if (await lives(held.owner)) throw inUse(stateDir, held.owner.pid);
  const end = performance.now() + ORPHAN_MS;
  while (held.server !== undefined && (await lives(held.server))) {
    if (performance.now() > end) throw inUse(stateDir, held.server.pid);
    await pause(20);
  }
  await rm(path, { force: true });
}

async function claim(stateDir: string, path: string, owner: Owner): Promise<void> {
  try {
    await writeFile(path, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new Error(`state directory ${stateDir} is being taken by another process`, { cause });
  }
}

function inUse(stateDir: string, pid: number): Error {
  return new Error(
    `state directory ${stateDir} is in use by process ${pid}: stop it, or give this one another directory`,
  );
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

function writeOwner(path: string, owner: Owner): Promise<void> {
  return writeFile(path, JSON.stringify(owner), { mode: 0o600 });
}

async function identify(pid: number): Promise<LivingProcess> {
  const started = await startTime(pid);
  return started === undefined ? { pid } : { pid, started };
}

async function lives({ pid, started }: LivingProcess): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const now = await startTime(pid);
  return started === undefined || now === undefined || now === started;
}

/** Field 22 of /proc/<pid>/stat; the name in field 2 may hold spaces and brackets. */
async function startTime(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}
