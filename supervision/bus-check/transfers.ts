/** Transfers of files: records, the index of open ones, and stored bytes (decision 40). */

import { bucketStream } from '../../bus/declared.ts';
import { buckets, objectStores } from '../../contract/bus/buckets.ts';
import { TRANSFER_INDEX_MS } from '../../contract/limits/transfer.ts';
import {
  contentObject,
  isOpenTransfer,
  partObject,
  partsOf,
  readStoredTransfer,
  type StoredTransfer,
  transferKey,
  transferNamed,
} from '../../contract/transfer.ts';
import type { Look, LookTools } from './finding.ts';
import { unreadable, whereOf } from './records.ts';

const FILES = `OBJ_${objectStores.files.name}`;

export const transfers: Look = {
  checks: ['open-transfer-not-indexed', 'transfer-without-parts', 'unreadable-record'],
  needs: [bucketStream(buckets.transfers), bucketStream(buckets.openTransfers), FILES],
  look: (tools) =>
    tools.bus.inventory.entries(buckets.transfers, async ({ key, value }) => {
      const record = readStoredTransfer(key, value);
      if (record === undefined) tools.found(unreadable(buckets.transfers, key, 'the record of the transfer'));
      else await lookAtTransfer(key, record, tools);
    }),
};

async function lookAtTransfer(key: string, record: StoredTransfer, { bus, found }: LookTools): Promise<void> {
  const where = whereOf(buckets.transfers, key);
  const index = bus.bucket(buckets.openTransfers);
  if (isOpenTransfer(record) && (await index.get(key)) === undefined) {
    const what = `it is ${record.state} and not in ${buckets.openTransfers.name}: nobody manages it`;
    const repair = async (): Promise<boolean> =>
      (await index.put(key, Buffer.from('{}'), 0)).outcome === 'written';
    found({ check: 'open-transfer-not-indexed', where, what, remedy: 'it is entered', repair });
  }
  const missing = record.direction === 'download' ? await missingIn(record, bus) : undefined;
  if (missing === undefined) return;
  const remedy = 'they are asked for again when the file is put together';
  found({ check: 'transfer-without-parts', where, what: missing, remedy });
}

/** What is not stored of what the record says is received. Content of a whole file is looked at in `contents.ts`. */
async function missingIn(record: StoredTransfer, { objects }: LookTools['bus']): Promise<string | undefined> {
  if (record.state !== 'PARTIAL') return undefined;
  const store = objects(objectStores.files);
  for (const [start, end] of record.received ?? []) {
    for (let at = start; at < end; ) {
      const size = await store.wholeSize(partObject(partsOf(record), at));
      if (size === undefined || size === 0) return `bytes ${at} to ${end} of what is received are not stored`;
      at += size;
    }
  }
  return undefined;
}

export const transferIndex: Look = {
  checks: ['index-without-transfer'],
  needs: [bucketStream(buckets.transfers), bucketStream(buckets.openTransfers)],
  look: ({ bus, found }) =>
    bus.inventory.entries(buckets.openTransfers, async ({ key, revision, at }) => {
      // It is written before its record.
      if (Date.now() - at < TRANSFER_INDEX_MS || (await bus.bucket(buckets.transfers).get(key)) !== undefined)
        return;
      const where = whereOf(buckets.openTransfers, key);
      const repair = async (): Promise<boolean> =>
        (await bus.bucket(buckets.openTransfers).remove(key, revision)).outcome === 'written';
      const what = `${buckets.transfers.name} has no record of it`;
      found({ check: 'index-without-transfer', where, what, remedy: 'the entry is removed', repair });
    }),
};

export const parts: Look = {
  checks: ['parts-without-transfer'],
  needs: [bucketStream(buckets.transfers), bucketStream(buckets.transferDays), FILES],
  look: ({ bus, found }) =>
    bus.inventory.objects(objectStores.files, async ({ name, size }) => {
      // Whatever it is of, its description is looked at in `contents.ts`.
      if (size === undefined) return;
      const key = downloadOf(name);
      if (key !== undefined && (await bus.bucket(buckets.transfers).get(key)) !== undefined) return;
      if (key !== undefined && (await bus.bucket(buckets.transferDays).get(key)) !== undefined) return;
      const where = `${objectStores.files.name} ${name}`;
      const what = `${size} bytes of a file of which there is no transfer`;
      const remedy = `bring the record back from a copy, or remove them: \`nats object rm ${where}\``;
      found({ check: 'parts-without-transfer', where, what, remedy });
    }),
};

/** Key of the download that an object is of, part or whole. */
function downloadOf(object: string): string | undefined {
  const [target = '', file_id = '', generation = ''] = object.split('/');
  const name = { target, file_id, generation: Number(generation) };
  const key = transferKey({ ...name, direction: 'download' });
  const isName = transferNamed(key) !== undefined && object.startsWith(contentObject(name));
  return isName ? key : undefined;
}
