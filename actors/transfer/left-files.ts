/**
 * Files that nobody has decoded and that are not offered any more, since too many waited (decoding.E4): bucket
 * `mcs_left_files`. They are offered again when there is room.
 *
 * L1. An entry stands before the transfer leaves the open ones, and until it is among them again: whoever dies in
 *     between, it is done by the next leader.
 * L2. They are looked at every 30 s while there may be any, those that were left first at first. Of a target that is
 *     decoded for come as many as there is room for; of another one, one file asks for all.
 * L3. That there are none is known from a list that was answered, and only until one is left.
 * L4. An entry that was there with the look before, and was not removed here, is lost: its bucket was deleted, emptied
 *     or put back from an older copy. It is written again.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { FILE_DECODE_AGAIN_MS, FILES_OFFERED_AGAIN } from '../../contract/limits/transfer.ts';
import { Outage } from '../../contract/outage.ts';
import { type StoredTransfer, transferKey, transferNamed } from '../../contract/transfer.ts';
import { offerAgain, type TransferTools } from '../../messaging/transfer-writes.ts';
import type { Entry } from '../../ports/bus.ts';
import type { Log } from '../../ports/log.ts';

interface LeftFilesOptions extends Pick<TransferTools, 'bus' | 'over'> {
  readonly log: Log;
  /** How many more files of a target are to be offered now. */
  readonly room: (target: string) => number;
  readonly holds: () => boolean;
  readonly failed: (error: unknown) => void;
}

export class LeftFiles {
  readonly #options: LeftFilesOptions;
  /** There may be some (L3). */
  #isAny = true;
  /** Keys that have an entry, as far as is known here (L4). */
  readonly #known = new Set<string>();
  #nextLook = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  constructor(options: LeftFilesOptions) {
    this.#options = options;
  }

  /** L1. Throws `Outage`. */
  async leave(record: StoredTransfer): Promise<void> {
    const key = transferKey(record);
    await this.#bucket.overwrite(key, Buffer.from('{}'));
    this.#isAny = true;
    this.#known.add(key);
  }

  /** L2 */
  tick(now: number): void {
    if (!this.#isAny || this.#looking !== undefined) return;
    if (now < this.#nextLook && this.#nextLook - now <= FILE_DECODE_AGAIN_MS) return;
    this.#nextLook = now + FILE_DECODE_AGAIN_MS;
    this.#looking = this.#look()
      .catch((error: unknown) => {
        this.#isAny = true;
        if (!(error instanceof Outage)) this.#options.failed(error);
      })
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async stop(): Promise<void> {
    await this.#looking;
  }

  get #bucket() {
    return this.#options.bus.bucket(buckets.leftFiles);
  }

  async #look(): Promise<void> {
    // One that is left while they are listed need not be among them.
    this.#isAny = false;
    const before = [...this.#known];
    const entries = await this.#bucket.list('>');
    for (const { key } of entries) this.#known.add(key);
    await this.#writeAgain(before, entries);
    this.#isAny ||= this.#known.size > 0;
    for (const entry of this.#chosen(entries)) {
      const name = transferNamed(entry.key);
      if (!this.#options.holds()) return;
      if (name !== undefined) await offerAgain(name, this.#options);
      // Left again meanwhile, it stays.
      const removed = await this.#bucket.remove(entry.key, entry.revision);
      if (removed.outcome === 'written') this.#known.delete(entry.key);
    }
  }

  /** L4 */
  async #writeAgain(before: readonly string[], entries: readonly Entry[]): Promise<void> {
    const present = new Set(entries.map(({ key }) => key));
    const lost = before.filter((key) => !present.has(key));
    for (const key of lost) {
      if (!this.#options.holds()) return;
      await this.#bucket.put(key, Buffer.from('{}'), 0);
    }
    if (lost.length > 0)
      this.#options.log.error(
        { files: lost.length, bucket: buckets.leftFiles.name },
        'the bus lost entries of files that wait to be offered again: they are written again',
      );
  }

  #chosen(entries: readonly Entry[]): Entry[] {
    const room = new Map<string, number>();
    const chosen: Entry[] = [];
    for (const entry of [...entries].sort((one, other) => one.revision - other.revision)) {
      const target = entry.key.split('.')[0] ?? '';
      const left = room.get(target) ?? this.#options.room(target);
      room.set(target, left - 1);
      if (left > 0) chosen.push(entry);
      if (chosen.length === FILES_OFFERED_AGAIN) break;
    }
    return chosen;
  }
}
