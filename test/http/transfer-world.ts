/**
 * The front end on a real bus with targets that have directories, whose records and contents a test writes as the
 * transfer manager does.
 */

import { createHash } from 'node:crypto';
import type { FileSample } from '../../contract/batch.ts';
import { buckets, objectStores } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { chunkHeaders } from '../../contract/file-chunk.ts';
import { contentObject, partObject, type StoredTransfer, transferKey } from '../../contract/transfer.ts';
import type { Mission } from '../../mission/mission.ts';
import { recordBytes } from '../support/transfers.ts';
import { until } from '../support/until.ts';
import { startWorld, testMission, type World } from './world.ts';

const BOX = `
platform: box
version: 1.0.0
components:
  obc: { measures: { counter: { type: u16 } } }
  camera: {}
files:
  types: { 1: { name: image } }
  telecommands:
    read: { instance: file, args: { offset: { type: u32 }, length: { type: u16 } } }
  transfer: { read: read, max_chunk: 200, checksum: crc32 }
`;

/** `sat1` with a directory whose files can be read, `sat2` with one whose files cannot, `ghost` without catalogue. */
export function filesMission(): Mission {
  const mission = testMission(BOX);
  const unreadable = testMission(
    BOX.replace('transfer: { read: read, max_chunk: 200, checksum: crc32 }', ''),
  );
  const targets = new Map(mission.targets).set('sat2', unreadable.targets.get('sat2')!);
  return { ...mission, targets };
}

export const sha256Of = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Bytes that say where they are. */
export function contentOf(size: number, seed = 1): Buffer {
  const content = Buffer.alloc(size);
  for (let at = 0, state = seed; at < size; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    content[at] = state >>> 16;
  }
  return content;
}

export interface TransferWorld extends World {
  readonly mission: Mission;
  list(target: string, ...files: readonly (Partial<FileSample> & { readonly file: string })[]): Promise<void>;
  /** Writes a record as it is to stand, and waits until the front end has it. */
  record(transfer: StoredTransfer): Promise<StoredTransfer>;
  removeRecord(transfer: StoredTransfer): Promise<void>;
  storeWhole(transfer: StoredTransfer, content: Uint8Array): Promise<void>;
  storePart(transfer: StoredTransfer, offset: number, part: Uint8Array): Promise<void>;
  chunk(transfer: StoredTransfer, offset: number, data: Uint8Array): Promise<void>;
}

export async function startTransferWorld(): Promise<TransferWorld> {
  const world = await startWorld();
  const mission = filesMission();
  world.missions.publish(mission);
  await world.books.transfers.ready;
  const { bus, books } = world;
  const bucket = bus.bucket(buckets.transfers);
  const objects = bus.objects(objectStores.files);
  return {
    ...world,
    mission,
    async list(target, ...files) {
      const { digest } = mission.targets.get(target)!.platform!;
      const ground = Math.floor(Date.now() / 1_000) * 1_000;
      const samples = files.map((file) => ({ ground, onboard: Number.NaN, ...file }));
      const more = { platform: digest, link: 'uhf', blocks: [], reports: [], files: samples };
      const { encodeBatch } = await import('../../contract/batch.ts');
      await bus.append(streams.values, subject.values(target), encodeBatch(more));
      await world.values.upToDate(target);
    },
    async record(transfer) {
      const key = transferKey(transfer);
      await bucket.overwrite(key, recordBytes(transfer));
      const text = JSON.stringify(transfer);
      await until(() => JSON.stringify(books.transfers.get(key)) === text, { what: `record ${key}` });
      return transfer;
    },
    async removeRecord(transfer) {
      const key = transferKey(transfer);
      const entry = await bucket.get(key);
      if (entry !== undefined) await bucket.remove(key, entry.revision);
    },
    async storeWhole(transfer, content) {
      await objects.replace(contentObject(transfer), pieces(content));
    },
    async storePart(transfer, offset, part) {
      await objects.replace(partObject(transfer, offset), pieces(part));
    },
    async chunk({ target, file_id: file, generation }, offset, data) {
      const headers = chunkHeaders({ file, generation, offset, data });
      await bus.append(streams.fileChunks, subject.fileChunk(target, file), data, { headers });
    },
  };
}

async function* pieces(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}
