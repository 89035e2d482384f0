/**
 * What the leader of `transfers` runs: every transfer that is open, one cell for each. Mission Control Service,
 * sections 3.5 and 4.7.
 *
 * S1. It begins with the entries of the open transfers and follows them: what is final costs nothing, however much of
 *     it is recorded. An entry without a record is of somebody who is about to write it.
 * S2. Bytes are stored before they are recorded, and recorded before the low-water mark of the chunks passes them:
 *     whatever dies in between, they are read again and nothing is lost.
 * S3. A record is written at most once a second for bytes that arrive.
 * S4. What is gathered of all files has a bound; chunks wait in their stream where there is more.
 * S5. Nothing of another generation is taken up: a newer one supersedes the transfer, an older one is left out
 *     (MC-GEN-022).
 * S6. Nothing is asked before what arrived until now was taken: a new leader asks for what is missing (MC-XFER-049).
 */

import { type DecodedBatch, encodeBatch } from '../../contract/batch.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { ByteRange } from '../../contract/byte-ranges.ts';
import { TRANSFER_GATHER_MS, TRANSFER_TICK_MS } from '../../contract/limits.ts';
import { receivedBy, type StoredTransfer, transferKey } from '../../contract/transfer.ts';
import type { TransferChartEvent, TransferEffect } from '../../machines/transfer/protocol.ts';
import type { Target } from '../../mission/mission.ts';
import type { Bus } from '../../ports/bus.ts';
import type { CellOwner, Cells, Gone } from '../../ports/cells.ts';
import type { ChecksumOf } from '../../ports/checksums.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { FileDirectory, ListedFile } from '../../ports/file-directory.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { Assembly } from './assembly.ts';
import type { TransferServices } from './binding.ts';
import { type ArrivedChunk, ChunkIntake } from './chunk-intake.ts';
import type { Delivery, DeliveryEvents, Undelivered } from './delivery.ts';
import { Listings } from './listings.ts';
import { OpenIndex } from './open-index.ts';
import { type Hindering, OpenTransfer } from './open-transfer.ts';
import { Parts } from './parts.ts';
import { Storing } from './storing.ts';
import type { TransferTerm } from './transfer-store.ts';

/** How files of a target are brought over, by the protocol of its catalogue. */
export type Deliveries = (events: DeliveryEvents) => {
  readonly of: (protocol: 'cfdp' | undefined) => Delivery;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export interface TransferServiceOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
  readonly files: FileDirectory;
  /** Fencing token of the leader. */
  readonly epoch: number;
  /** Whether this process still leads, now. */
  readonly holds: () => boolean;
  /** The service cannot continue: its leader starts it again. */
  readonly failed: (error: unknown) => void;
  readonly cells: Cells<unknown, TransferChartEvent>;
  readonly deliveries: Deliveries;
  readonly checksumOf: ChecksumOf;
  /** Bytes that were asked for, or that came (MC-MET-003). */
  readonly count: (target: string, outcome: 'asked' | 'received', bytes: number) => void;
}

/** Before bytes are given again to a record that does not have them. */
const TELL_AGAIN_MS = 5_000;

export class TransferService implements TransferTerm, TransferServices, CellOwner, DeliveryEvents {
  readonly epoch: number;
  readonly #options: TransferServiceOptions;
  readonly #open = new Map<string, OpenTransfer>();
  /** Keys of those of one file. */
  readonly #byFile = new Map<string, Set<string>>();
  readonly #parts: Parts;
  readonly #assembly: Assembly;
  readonly #storing: Storing;
  readonly #index: OpenIndex;
  readonly #intake: ChunkIntake;
  readonly #listings: Listings;
  readonly #delivery: ReturnType<Deliveries>;
  #timer: TimerHandle | undefined;
  /** S6 */
  #isAsking = false;
  #stopped = false;

