/**
 * How the bytes of a transfer come and go. A strategy is given the transfers of one target that wait for bytes, four
 * times a second while there are any; what it achieves comes back as chunks on the bus (downloads) or through
 * `acknowledged` (uploads). `chunked` asks for each range; `cfdp`, where the catalogue says so, asks the driver of the
 * link for whole files.
 */

import type { ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import type { StoredTransfer } from '../../contract/transfer.ts';
import type { FilesConfiguration } from '../../mission/configuration.ts';
import type { Mission, Target } from '../../mission/mission.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { LeaseWatch, Leave } from './lease-watch.ts';
import type { AvailableLink, Links } from './links.ts';

/** A transfer that waits for bytes. */
export interface Undelivered {
  readonly key: string;
  readonly record: StoredTransfer;
  /** What is there, also what is not recorded yet; of an upload: acknowledged. */
  readonly received: ByteRanges;
}

/** Whose transfers they are. */
export interface DeliveryPlace {
  readonly mission: Mission;
  readonly target: Target;
  readonly files: FilesConfiguration;
}

export interface Delivery {
  /** Asks for what may be asked now. */
  turn(place: DeliveryPlace, transfers: readonly Undelivered[]): void;
  /** These bytes of a download have arrived. */
  arrived(key: string, range: ByteRange): void;
  /** Nothing of a transfer is asked any more. */
  forget(key: string): void;
  /** Its record was read again: what was last said of it may not stand there. */
  reread(key: string): void;
}

/** Why nothing is asked for a transfer. */
export interface Obstacle {
  readonly reason: string;
  /** The run that uploads is over. */
  readonly hasEnded?: true;
}

/** Why nothing is asked for it now: an upload that nobody writes any more says so whether the link is up or not. */
export function obstacleOf(
  { record }: Undelivered,
  leave: Leave,
  link: AvailableLink | { readonly reason: string },
): Obstacle | undefined {
  const byRun = 'reason' in leave ? leave : undefined;
  const byLink = 'reason' in link ? link : undefined;
  return record.direction === 'upload' ? (byRun ?? byLink) : (byLink ?? byRun);
}

/** Where a strategy says why transfers wait (`waits.ts`). */
export interface DeliveryWaits {
  /** Why nothing is asked for it in this turn; undefined: it may be. */
  turn(transfer: Undelivered, obstacle: Obstacle | undefined): void;
  /** Why what was asked did not come; undefined: it did. `isPatient`: others may have come meanwhile. */
  failed(key: string, reason: string | undefined, isPatient?: boolean): void;
  forget(key: string): void;
}

/** What every strategy works with. */
export interface DeliveryTools {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly links: Pick<Links, 'of'>;
  readonly leases: Pick<LeaseWatch, 'ask'>;
  readonly waits: DeliveryWaits;
  /** Whether this process still leads, now. */
  readonly holds: () => boolean;
  readonly events: DeliveryEvents;
}

/** What a strategy reports. */
export interface DeliveryEvents {
  /** These bytes of an upload are on board. */
  acknowledged(key: string, range: ByteRange): void;
  /** What keeps a transfer from going on; undefined: nothing does any more. */
  hindered(key: string, reason: string | undefined): void;
  /** The run that uploads is over: nothing of it is written any more. */
  ended(key: string, reason: string): void;
  /** Bytes that were asked for, or written. */
  asked(target: string, bytes: number): void;
}

/** The strategies while one process leads. */
export interface RunningDeliveries {
  /** By the protocol of the catalogue of the target. */
  readonly of: (protocol: 'cfdp' | undefined) => Delivery;
  readonly links: Pick<Links, 'of'>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export type Deliveries = (events: DeliveryEvents) => RunningDeliveries;
