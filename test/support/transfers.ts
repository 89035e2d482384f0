/** Records of transfers as they are stored. */

import type { ByteRange } from '../../contract/byte-ranges.ts';
import type { StoredTransfer, TransferActor } from '../../contract/transfer.ts';
import { TRANSFER_VERSION } from '../../machines/transfer/record.ts';

type More = Partial<Omit<StoredTransfer, 'actor'>> & { readonly actor?: Partial<TransferActor> };

const CREATED = '2026-01-02T03:04:05.678Z';

/** A download of file 7 of sat1, created at a time of long ago. */
export function storedTransfer({ actor, ...more }: More = {}): StoredTransfer {
  const state = more.state ?? 'REQUESTED';
  const at = more.updated_at ?? more.created_at ?? CREATED;
  return {
    target: 'sat1',
    file_id: '7',
    generation: 2,
    direction: 'download',
    state,
    size: 1_000,
    priority: 0,
    created_at: CREATED,
    updated_at: at,
    ...more,
    actor: { version: TRANSFER_VERSION, changes: [{ at, state }], ...actor },
  };
}

/** One that came down whole. */
export function wholeTransfer(sha256: string, more: More = {}): StoredTransfer {
  const { size = 1_000, actor, ...rest } = more;
  const received: ByteRange[] = size === 0 ? [] : [[0, size]];
  return storedTransfer({
    state: 'VERIFIED',
    size,
    received,
    ...rest,
    actor: { content: { sha256 }, ...actor },
  });
}

export const recordBytes = (record: StoredTransfer): Buffer => Buffer.from(JSON.stringify(record));
