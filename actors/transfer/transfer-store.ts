/**
 * The store of transfer cells: the record in bucket `mcs_transfers` is the snapshot. Mission Control Service, sections
 * 2.8 and 3.5.
 *
 * R1. Every write is conditional on the revision that was read. Who leads writes alone, but for whoever creates a
 *     transfer: an upload of other content, or of another run, takes the place of the record (transfer-writes.W1), and
 *     the cell goes on from what stands there then.
 * R2. Nothing is written once this process leads no more.
 * R3. A commit that met an outage is asked for again as a whole: what of it is done is not done again.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { readStoredTransfer, type StoredTransfer } from '../../contract/transfer.ts';
import { openEffects } from '../../machines/transfer/next.ts';
import type { TransferItem } from '../../machines/transfer/protocol.ts';
import { TRANSFER_VERSION } from '../../machines/transfer/record.ts';
import { snapshotOf } from '../../machines/transfer/step.ts';
import { transferMachine } from '../../machines/transfer/transfer.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Commit, Committed, Store, Stored } from '../../ports/entity.ts';

/** One term of leadership, as the store knows it. */
export interface TransferTerm {
  readonly epoch: number;
  holds(): boolean;
  /** This stands in the bucket now. */
  written(key: string, stored: StoredTransfer): void;
}

interface TransferStoreOptions {
  readonly bus: Bus;
  /** Undefined while this process does not lead. */
  readonly term: () => TransferTerm | undefined;
  /** Called before and behind each write, for tests. */
  readonly reached?: (point: string) => void;
}

/** How far a commit that met an outage had come (R3). */
interface Progress {
  done: number;
  position: number;
}

export function createTransferStore(options: TransferStoreOptions): Store<TransferItem> {
  const begun = new WeakMap<Commit, Progress>();
  return {
    load: (key) => load(options, key),
    commit: (wanted) => {
      const progress = begun.get(wanted) ?? { done: 0, position: wanted.position };
      begun.set(wanted, progress);
      return commit(options, wanted, progress);
    },
  };
}

async function load({ bus, term: termOf }: TransferStoreOptions, key: string): Promise<Stored | undefined> {
  const entry = await bus.bucket(buckets.transfers).get(key);
  if (entry === undefined) return undefined;
  const record = readStoredTransfer(key, entry.value);
  if (record === undefined)
    throw new Error(`the record ${key} in ${buckets.transfers.name} cannot be read: correct or remove it`);
  termOf()?.written(key, record);
  return {
    position: entry.revision,
    envelope: {
      kind: 'transfer',
      id: key,
      version: TRANSFER_VERSION,
      revision: entry.revision,
      epoch: 0,
      snapshot: transferMachine.getPersistedSnapshot(snapshotOf(record)),
      timers: [],
      effects: openEffects(record).map((effect, n) => ({
        key: `transfer:${key}:${entry.revision}:${n}`,
        effect,
      })),
    },
  };
}

async function commit(
  options: TransferStoreOptions,
  { id: key, records, epoch }: Commit<TransferItem>,
  progress: Progress,
): Promise<Committed> {
  const term = options.term();
  if (term === undefined || term.epoch !== epoch) return { outcome: 'fenced' };
  for (const { stored } of records.slice(progress.done)) {
    const revision = await write(options, key, stored, term, progress.position);
    if (revision === undefined) return { outcome: 'fenced' };
    progress.position = revision;
    progress.done += 1;
    term.written(key, stored);
  }
  return { outcome: 'committed', position: progress.position };
}

/** The revision of the record; undefined where somebody else has written, or this process leads no more (R1, R2). */
async function write(
  { bus, reached }: TransferStoreOptions,
  key: string,
  stored: StoredTransfer,
  term: TransferTerm,
  position: number,
): Promise<number | undefined> {
  if (!term.holds()) return undefined;
  const bucket = bus.bucket(buckets.transfers);
  const bytes = Buffer.from(JSON.stringify(stored));
  reached?.(`committing ${stored.state}`);
  const written = await bucket.put(key, bytes, position);
  if (written.outcome === 'written') {
    reached?.(`committed ${stored.state}`);
    return written.revision;
  }
  // One's own write whose answer an outage took (R3).
  const entry = await bucket.get(key);
  const isOwn = entry !== undefined && entry.revision > position && Buffer.compare(entry.value, bytes) === 0;
  return isOwn ? entry.revision : undefined;
}
