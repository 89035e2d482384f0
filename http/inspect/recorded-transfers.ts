/**
 * Transfers as their book has them, for the inspector: what is over, and what no process has alive. Mission Control
 * Service, section 2.8.
 *
 * D1. They are listed only where they are asked for: a mission has thousands that are over.
 */

import type { EntitySummary, FindCall } from '../../contract/inspection.ts';
import { type StoredTransfer, transferKey } from '../../contract/transfer.ts';
import type { RoutePorts } from '../ports.ts';
import type { Recorded } from './finished.ts';
import { transferSummary } from './records.ts';

type Ports = Pick<RoutePorts, 'transfers'>;

/** Transfers that match, the latest change first (D1). */
export function findRecordedTransfers({ transfers }: Ports, call: FindCall): Recorded {
  const { kind, id, target, state } = call;
  const isAsked = kind === 'transfer' || (kind === undefined && (id ?? target ?? state) !== undefined);
  if (!isAsked) return { entities: [], complete: true };
  const entities = transfers
    .transfers(target)
    .filter((transfer) => matches(transfer, call))
    .map(transferSummary);
  return { entities: entities.sort((one, other) => other.at - one.at), complete: transfers.live };
}

/** What its record says of it beside its chart; undefined for another kind and an unknown one. */
export function transferInBook(
  { transfers }: Ports,
  { kind, id }: { readonly kind: string; readonly id: string },
): EntitySummary | undefined {
  const transfer = kind === 'transfer' ? transfers.get(id) : undefined;
  return transfer && transferSummary(transfer);
}

function matches(transfer: StoredTransfer, { id, state }: FindCall): boolean {
  return (
    (id === undefined || transferKey(transfer).includes(id) || transfer.by?.includes(id) === true) &&
    (state === undefined || transfer.state === state)
  );
}
