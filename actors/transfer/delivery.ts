/**
 * How the bytes of a transfer come and go. A strategy is given the transfers of one target that wait for bytes, four
 * times a second while there are any; what it achieves comes back as chunks on the bus (downloads) or through
 * `acknowledged` (uploads). `chunked` asks for each range; CFDP, where the catalogue says so, asks the driver of the
 * link (its `cfdp` verb) and stands beside it.
 */

import type { ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import type { StoredTransfer } from '../../contract/transfer.ts';
import type { FilesConfiguration } from '../../mission/configuration.ts';
import type { Mission, Target } from '../../mission/mission.ts';

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
}

/** What a strategy reports. */
export interface DeliveryEvents {
  /** These bytes of an upload are on board. */
  acknowledged(key: string, range: ByteRange): void;
  /** What keeps a transfer from going on; undefined: nothing does any more. */
  hindered(key: string, reason: string | undefined): void;
  /** Bytes that were asked for, or written. */
  asked(target: string, bytes: number): void;
}
