/**
 * One server per state directory: nats-server itself starts happily on a store that another one is writing.
 *
 * L1. The directory belongs to the process named in `owner.json` while that process or its server lives.
 * L2. Who a process is, and whether it lives, is what `process-identity.ts` says.
 * L3. Of an owner in another container or of an earlier boot that says nothing: while it lives it touches `owner.json`,
 *     and one that does not move for `SILENT_MS` before the eyes of whoever wants the directory is dead. Looks are
 *     counted, not time: a machine that stands still shows neither.
 */

import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identityOf, isRunning, OWN_SPACE, type ProcessIdentity } from './process-identity.ts';

export interface StateLock {
  /** Notes the server that now works on the directory. */
  serverStarted(pid: number): Promise<void>;
  release(): Promise<void>;
}

interface Owner {
  readonly owner: ProcessIdentity;
  readonly server?: ProcessIdentity;
}

/** The server of a dead owner ends by itself as soon as it notices, after it closed its store. */
const ORPHAN_MS = 5_000;
/** L3: an owner touches the file so often, and counts as dead after three times that. */
const TOUCH_MS = 1_000;
const SILENT_MS = 3 * TOUCH_MS;
const LOOK_MS = 20;

/** Takes `stateDir` for this process, creating it; rejects while a living owner or its server holds it. */
export async function lockState(stateDir: string): Promise<StateLock> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const path = join(stateDir, 'owner.json');
  await freed(stateDir, path);
  const owner = identityOf(process.pid);
  await claim(stateDir, path, { owner });
  const touching = setInterval(() => void touch(path), TOUCH_MS);
  touching.unref();
  return {
    serverStarted: (pid) => writeOwner(path, { owner, server: identityOf(pid) }),
    release: () => {
      clearInterval(touching);
      return rm(path, { force: true });
    },
  };
}

async function freed(stateDir: string, path: string): Promise<void> {
  const held = await readOwner(path);
  if (held === undefined) return;
  if (await lives(held.owner, path)) throw inUse(stateDir, held.owner.pid);
  const end = performance.now() + ORPHAN_MS;
  while (held.server !== undefined && isRunning(inOwnSpace(held.server)) === true) {
    if (performance.now() > end) throw inUse(stateDir, held.server.pid);
    await pause(LOOK_MS);
  }
  await rm(path, { force: true });
}

async function claim(stateDir: string, path: string, owner: Owner): Promise<void> {
  try {
    await writeFile(path, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new Error(`state directory ${stateDir} is being locked by another process`, { cause });
  }
}

function inUse(stateDir: string, pid: number): Error {
  return new Error(
    `state directory ${stateDir} is in use by process ${pid}: stop it, or use another directory`,
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

async function lives(owner: ProcessIdentity, path: string): Promise<boolean> {
  const running = isRunning(inOwnSpace(owner));
  if (running !== undefined) return running;
  const before = await touchedAt(path);
  for (let looks = 0; looks < SILENT_MS / LOOK_MS; looks += 1) {
    await pause(LOOK_MS);
    if ((await touchedAt(path)) !== before) return true;
  }
  return false;
}

/** An earlier release did not write down where its pids mean something. */
function inOwnSpace(process: ProcessIdentity): ProcessIdentity {
  return process.space === undefined ? { ...process, space: OWN_SPACE } : process;
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

function touchedAt(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