  constructor(options: TransferServiceOptions) {
    this.#options = options;
    const { bus, clock, log, epoch, files, deliveries, checksumOf } = options;
    const failed = (error: unknown): void => this.#failed(error);
    this.epoch = epoch;
    this.#parts = new Parts(bus);
    this.#assembly = new Assembly(bus, this.#parts, checksumOf);
    this.#storing = new Storing({
      clock,
      parts: this.#parts,
      holds: () => this.holds(),
      stored: (open) => this.#tellDue(open, clock.now()),
      hindered: (open, reason) => this.#hindered(open, 'store', reason),
      failed,
    });
    this.#index = new OpenIndex({
      bus,
      clock,
      log,
      found: (key, record) => this.#found(key, record),
      failed,
    });
    this.#intake = new ChunkIntake({
      bus,
      clock,
      log,
      epoch,
      take: (chunk) => this.#take(chunk),
      firstOpen: () => this.#firstOpen(),
      failed,
    });
    this.#listings = new Listings(files, (target, file) => this.#listed(target, file));
    this.#delivery = deliveries(this);
  }

  /** Takes the transfers over. Rejects with `Outage`. */
  async start(): Promise<void> {
    await this.#index.start();
    await this.#delivery.start();
    this.#later();
    await this.#intake.start();
    this.#isAsking = true;
  }

  /** Leaves every transfer where it stands: the next leader goes on from the records. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#listings.stop();
    // Whoever waits for room is let go first, or the follower would not end.
    await Promise.all([this.#storing.stop(), this.#intake.stop()]);
    await Promise.all([this.#delivery.stop(), this.#index.stop()]);
    for (const key of [...this.#options.cells.ids()]) this.#options.cells.drop(key);
  }

  /** Transfers that are open. */
  get size(): number {
    return this.#open.size;
  }

  // For the cells ----------------------------------------------------------------------------------------------------

  epochOf(): number {
    return this.epoch;
  }

  holds(): boolean {
    return !this.#stopped && this.#options.holds();
  }

  gone(key: string, why: Gone): void {
    const open = this.#open.get(key);
    if (open === undefined || this.#stopped) return;
    if (why === 'quarantined') {
      open.isQuarantined = true;
      void this.#storing.drop(open);
    }
    if (why !== 'fenced') return;
    if (!this.holds()) return this.#failed(new Error(`another leader writes transfer ${key}`));
    this.#forget(open);
    this.#index.again(key);
  }

  async resumed(key: string): Promise<void> {
    const open = this.#open.get(key);
    if (open !== undefined) open.isQuarantined = false;
  }

  written(key: string, stored: StoredTransfer): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    const more = receivedBy(stored).total - receivedBy(open.record).total;
    if (more > 0) this.#options.count(stored.target, 'received', more);
    open.recorded(stored);
    if (more < 0) open.gathering.restart(stored);
    if (!open.isReceiving) this.#delivery.of(this.#protocolOf(open)).forget(key);
  }

  recordOf(key: string): StoredTransfer | undefined {
    return this.#open.get(key)?.record;
  }

  async publish({ name, change }: Extract<TransferEffect, { type: 'effect.publish' }>): Promise<void> {
    const { bus, missions } = this.#options;
    const target = missions.current?.targets.get(name.target);
    if (target?.platform === undefined || !this.holds()) return;
    const batch: DecodedBatch = {
      platform: target.platform.digest,
      link: target.defaultLink,
      blocks: [],
      reports: [],
      files: [
        {
          file: name.file_id,
          ground: Date.parse(change.at),
          onboard: Number.NaN,
          transfer: change.state,
          transfer_generation: name.generation,
        },
      ],
    };
    const id = `transfer-${transferKey(name)}-${change.state}-${change.at}`;
    const headers = { [header.config]: missions.current?.revision ?? '' };
    await bus.append(streams.decoded, subject.decoded(name.target), encodeBatch(batch), { id, headers });
  }

  async assemble(record: StoredTransfer): Promise<StoredTransfer['actor']['content']> {
    if (record.direction === 'upload') return { sha256: record.source ?? '' };
    return this.#assembly.assemble(record, this.#algorithmOf(record));
  }

  async verify(
    record: StoredTransfer,
    signal: AbortSignal,
  ): Promise<Omit<Extract<TransferChartEvent, { type: 'checksum.compared' }>, 'at'> | undefined> {
    const files = this.#filesOf(record);
    const isDownload = record.direction === 'download';
    const isType = files?.types.some(({ number, decode }) => decode && number === record.file_type) === true;
    const compared = { type: 'checksum.compared', decodable: isDownload && isType } as const;
    if (!isDownload && files?.transfer.list === undefined)
      return { ...compared, comparison: { outcome: 'unlisted' } };
    const listed = isDownload ? this.#checksumListed(record) : await this.#nextListing(record, signal);
    if (signal.aborted) return undefined;
    const comparison = await this.#assembly.compare(record, this.#algorithmOf(record), listed);
    return { ...compared, comparison };
  }

  async close(record: StoredTransfer): Promise<void> {
    const key = transferKey(record);
    const open = this.#open.get(key);
    if (open === undefined || !this.holds()) return;
    await this.#storing.drop(open);
    if (record.direction === 'download') {
      const known = receivedBy(record).list();
      await this.#parts.remove(record, known);
    }
    await this.#index.leave(key);
    // Its cell waits for this effect, and is dropped when that is over.
    this.#options.clock.setTimeout(() => {
      if (this.#open.get(key) !== open || this.#stopped) return;
      this.#forget(open);
      // Somebody may have asked for it again meanwhile.
      this.#index.again(key);
    }, 0);
  }

  hindered(key: string, reason: string | undefined): void {
    const open = this.#open.get(key);
    if (open !== undefined) this.#hindered(open, 'delivery', reason);
  }

  // Of the deliveries ------------------------------------------------------------------------------------------------

  acknowledged(key: string, range: ByteRange): void {
    this.#open.get(key)?.gathering.acknowledged(range);
  }

  asked(target: string, bytes: number): void {
    this.#options.count(target, 'asked', bytes);
  }

  // Which are open ---------------------------------------------------------------------------------------------------

  #failed(error: unknown): void {
    if (!this.#stopped) this.#options.failed(error);
  }

  #found(key: string, record: StoredTransfer): void {
    const known = this.#open.get(key);
    if (known?.isOf(record) === true) return;
    if (known !== undefined) this.#forget(known);
    const open = new OpenTransfer(key, record);
    this.#open.set(key, open);
    const file = fileKey(record.target, record.file_id);
    this.#byFile.set(file, (this.#byFile.get(file) ?? new Set()).add(key));
    this.#listings.follow(record.target);
    this.#options.cells.wake(key);
    this.#listed(record.target, record.file_id);
    this.#later();
  }

  #forget(open: OpenTransfer): void {
    const { key, record } = open;
    this.#open.delete(key);
    const file = fileKey(record.target, record.file_id);
    const ofFile = this.#byFile.get(file);
    ofFile?.delete(key);
    if (ofFile?.size === 0) this.#byFile.delete(file);
    if (!this.#hasOf(record.target)) this.#listings.leave(record.target);
    void this.#storing.drop(open);
    this.#delivery.of(this.#protocolOf(open)).forget(key);
    this.#options.cells.drop(key);
  }

  #hasOf(target: string): boolean {
    for (const { record } of this.#open.values()) if (record.target === target) return true;
    return false;
  }

  // Time -------------------------------------------------------------------------------------------------------------

  #later(): void {
    if (this.#timer !== undefined || this.#stopped) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#tick();
      this.#later();
    }, TRANSFER_TICK_MS);
  }

  #tick(): void {
    const now = this.#options.clock.now();
    this.#index.tick(now);
    if (!this.holds()) return;
    this.#storing.flushDue(this.#open.values(), now);
    for (const open of this.#open.values()) this.#tellDue(open, now);
    if (this.#isAsking && this.#options.bus.connected) this.#ask();
  }

  #ask(): void {
    const mission = this.#options.missions.current;
    if (mission === undefined) return;
    const byTarget = new Map<string, Undelivered[]>();
    for (const { key, record, gathering, isUndelivered } of this.#open.values()) {
      if (!isUndelivered) continue;
      const ofTarget = byTarget.get(record.target) ?? [];
      ofTarget.push({ key, record, received: gathering.received });
      byTarget.set(record.target, ofTarget);
    }
    for (const [name, transfers] of byTarget) {
      const target = mission.targets.get(name);
      const files = target?.platform?.files;
      if (target === undefined || files === undefined) continue;
      this.#delivery.of(files.transfer.protocol).turn({ mission, target, files }, transfers);
    }
  }

  // Bytes ------------------------------------------------------------------------------------------------------------

  #take({ target, file, generation, offset, data, position }: ArrivedChunk): Promise<void> | undefined {
    this.#sawGeneration(target, file, generation, 'chunk');
    const key = transferKey({ target, file_id: file, generation, direction: 'download' });
    const open = this.#open.get(key);
    if (open === undefined) return undefined;
    this.#delivery.of(this.#protocolOf(open)).arrived(key, [offset, offset + data.length]);
    if (!open.isReceiving) return undefined;
    const fresh = open.gathering.add(offset, data, position, this.#options.clock.now());
    this.#storing.gathered(fresh.reduce((sum, [start, end]) => sum + end - start, 0));
    if (open.gathering.isFull || open.gathering.isComplete) this.#storing.flush(open);
    return this.#storing.room();
  }

  /** S3 */
  #tellDue(open: OpenTransfer, now: number): void {
    const { gathering, toldAt } = open;
    const sinceMs = Math.abs(now - toldAt);
    const isUrgent = gathering.isComplete && gathering.bytes === 0 && open.storing === 0;
    const isNews = gathering.hasNews && (isUrgent || sinceMs >= TRANSFER_GATHER_MS);
    const isLost = gathering.awaited.length > 0 && sinceMs >= TELL_AGAIN_MS;
    if (!(isNews || isLost) || !open.isReceiving || !this.holds()) return;
    open.toldAt = now;
    const ranges = gathering.tell() ?? gathering.awaited;
    this.#options.cells.tell(open.key, { type: 'bytes.received', at: now, ranges });
  }

  #firstOpen(): number | undefined {
    let first: number | undefined;
    for (const { gathering, isReceiving } of this.#open.values()) {
      const { firstOpen } = gathering;
      if (isReceiving && firstOpen !== undefined) first = Math.min(first ?? firstOpen, firstOpen);
    }
    return first;
  }

  #hindered(open: OpenTransfer, by: Hindering, reason: string | undefined): void {
    const said = open.hindered(by, reason);
    if (said === undefined || this.#stopped) return;
    const at = this.#options.clock.now();
    this.#options.cells.tell(
      open.key,
      said === null ? { type: 'hindrance.over', at } : { type: 'hindrance.met', at, reason: said },
    );
  }

  // The directory ----------------------------------------------------------------------------------------------------

  #listed(target: string, file: string): void {
    const generation = this.#listings.file(target, file)?.generation;
    if (generation !== undefined) this.#sawGeneration(target, file, generation, 'listing');
  }

  /** S5 */
  #sawGeneration(target: string, file: string, generation: number, where: 'listing' | 'chunk'): void {
    for (const key of this.#byFile.get(fileKey(target, file)) ?? []) {
      const open = this.#open.get(key);
      if (open === undefined || !open.isReceiving || generation <= open.record.generation) continue;
      const at = this.#options.clock.now();
      this.#options.cells.tell(key, { type: 'generation.seen', at, generation, in: where });
    }
  }

  /** What was listed of the very generation (assembly.V2). */
  #checksumListed(record: StoredTransfer): string | undefined {
    const listed = this.#listings.file(record.target, record.file_id);
    const isOfIt = (listed?.generation ?? 0) === record.generation;
    return (isOfIt ? listed?.checksum : undefined) ?? record.checksum;
  }

  /**
   * The checksum of the first listing of it behind the end of an upload: that of a later generation says nothing (S5).
   */
  async #nextListing(record: StoredTransfer, signal: AbortSignal): Promise<string | undefined> {
    const completed = record.actor.changes.findLast(({ state }) => state === 'COMPLETE');
    const after = Date.parse(completed?.at ?? record.updated_at);
    const fits = ({ listedAt, generation = record.generation }: ListedFile): boolean => {
      const open = this.#open.get(transferKey(record));
      if (generation > record.generation && open !== undefined)
        this.#hindered(open, 'listing', `on board is generation ${generation}: it was never verified`);
      return listedAt > after && generation === record.generation;
    };
    return (await this.#listings.fitting(record, fits, signal))?.checksum;
  }

  // The catalogue ----------------------------------------------------------------------------------------------------

  #filesOf({ target }: StoredTransfer) {
    const found: Target | undefined = this.#options.missions.current?.targets.get(target);
    return found?.platform?.files;
  }

  #algorithmOf(record: StoredTransfer): string | undefined {
    return this.#filesOf(record)?.transfer.checksum;
  }

  #protocolOf({ record }: OpenTransfer): 'cfdp' | undefined {
    return this.#filesOf(record)?.transfer.protocol;
  }
}

function fileKey(target: string, file: string): string {
  return `${target}.${file}`;
}
