/**
 * The chart of a transfer taken one step on a record, without an actor: for whoever writes the record by condition and
 * is not its cell. Mission Control Service, section 3.5.
 */

import { initialTransition } from 'xstate';
import { isOpenTransfer, type StoredTransfer } from '../../contract/transfer.ts';
import type { TransferInput } from './protocol.ts';
import { hasEveryByte } from './record.ts';
import { transferMachine } from './transfer.ts';

type TransferSnapshot = ReturnType<typeof transferMachine.resolveState>;

/** The record a transfer begins with. */
export function createdTransfer(input: TransferInput): StoredTransfer {
  const [snapshot] = initialTransition(transferMachine, input);
  return snapshot.context.record;
}

/** Where the chart of a stored transfer stands. */
export function snapshotOf(record: StoredTransfer): TransferSnapshot {
  return transferMachine.resolveState({ value: placeOf(record), context: { record } });
}

function placeOf(record: StoredTransfer): Parameters<typeof transferMachine.resolveState>[0]['value'] {
  switch (record.state) {
    case 'PARTIAL':
      return { PARTIAL: hasEveryByte(record) ? 'assembling' : 'receiving' };
    case 'COMPLETE':
      return isOpenTransfer(record) ? 'COMPLETE' : 'unverifiable';
    case 'VERIFIED':
      return { VERIFIED: isOpenTransfer(record) ? 'decoding' : 'kept' };
    default:
      return record.state;
  }
}
