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

import type { ByteRange } from '../../contract/byte-ranges.ts';
import { TRANSFER_TICK_MS } from '../../contract/limits.ts';
import { receivedBy, type StoredTransfer, transferKey } from '../../contract/transfer.ts';
import type { TransferChartEvent, TransferEffect } from '../../machines/transfer/protocol.ts';
import type { Bus } from '../../ports/bus.ts';
import type { CellOwner, Cells, Gone } from '../../ports/cells.ts';
import type { ChecksumOf } from '../../ports/checksums.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { FileDirectory } from '../../ports/file-directory.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { Assembly } from './assembly.ts';
import type { TransferServices } from './binding.ts';
import type { Delivery, DeliveryEvents } from './delivery.ts';
import { Listings } from './listings.ts';
import { OpenIndex } from './open-index.ts';
import { type Hindering, OpenTransfer } from './open-transfer.ts';
import { OpenTransfers } from './open-transfers.ts';
import { Parts } from './parts.ts';
import { publishState } from './publication.ts';
import { Receiving } from './receiving.ts';
import type { TransferTerm } from './transfer-store.ts';
import { type Compared, Verification } from './verification.ts';

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

export class TransferService implements TransferTerm, TransferServices, CellOwner, DeliveryEvents {
  readonly epoch: number;
  readonly #options: TransferServiceOptions;
  readonly #open = new OpenTransfers();
  readonly #parts: Parts;
  readonly #verification: Verification;
  readonly #receiving: Receiving;
  readonly #index: OpenIndex;
  readonly #listings: Listings;
  readonly #delivery: ReturnType<Deliveries>;
  #timer: TimerHandle | undefined;
  /** S6 */
  #isAsking = false;
  #stopped = false;

  constructor(options: TransferServiceOptions) {
    this.#options = options;
    const { bus, clock, log, missions, epoch, files, deliveries, checksumOf } = options;
    const failed = (error: unknown): void => this.#failed(error);
    this.epoch = epoch;
    this.#parts = new Parts(bus);
    this.#receiving = this.#receive(failed);
    this.#index = new OpenIndex({
      bus,
      clock,
      log,
      found: (key, record) => this.#found(key, record),
      failed,
    });
    this.#listings = new Listings(files, (target, file) => this.#listed(target, file));
    this.#verification = new Verification({
      missions,
      assembly: new Assembly(bus, this.#parts, checksumOf),
      listings: this.#listings,
      hindered: (record, reason) => this.#hindered(this.#open.get(transferKey(record)), 'listing', reason),
    });
    this.#delivery = deliveries(this);
  }

  /** Takes the transfers over. Rejects with `Outage`. */
  async start(): Promise<void> {
    await this.#index.start();
    await this.#delivery.start();
    this.#later();
    await this.#receiving.start();
    this.#isAsking = true;
  }

  /** Leaves every transfer where it stands: the next leader goes on from the records. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#listings.stop();
    await this.#receiving.stop();
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
      void this.#receiving.drop(open);
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

  async publish(effect: Extract<TransferEffect, { type: 'effect.publish' }>): Promise<void> {
    if (this.holds()) await publishState(effect, this.#options);
  }

  assemble(record: StoredTransfer): Promise<StoredTransfer['actor']['content']> {
    return this.#verification.assemble(record);
  }

  verify(record: StoredTransfer, signal: AbortSignal): Promise<Compared | undefined> {
    return this.#verification.verify(record, signal);
  }

  async close(record: StoredTransfer): Promise<void> {
    const key = transferKey(record);
    const open = this.#open.get(key);
    if (open === undefined || !this.holds()) return;
    await this.#receiving.drop(open);
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
    this.#hindered(this.#open.get(key), 'delivery', reason);
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
    this.#open.add(open);
    this.#listings.follow(record.target);
    this.#options.cells.wake(key);
    this.#listed(record.target, record.file_id);
    this.#later();
  }

  #forget(open: OpenTransfer): void {
    const { key, record } = open;
    this.#open.delete(open);
    if (!this.#open.hasOf(record.target)) this.#listings.leave(record.target);
    void this.#receiving.drop(open);
    this.#delivery.of(this.#protocolOf(open)).forget(key);
    this.#options.cells.drop(key);
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
    this.#receiving.tick(now);
    if (this.#isAsking && this.#options.bus.connected) this.#ask();
  }

  #ask(): void {
    const mission = this.#options.missions.current;
    if (mission === undefined) return;
    for (const [name, transfers] of this.#open.undelivered()) {
      const target = mission.targets.get(name);
      const files = target?.platform?.files;
      if (target === undefined || files === undefined) continue;
      this.#delivery.of(files.transfer.protocol).turn({ mission, target, files }, transfers);
    }
  }

  // Bytes ------------------------------------------------------------------------------------------------------------

  #receive(failed: (error: unknown) => void): Receiving {
    const { bus, clock, log, epoch, cells } = this.#options;
    return new Receiving({
      bus,
      clock,
      log,
      epoch,
      open: this.#open,
      parts: this.#parts,
      holds: () => this.holds(),
      saw: ({ target, file, generation }) => this.#sawGeneration(target, file, generation, 'chunk'),
      arrived: (open, range) => this.#delivery.of(this.#protocolOf(open)).arrived(open.key, range),
      tell: ({ key }, ranges, at) => cells.tell(key, { type: 'bytes.received', at, ranges }),
      hindered: (open, reason) => this.#hindered(open, 'store', reason),
      failed,
    });
  }

  #hindered(open: OpenTransfer | undefined, by: Hindering, reason: string | undefined): void {
    const said = open?.hindered(by, reason);
    if (open === undefined || said === undefined || this.#stopped) return;
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
    for (const { key, record, isReceiving } of this.#open.ofFile(target, file)) {
      if (!isReceiving || generation <= record.generation) continue;
      const at = this.#options.clock.now();
      this.#options.cells.tell(key, { type: 'generation.seen', at, generation, in: where });
    }
  }

  #protocolOf({ record }: OpenTransfer): 'cfdp' | undefined {
    return this.#options.missions.current?.targets.get(record.target)?.platform?.files?.transfer.protocol;
  }
}
