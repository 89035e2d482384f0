/**
 * What becomes of the record of a transfer. Mission Control Service, sections 2.8 and 3.5. Pure; which transition is
 * taken is decided by the chart (`transfer.ts`).
 *
 * B1. Ranges that are added are cut to the size of the file; what is there already changes nothing.
 * B2. A reason belongs to the state it was given in, a hindrance to the time it lasts.
 * B3. Each change is dated behind the one before, also where the clock of who leads now is behind that of who led: the
 *     states of a file go by their times (known-files.K3), and one that is dated before another would never be shown.
 * B4. Bytes of another transaction take the place of everything received, in one step: what is received is of one
 *     transaction at any time (MC-GEN-022). Those of an earlier one change nothing.
 * B5. What an earlier transaction had brought is remembered: whoever leads when all is over removes its parts.
 */

import type { ByteRange } from '../../contract/byte-ranges.ts';
import {
  TRANSFER_LEFT_RANGES,
  TRANSFER_REASON_CHARACTERS,
  TRANSFER_TRANSACTIONS_EARLIER,
} from '../../contract/limits/transfer.ts';
import {
  NO_TRANSACTION,
  receivedBy,
  type StoredTransfer,
  type TransferActor,
  type TransferChange,
  type TransferState,
  transactionOf,
} from '../../contract/transfer.ts';
import type { Comparison, TransferInput } from './protocol.ts';

export const TRANSFER_VERSION = 1;

/** The first record of a transfer, before its first state is known. */
export function firstRecord({ record, run, at }: TransferInput): StoredTransfer {
  const actor: TransferActor = { version: TRANSFER_VERSION, ...(run !== undefined && { run }), changes: [] };
  return { ...record, state: 'REQUESTED', created_at: iso(at), updated_at: iso(at), actor };
}

/** The record in another state. */
export function moved(
  record: StoredTransfer,
  state: TransferState,
  at: number,
  reason?: string,
): StoredTransfer {
  const { reason: _, ...rest } = record;
  const { hindrance: __, ...actor } = record.actor;
  const why = reason === undefined ? {} : { reason: reason.slice(0, TRANSFER_REASON_CHARACTERS) };
  const moment = iso(behind(actor.changes.at(-1), at));
  const changes = [...actor.changes, { at: moment, state, ...why }];
  return { ...rest, ...why, state, updated_at: moment, actor: { ...actor, changes } };
}

/** B3 */
function behind(last: TransferChange | undefined, at: number): number {
  return last === undefined ? at : Math.max(at, Date.parse(last.at) + 1);
}

/** The record in the same state, at another time. */
export function touched(record: StoredTransfer, at: number): StoredTransfer {
  return { ...record, updated_at: iso(at) };
}

/** With these bytes; the same record where it has them all (B1), or where they are of an earlier transaction (B4). */
export function withBytes(
  record: StoredTransfer,
  ranges: readonly ByteRange[],
  transaction = transactionOf(record),
): StoredTransfer {
  const { current = NO_TRANSACTION, earlier = [], left = [] } = record.actor.transaction ?? {};
  if (transaction === current) return withMore(record, ranges);
  if (earlier.includes(transaction)) return record;
  const { received = [], ...rest } = record;
  const before = received.length === 0 && record.actor.transaction === undefined ? [] : [current];
  const brought = { transaction: current, received: received.slice(0, TRANSFER_LEFT_RANGES) };
  // B5
  const leaving = received.length === 0 ? left : [...left, brought].slice(-TRANSFER_TRANSACTIONS_EARLIER);
  const names = {
    current: transaction,
    earlier: [...earlier, ...before].slice(-TRANSFER_TRANSACTIONS_EARLIER),
    ...(leaving.length > 0 && { left: leaving }),
  };
  const begun = remembering(rest, { transaction: names });
  const next = withMore(begun, ranges);
  return next === begun ? record : next;
}

function withMore(record: StoredTransfer, ranges: readonly ByteRange[]): StoredTransfer {
  const known = receivedBy(record);
  const before = known.total;
  for (const [start, end] of ranges) {
    const last = Math.min(end, record.size);
    if (start < last) known.add(start, last);
  }
  return known.total === before ? record : { ...record, received: known.list() };
}

/** Without these bytes. */
export function withoutBytes(record: StoredTransfer, ranges: readonly ByteRange[]): StoredTransfer {
  const known = receivedBy(record);
  // Where there would be too many ranges all of it is asked for again: that costs time and loses nothing.
  const removed = ranges.every(([start, end]) => known.remove(start, end));
  return { ...record, received: removed ? known.list() : [] };
}

export function hasEveryByte(record: Pick<StoredTransfer, 'received' | 'size'>): boolean {
  return receivedBy(record).covers(0, record.size);
}

/** With what keeps it from going on; undefined: nothing does any more (B2). */
export function withHindrance(record: StoredTransfer, hindrance: string | undefined): StoredTransfer {
  const { reason: _, ...rest } = record;
  const { hindrance: __, ...actor } = record.actor;
  if (hindrance === undefined) return { ...rest, actor };
  const text = hindrance.slice(0, TRANSFER_REASON_CHARACTERS);
  return { ...rest, reason: text, actor: { ...actor, hindrance: text } };
}

/** With more of what its chart remembers. */
export function remembering(record: StoredTransfer, more: Partial<TransferActor>): StoredTransfer {
  return { ...record, actor: { ...record.actor, ...more } };
}

/** The content of a file without bytes: nothing is stored of it. */
export const EMPTY_CONTENT = {
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
} as const;

/** What is said of a file whose checksum was looked at (MC-XFER-025..027, MC-UPL-007); none where it is equal. */
export function comparisonReason(comparison: Comparison): string | undefined {
  switch (comparison.outcome) {
    case 'equal':
      return undefined;
    case 'differs':
      return `${comparison.algorithm} is ${comparison.computed}, listed is ${comparison.listed}`;
    case 'nothing':
      return 'no checksum to verify';
    case 'unavailable':
      return `checksum ${comparison.algorithm} is not available`;
    case 'unlisted':
      return 'no listing to verify it with';
    case 'rewritten':
      return `on board is generation ${comparison.generation}: it was never verified`;
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
