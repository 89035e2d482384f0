/** Transfers for tests. */

import type { StoredTransfer } from '../../../contract/transfer.ts';
import type { TransferInput } from '../../../machines/transfer/protocol.ts';
import { createdTransfer } from '../../../machines/transfer/step.ts';

export const CREATED = Date.parse('2026-03-01T12:00:00.000Z');

export function transferInput(
  more: Partial<TransferInput['record']> = {},
  run?: string,
  at = CREATED,
): TransferInput {
  const record = {
    target: 'sat1',
    file_id: '7',
    generation: 2,
    direction: 'download' as const,
    size: 100,
    priority: 0,
    ...more,
  };
  return { record, at, ...(run !== undefined && { run }) };
}

export function transferOf(more: Partial<TransferInput['record']> = {}, run?: string): StoredTransfer {
  return createdTransfer(transferInput(more, run));
}
