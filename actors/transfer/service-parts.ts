/**
 * What the service of transfers is made of, and how its parts reach each other. The rules are those of the service
 * (transfer/service.S1 to S9).
 */

import type { TransferChartEvent } from '../../machines/transfer/protocol.ts';
import type { TransferTools } from '../../messaging/transfer-writes.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Cells } from '../../ports/cells.ts';
import type { ChecksumOf } from '../../ports/checksums.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FileDirectory } from '../../ports/file-directory.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { Assembly } from './assembly.ts';
import { Closing } from './closing.ts';
import type { Deliveries, Delivery, DeliveryEvents, RunningDeliveries } from './delivery.ts';
import { Generations } from './generations.ts';
import { LeftFiles } from './left-files.ts';
import { Listings } from './listings.ts';
import { LostTransfers } from './lost-transfers.ts';
import { Membership } from './membership.ts';
import { OpenIndex } from './open-index.ts';
import type { Hindering, OpenTransfer } from './open-transfer.ts';
import { OpenTransfers } from './open-transfers.ts';
import { Parts } from './parts.ts';
import { Publication } from './publication.ts';
import { Receiving } from './receiving.ts';
import { Rounds } from './rounds.ts';
import { Verification } from './verification.ts';

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
  /** How many more files of a target are to be offered to its driver now. */
  readonly room: (target: string) => number;
  readonly transfersOver: TransferTools['over'];
  /** Bytes that were asked for, or that came (MC-MET-003). */
  readonly count: (target: string, outcome: 'asked' | 'received', bytes: number) => void;
}

/** One term of leadership, for its parts. */
export interface Term {
  /** Whether this process still leads, now. */
  readonly holds: () => boolean;
  readonly isStopped: () => boolean;
  readonly failed: (error: unknown) => void;
}

export class ServiceParts {
  readonly open = new OpenTransfers();
  readonly publication: Publication;
  readonly verification: Verification;
  readonly receiving: Receiving;
  readonly index: OpenIndex;
  readonly listings: Listings;
  readonly left: LeftFiles;
  readonly lost: LostTransfers;
  readonly delivery: RunningDeliveries;
  readonly membership: Membership;
  readonly closing: Closing;
  readonly rounds: Rounds;
  readonly #options: TransferServiceOptions;
  readonly #term: Term;
  readonly #parts: Parts;
  readonly #generations: Generations;

  constructor(options: TransferServiceOptions, term: Term, events: DeliveryEvents) {
    this.#options = options;
    this.#term = term;
    const { bus, missions, clock, cells, files, deliveries } = options;
    this.#parts = new Parts(bus);
    this.publication = new Publication({ bus, missions });
    this.listings = new Listings(files, (target, file) => this.#generations.listed(target, file));
    const file = (target: string, id: string) => this.listings.file(target, id);
    this.#generations = new Generations({ clock, cells, open: this.open, file });
    this.receiving = this.#received();
    this.index = this.#indexed();
    this.lost = this.#restored();
    this.verification = this.#verified();
    this.left = new LeftFiles({
      bus,
      log: options.log,
      over: options.transfersOver,
      room: options.room,
      ...term,
    });
    this.delivery = deliveries(events);
    this.membership = this.#joined();
    this.closing = this.#closed();
    this.rounds = this.#looked();
  }

  deliveryOf({ record }: OpenTransfer): Delivery {
    const files = this.#options.missions.current?.targets.get(record.target)?.platform?.files;
    return this.delivery.of(files?.transfer.protocol);
  }

  /** What keeps a transfer from going on; undefined: that does not any more. */
  hindered(open: OpenTransfer | undefined, by: Hindering, reason: string | undefined): void {
    const said = open?.hindered(by, reason);
    if (open === undefined || said === undefined || this.#term.isStopped()) return;
    const at = this.#options.clock.now();
    this.#options.cells.tell(
      open.key,
      said === null ? { type: 'hindrance.over', at } : { type: 'hindrance.met', at, reason: said },
    );
  }

  #indexed(): OpenIndex {
    const { bus, clock, log } = this.#options;
    return new OpenIndex({
      bus,
      clock,
      log,
      found: (key, record) => {
        this.membership.found(key, record);
        this.rounds.begin();
      },
      left: (key) => this.membership.unlisted(key),
      missing: (key) => this.lost.missing(key),
      failed: this.#term.failed,
    });
  }

  #restored(): LostTransfers {
    const { bus, log } = this.#options;
    return new LostTransfers({
      bus,
      log,
      open: this.open,
      again: (key) => this.index.again(key),
      ...this.#term,
    });
  }

  #received(): Receiving {
    const { bus, clock, log, epoch, cells } = this.#options;
    return new Receiving({
      bus,
      clock,
      log,
      epoch,
      open: this.open,
      parts: this.#parts,
      saw: ({ target, file, generation }) => this.#generations.saw(target, file, generation, 'chunk'),
      arrived: (open, range) => this.deliveryOf(open).arrived(open.key, range),
      tell: ({ key, gathering: { transaction } }, ranges, at) =>
        cells.tell(key, { type: 'bytes.received', at, ranges, transaction }),
      hindered: (open, reason) => this.hindered(open, 'store', reason),
      ...this.#term,
    });
  }

  #verified(): Verification {
    const { bus, missions, checksumOf } = this.#options;
    return new Verification({
      missions,
      assembly: new Assembly(bus, this.#parts, checksumOf),
      listings: this.listings,
    });
  }

  #joined(): Membership {
    const { open, index, lost, receiving, listings } = this;
    return new Membership({
      cells: this.#options.cells,
      open,
      index,
      lost,
      receiving,
      listings,
      generations: this.#generations,
      deliveryOf: (each) => this.deliveryOf(each),
      ...this.#term,
    });
  }

  #closed(): Closing {
    const { open, index, receiving, left, membership } = this;
    return new Closing({
      clock: this.#options.clock,
      open,
      index,
      receiving,
      left,
      parts: this.#parts,
      forget: (each) => membership.forget(each),
      ...this.#term,
    });
  }

  #looked(): Rounds {
    const { bus, clock, missions } = this.#options;
    const { open, index, receiving, left, lost, delivery } = this;
    return new Rounds({
      bus,
      clock,
      missions,
      open,
      index,
      delivery,
      whileLeading: [receiving, left, lost],
      hindered: (key, reason) => this.hindered(open.get(key), 'delivery', reason),
      holds: this.#term.holds,
    });
  }
}
