/**
 * The runs of one shard that are taken up and not over (bucket `mcs_open_runs`): what a new owner takes over. Mission
 * Control Service, section 3.2.
 *
 * U1. A run is entered before its cell lives and removed after everything of its end is stored: none is ever lost
 *     between.
 * U3. An entry that cannot be read is skipped, and reported to who lists them: it is one run, and no other waits for
 *     it. Whoever enters that run writes over it.
 * U2. A pending suspension is kept here until the log shows it, so that it survives the process that took it.
 */

import { createHash } from 'node:crypto';
import { buckets } from '../../contract/bus/buckets.ts';
import { RUN_SHARDS } from '../../contract/limits/run.ts';
import type { OpenRun } from '../../contract/run-wire.ts';
import type { Bucket, Bus, Entry } from '../../ports/bus.ts';

/** The shard of a run: every executor comes to the same. */
export function shardOf(run: string): string {
  return String(createHash('sha256').update(run).digest().readUInt32BE(0) % RUN_SHARDS);
}

export function shardNames(): string[] {
  return Array.from({ length: RUN_SHARDS }, (_, shard) => String(shard));
}

/** Throws `Outage` wherever the bus is away. */
export class OpenRuns {
  readonly #bucket: Bucket;
  readonly #shard: string;

  constructor(bus: Bus, shard: string) {
    this.#bucket = bus.bucket(buckets.openRuns);
    this.#shard = shard;
  }

  async list(unreadable: (key: string) => void = () => undefined): Promise<OpenRun[]> {
    return (await this.#bucket.list(`${this.#shard}.*`)).flatMap((entry) => {
      const open = parse(entry);
      if (open === undefined) unreadable(entry.key);
      return open ?? [];
    });
  }

  /** The run as it is entered; undefined when it is not. */
  async find(run: string): Promise<OpenRun | undefined> {
    const entry = await this.#bucket.get(this.#key(run));
    return entry && parse(entry);
  }

  /** Enters a run; one that is entered already stays as it is. What stands there then. */
  async enter(open: OpenRun): Promise<OpenRun> {
    const written = await this.#bucket.put(this.#key(open.run), bytes(open), 0);
    if (written.outcome === 'written') return open;
    const entry = await this.#bucket.get(this.#key(open.run));
    const standing = entry && parse(entry);
    if (entry === undefined || standing !== undefined) return standing ?? this.enter(open);
    const over = await this.#bucket.put(entry.key, bytes(open), entry.revision);
    return over.outcome === 'written' ? open : this.enter(open);
  }

  /** Keeps who asked for a suspension, or forgets it. */
  wish(run: string, by: string | undefined): Promise<void> {
    return this.#change(run, ({ suspendBy: _, ...open }) => ({
      ...open,
      ...(by !== undefined && { suspendBy: by }),
    }));
  }

  /** Forgets the pending suspension of a reaction, and no other. */
  unwish(run: string, by: string): Promise<void> {
    return this.#change(run, (open) => {
      if (open.suspendBy !== by) return open;
      const { suspendBy: _, ...rest } = open;
      return rest;
    });
  }

  async remove(run: string): Promise<void> {
    for (;;) {
      const entry = await this.#bucket.get(this.#key(run));
      if (entry === undefined) return;
      if ((await this.#bucket.remove(entry.key, entry.revision)).outcome === 'written') return;
    }
  }

  async #change(run: string, changed: (open: OpenRun) => OpenRun): Promise<void> {
    for (;;) {
      const entry = await this.#bucket.get(this.#key(run));
      if (entry === undefined) return;
      const open = parse(entry);
      if (open === undefined) return;
      const next = changed(open);
      if (next === open) return;
      const written = await this.#bucket.put(entry.key, bytes(next), entry.revision);
      if (written.outcome === 'written') return;
    }
  }

  #key(run: string): string {
    return `${this.#shard}.${run}`;
  }
}

/** U3 */
function parse({ value }: Entry): OpenRun | undefined {
  try {
    const open = JSON.parse(Buffer.from(value).toString()) as Partial<OpenRun> | null;
    const isWhole = typeof open?.run === 'string' && typeof open.ir === 'string';
    return isWhole ? (open as OpenRun) : undefined;
  } catch {
    return undefined;
  }
}

function bytes(open: OpenRun): Buffer {
  return Buffer.from(JSON.stringify(open));
}
