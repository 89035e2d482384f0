/**
 * What the chart of a transfer receives, what it asks for and what it has stored. Mission Control Service, sections 2.8
 * and 3.5. The chart is `transfer.ts`.
 */

import type { ByteRange } from '../../contract/byte-ranges.ts';
import type {
  AssembledContent,
  StoredTransfer,
  TransferChange,
  TransferName,
} from '../../contract/transfer.ts';

/** What the checksum of a file came to, beside what was listed. */
export type Comparison =
  | { readonly outcome: 'equal' }
  | {
      readonly outcome: 'differs';
      readonly algorithm: string;
      readonly computed: string;
      readonly listed: string;
    }
  /** No algorithm, or no listed checksum. */
  | { readonly outcome: 'nothing' }
  /** Nothing here computes it. */
  | { readonly outcome: 'unavailable'; readonly algorithm: string }
  /** An upload to a target without a listing (MC-UPL-007). */
  | { readonly outcome: 'unlisted' }
  /** An upload of which a later generation is on board: nothing is listed of it any more. */
  | { readonly outcome: 'rewritten'; readonly generation: number };

/** `at` in ms since 1970. */
export type TransferChartEvent =
  /** They are stored; of an upload: acknowledged on board. */
  | {
      readonly type: 'bytes.received';
      readonly at: number;
      readonly ranges: readonly ByteRange[];
      /** That brought them. */
      readonly transaction?: string;
    }
  /** Parts that had them are not in the store any more. */
  | { readonly type: 'bytes.gone'; readonly at: number; readonly ranges: readonly ByteRange[] }
  | { readonly type: 'file.assembled'; readonly at: number; readonly content: AssembledContent }
  | {
      readonly type: 'checksum.compared';
      readonly at: number;
      readonly comparison: Comparison;
      /** A driver decodes files of its type. */
      readonly decodable: boolean;
    }
  | {
      readonly type: 'generation.seen';
      readonly at: number;
      readonly generation: number;
      readonly in: 'listing' | 'chunk';
    }
  | {
      readonly type: 'file.decoded';
      readonly at: number;
      readonly samples: number;
      /** What of it gave no samples. */
      readonly leftOut?: string;
    }
  | { readonly type: 'file.undecodable'; readonly at: number; readonly reason?: string }
  /** It is not offered any more, until somebody asks for it again. */
  | { readonly type: 'file.left'; readonly at: number; readonly reason: string }
  | { readonly type: 'decoding.failed'; readonly at: number; readonly reason: string }
  /** The run that uploads is over, and not all of it is on board. */
  | { readonly type: 'run.ended'; readonly at: number; readonly reason: string }
  /** No other run has taken it up since. */
  | { readonly type: 'upload.expired'; readonly at: number }
  /** It cannot go on for now. */
  | { readonly type: 'hindrance.met'; readonly at: number; readonly reason: string }
  | { readonly type: 'hindrance.over'; readonly at: number };

/** What it asks of the world. */
export type TransferEffect =
  /** The change of state is published as the measure of the file (MC-XFER-032). */
  | {
      readonly type: 'effect.publish';
      readonly name: TransferName;
      /** Number of the change, from 1. */
      readonly n: number;
      readonly change: TransferChange;
    }
  /** Every byte is there; of an upload: on board. */
  | { readonly type: 'effect.assemble'; readonly name: TransferName; readonly size: number }
  | { readonly type: 'effect.verify'; readonly name: TransferName }
  /** Offered to a driver; `failures`: how often that failed. `after` (ms since 1970): not before. */
  | {
      readonly type: 'effect.decode';
      readonly name: TransferName;
      readonly failures: number;
      readonly after: number;
    }
  /** Of an upload whose run is over: it is kept open until then, ms since 1970. */
  | { readonly type: 'effect.expire'; readonly name: TransferName; readonly at: number }
  /** Nothing becomes of it any more: its parts are removed, and it leaves the open ones. */
  | { readonly type: 'effect.close'; readonly name: TransferName };

/** What is to be stored; `transition` where the state changed. */
export interface TransferItem {
  readonly type: 'record';
  readonly stored: StoredTransfer;
  readonly transition: boolean;
}

/** Of a transfer that is created: everything but what its chart decides. */
export interface TransferInput {
  readonly record: Omit<
    StoredTransfer,
    'state' | 'actor' | 'created_at' | 'updated_at' | 'received' | 'reason'
  >;
  /** The run that asks for it. */
  readonly run?: string;
  readonly at: number;
}

export interface TransferContext {
  readonly record: StoredTransfer;
}
