/** What a transfer asks of the world, as its record stands. Mission Control Service, section 3.5. */

import { FILE_DECODE_AGAIN_MS, UPLOAD_ENDED_MS } from '../../contract/limits/transfer.ts';
import { isOpenTransfer, type StoredTransfer, type TransferName } from '../../contract/transfer.ts';
import type { TransferEffect } from './protocol.ts';
import { hasEveryByte } from './record.ts';

/** What a stored transfer still asks of the world: every change is published again, under its number. */
export function openEffects(record: StoredTransfer): TransferEffect[] {
  const published = record.actor.changes.map((_, index) => publication(record, index));
  return [...published, ...nextOf(record)];
}

/** What comes next of it, beside the bytes that it waits for. */
export function nextOf(record: StoredTransfer): TransferEffect[] {
  const name = nameOf(record);
  if (!isOpenTransfer(record)) return [{ type: 'effect.close', name }];
  const { ended } = record.actor;
  switch (record.state) {
    case 'REQUESTED':
    case 'PARTIAL':
      if (hasEveryByte(record)) return [{ type: 'effect.assemble', name, size: record.size }];
      return ended === undefined
        ? []
        : [{ type: 'effect.expire', name, at: Date.parse(ended.at) + UPLOAD_ENDED_MS }];
    case 'COMPLETE':
      return [{ type: 'effect.verify', name }];
    case 'VERIFIED': {
      const failures = record.actor.decoding?.failures ?? 0;
      const after = failures === 0 ? 0 : Date.parse(record.updated_at) + FILE_DECODE_AGAIN_MS;
      return [{ type: 'effect.decode', name, failures, after }];
    }
    default:
      return [];
  }
}

/** The change of this index (default: the last), as it is published. */
export function publication(record: StoredTransfer, index = record.actor.changes.length - 1): TransferEffect {
  return { type: 'effect.publish', name: nameOf(record), n: index + 1, change: record.actor.changes[index]! };
}

function nameOf({ target, file_id, generation, direction }: StoredTransfer): TransferName {
  return { target, file_id, generation, direction };
}
