/** The changes of state that the record of a transfer remembers, as its chart went through them: for the inspector. */

import { buckets } from '../../contract/bus/buckets.ts';
import { readStoredTransfer, type StoredTransfer, type TransferChange } from '../../contract/transfer.ts';
import type { TransferChartEvent, TransferInput } from '../../machines/transfer/protocol.ts';
import type { Bus } from '../../ports/bus.ts';
import type { EntityLog, LoggedStep } from '../../ports/entity.ts';

/** Undefined where there is no such transfer, or it cannot be read. Throws `Outage`. */
export async function transferHistory(bus: Bus, key: string): Promise<EntityLog | undefined> {
  const entry = await bus.bucket(buckets.transfers).get(key);
  const record = entry && readStoredTransfer(key, entry.value);
  return record && logOf(record);
}

/** The log of a record. */
export function logOf(record: StoredTransfer): EntityLog {
  const { actor, state: _, created_at, updated_at: __, received: ___, reason: ____, ...rest } = record;
  const { run, changes } = actor;
  const input: TransferInput = {
    record: rest,
    at: Date.parse(created_at),
    ...(run !== undefined && { run }),
  };
  return { input, steps: changes.map((change, index) => stepOf(record, change, index)) };
}

function stepOf(record: StoredTransfer, change: TransferChange, index: number): LoggedStep {
  const { at, state, reason } = change;
  return {
    at: Date.parse(at),
    event: state,
    ...(reason !== undefined && { detail: reason }),
    record: change,
    state: stateOf(record, state),
    told: index === 0 ? [] : toldBy(record, change),
  };
}

/** State of the chart at that change. */
function stateOf({ actor }: StoredTransfer, state: string): string {
  if (state === 'PARTIAL') return 'PARTIAL.receiving';
  if (state === 'VERIFIED') return actor.decoding === undefined ? 'VERIFIED.kept' : 'VERIFIED.decoding';
  return state;
}

/** What the chart was given that led to a change, as far as the record says. */
function toldBy(record: StoredTransfer, { at, state, reason = '' }: TransferChange): TransferChartEvent[] {
  const moment = Date.parse(at);
  const { size, actor, generation } = record;
  switch (state) {
    case 'PARTIAL':
      return [{ type: 'bytes.received', at: moment, ranges: [[0, Math.min(1, size)]] }];
    case 'COMPLETE':
      return [
        { type: 'bytes.received', at: moment, ranges: [[0, size]] },
        { type: 'file.assembled', at: moment, content: actor.content ?? { sha256: '' } },
      ];
    case 'VERIFIED': {
      const comparison = reason === '' ? ({ outcome: 'equal' } as const) : ({ outcome: 'nothing' } as const);
      return [{ type: 'checksum.compared', at: moment, comparison, decodable: actor.decoding !== undefined }];
    }
    case 'CORRUPTED': {
      const comparison = { outcome: 'differs', algorithm: '', computed: '', listed: '' } as const;
      return [{ type: 'checksum.compared', at: moment, comparison, decodable: false }];
    }
    case 'SUPERSEDED':
      return [{ type: 'generation.seen', at: moment, generation: generation + 1, in: 'listing' }];
    case 'PROCESSED':
      return [{ type: 'file.decoded', at: moment, samples: Number.parseInt(reason, 10) || 0 }];
    default:
      return [];
  }
}
