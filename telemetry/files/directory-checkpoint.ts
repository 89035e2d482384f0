/**
 * What stands in `mcs_directories` under the name of a target: what is known of its files on board, MessagePack
 * compressed. It stands beside the checkpoint of the current values, for it is large and changes seldom (decision 38).
 *
 * D1. It is written before the checkpoint that covers the same positions, and read behind it: whoever has read a
 *     checkpoint finds here all that it covers, and maybe more. What is read twice changes nothing.
 * D2. One of a version unknown here is none: the stream holds what it would have said of the last days.
 */

import { Packr } from 'msgpackr';
import { buckets } from '../../contract/bus/buckets.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Log } from '../../ports/log.ts';
import { compressed, expanded } from '../compressed.ts';
import { FencedEntry } from '../fenced-entry.ts';
import { readableFiles } from '../reading/file-samples.ts';
import type { FilesPart } from './known-files.ts';

export interface Directory {
  /** Fencing token of the owner who wrote it. */
  readonly epoch: number;
  readonly parts: readonly FilesPart[];
}

/** Counts up with the form. */
const VERSION = 1;
const packr = new Packr({ useRecords: false, moreTypes: true });

export async function encodeDirectory(directory: Directory): Promise<Uint8Array> {
  const packed = packr.pack({ version: VERSION, ...directory });
  return compressed(packed);
}

/** The directory in the bytes; undefined when they hold none of this version (D2). */
export async function decodeDirectory(bytes: Uint8Array): Promise<Directory | undefined> {
  try {
    const { version, epoch, parts } = packr.unpack(await expanded(bytes));
    if (version !== VERSION || typeof epoch !== 'number' || !Array.isArray(parts)) return undefined;
    return { epoch, parts: parts.map(partOf) };
  } catch {
    return undefined;
  }
}

function partOf({ link, deferred, samples }: FilesPart): FilesPart {
  return { link: String(link), deferred: deferred === true, samples: readableFiles(samples) };
}

/** Those of the targets that have one. Rejects with `Outage`. */
export async function readDirectories(
  bus: Bus,
  targets: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Directory>> {
  const found = new Map<string, Directory>();
  for (const { key, value } of await bus.bucket(buckets.directories).list('>')) {
    const directory = targets.has(key) ? await decodeDirectory(value) : undefined;
    if (directory !== undefined) found.set(key, directory);
  }
  return found;
}

interface DirectoryWriterOptions {
  readonly bus: Bus;
  readonly target: string;
  readonly epoch: number;
  readonly log: Log;
  /** What is stored; undefined where the target has no directory. */
  readonly files: () => WrittenFiles | undefined;
}

interface WrittenFiles {
  readonly version: number;
  snapshot(): readonly FilesPart[];
}

/** Writes the directory of one target for its owner, when it has changed. */
export class DirectoryWriter {
  readonly #options: DirectoryWriterOptions;
  readonly #entry: FencedEntry;
  /** The store and the version of it that was written. */
  #written: { readonly files: WrittenFiles | undefined; readonly version: number } | undefined;

  constructor(options: DirectoryWriterOptions) {
    const { bus, target, epoch } = options;
    this.#options = options;
    this.#entry = new FencedEntry({
      bucket: bus.bucket(buckets.directories),
      key: target,
      epoch,
      epochOf: async (bytes) => (await decodeDirectory(bytes))?.epoch,
    });
  }

  /** What was written last, by whichever owner. Rejects with `Outage`. */
  async load(): Promise<Directory | undefined> {
    const { log } = this.#options;
    const entry = await this.#entry.load();
    const directory = entry && (await decodeDirectory(entry.value));
    if (entry !== undefined && directory === undefined)
      log.warn({ key: entry.key }, 'on-board directory unreadable, replaying');
    return directory;
  }

  /** Writes what is not written yet. Rejects with `Outage`. */
  async write(): Promise<'written' | 'again' | 'lost'> {
    const { epoch, files: current } = this.#options;
    const files = current();
    if (files === undefined || files.version === this.#writtenVersion(files)) return 'written';
    const { version } = files;
    const outcome = await this.#entry.put(await encodeDirectory({ epoch, parts: files.snapshot() }));
    if (outcome === 'written') this.#written = { files, version };
    return outcome;
  }

  /** A store that nothing was ever put into has nothing to write. */
  #writtenVersion(files: WrittenFiles): number {
    return this.#written?.files === files ? this.#written.version : 0;
  }
}
