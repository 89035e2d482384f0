/**
 * Datagrams that the kernel dropped since a socket had no room for them: nobody else knows of them. As `/proc/net/udp`
 * counts them, for each socket since it was opened.
 *
 * D1. The table is read at most once every `UDP_DROPS_LOOK_MS` for all sockets of the process.
 * D2. A socket is known by its inode, which is unique while it is open. Where the system does not say, nothing is
 *     counted.
 */

import { fstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { UDP_DROPS_LOOK_MS } from '../../contract/limits/link.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { joinRounds } from '../../ports/shared-rounds.ts';

const TABLES = ['/proc/net/udp', '/proc/net/udp6'];
/** Columns of the table, counted from 0. */
const [INODE, DROPS] = [9, 12];

let table: Promise<ReadonlyMap<string, number>> | undefined;
let readAt = Number.NEGATIVE_INFINITY;

interface DropsTools {
  readonly clock: Clock;
  readonly log: Log;
}

/** What was dropped of one gateway, over all its sockets; in the log when it begins. */
export class UdpDrops {
  readonly #tools: DropsTools;
  /** By sockets that were closed since, and by the one that is open. */
  #before = 0;
  #now = 0;
  #isDropping = false;
  #leave: (() => void) | undefined;
  #socket: Followed | undefined;

  constructor(tools: DropsTools) {
    this.#tools = tools;
  }

  get count(): number {
    return this.#before + this.#now;
  }

  /** Counts those of this socket from now on. */
  follow(descriptor: () => number | undefined): void {
    this.stop();
    this.#before += this.#now;
    this.#now = 0;
    this.#socket = { descriptor, inode: undefined, isLooking: false };
    this.#leave = joinRounds(this.#tools.clock, UDP_DROPS_LOOK_MS, () => void this.#look());
  }

  stop(): void {
    this.#leave?.();
    this.#socket = undefined;
  }

  async #look(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.isLooking) return;
    socket.isLooking = true;
    const dropped = (await droppedBy(socket)) ?? this.#now;
    socket.isLooking = false;
    if (socket !== this.#socket) return;
    const isMore = dropped > this.#now;
    if (isMore && !this.#isDropping)
      this.#tools.log.warn(
        { dropped: dropped - this.#now },
        'the kernel drops datagrams of this gateway: its process is too slow, or its receive buffer too small',
      );
    this.#isDropping = isMore;
    this.#now = dropped;
  }
}

interface Followed {
  readonly descriptor: () => number | undefined;
  /** Once it is known (D2). */
  inode: string | undefined;
  isLooking: boolean;
}

/** Of this socket; undefined where the system does not say. */
async function droppedBy(socket: Followed): Promise<number | undefined> {
  if (performance.now() - readAt >= UDP_DROPS_LOOK_MS || table === undefined) {
    readAt = performance.now();
    table = readTables();
  }
  const drops = await table;
  socket.inode ??= inodeOf(socket.descriptor());
  return socket.inode === undefined ? undefined : drops.get(socket.inode);
}

function inodeOf(descriptor: number | undefined): string | undefined {
  if (descriptor === undefined) return undefined;
  try {
    return String(fstatSync(descriptor).ino);
  } catch {
    return undefined;
  }
}

async function readTables(): Promise<ReadonlyMap<string, number>> {
  const drops = new Map<string, number>();
  for (const path of TABLES) {
    const text = await readFile(path, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      const columns = line.trim().split(/\s+/);
      const [inode, dropped] = [columns[INODE], Number(columns[DROPS])];
      if (inode !== undefined && Number.isFinite(dropped)) drops.set(inode, dropped);
    }
  }
  return drops;
}
