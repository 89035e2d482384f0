/**
 * Creates transfers, the same for people and for runs. Mission Control Service, sections 2.8 and 4.7 rules 2, 8 and 9.
 *
 * W1. A generation is transferred once: whoever asks again gets the transfer that is there, as it stands. Only
 *     an upload of other content takes the place of one before under the same generation, a run that uploads the same
 *     content goes on with it, and a file that waited in vain for a driver is offered again.
 * W2. The entry among the open transfers stands before the record does: what is recorded is found by whoever manages
 *     transfers, also where its creator died in between.
 * W3. Every write is conditional on what was read: of two that ask at once, both get the same transfer.
 * W4. One that is long over counts as well: it is looked for where the bucket has none.
 */

import { buckets, objectStores } from '../contract/bus/buckets.ts';
import type { ErrorCode, Fault } from '../contract/errors.ts';
import { isFileId } from '../contract/file-chunk.ts';
import { TRANSFER_INDEX_MS, TRANSFER_WRITE_ROUNDS } from '../contract/limits.ts';
import { Outage } from '../contract/outage.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import {
  isOpenTransfer,
  readStoredTransfer,
  type StoredTransfer,
  type TransferRequest,
  transferKey,
} from '../contract/transfer.ts';
import type { TransferInput } from '../machines/transfer/protocol.ts';
import { createdTransfer } from '../machines/transfer/step.ts';
import type { FilesConfiguration } from '../mission/configuration.ts';
import type { Mission } from '../mission/mission.ts';
import type { Bus, Entry } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileDirectory } from '../ports/file-directory.ts';
import type { TransfersOver } from './transfers-over.ts';

export interface TransferTools {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly files: Pick<FileDirectory, 'file'>;
  readonly over: Pick<TransfersOver, 'find'>;
}

interface Requester {
  /** Identity, or `run <id>`; undefined for an anonymous caller. */
  readonly by: string | undefined;
  readonly run?: string;
}

interface UploadRequest {
  readonly target: string;
  readonly file_id: string;
  /** SHA-256 (hexadecimal) of stored content. */
  readonly source: string;
}

type Made = Result<StoredTransfer, Fault>;

/** The download, which may have been there before. Throws `Outage`. */
export async function createDownload(
  { target, file_id, priority = 0 }: TransferRequest,
  { by, run }: Requester,
  mission: Mission,
  tools: TransferTools,
): Promise<Made> {
  const files = directoryOf(mission, target, file_id);
  if (!files.ok) return files;
  const { read, protocol } = files.value.transfer;
  if (read === undefined && protocol === undefined)
    return invalid(`the catalogue of ${target} does not say how a file is read`);
  const listed = tools.files.file(target, file_id);
  if (listed === undefined)
    return fault('transfer::not-listed', `file ${file_id} of ${target} was never listed`);
  const { size, generation = 0, fileType, checksum } = listed;
  if (size === undefined) return invalid(`the size of file ${file_id} of ${target} was not listed`);
  const record = {
    target,
    file_id,
    generation,
    direction: 'download' as const,
    size,
    priority,
    ...(fileType !== undefined && { file_type: fileType }),
    ...(checksum !== undefined && { checksum }),
    ...(by !== undefined && { by }),
  };
  return store({ record, at: tools.clock.now(), ...(run !== undefined && { run }) }, tools);
}

/** The upload of a run, which may have been there before. Throws `Outage`. */
export async function createUpload(
  { target, file_id, source }: UploadRequest,
  { by, run }: Requester,
  mission: Mission,
  tools: TransferTools,
): Promise<Made> {
  const files = directoryOf(mission, target, file_id);
  if (!files.ok) return files;
  const { write, protocol } = files.value.transfer;
  if (write === undefined && protocol === undefined)
    return invalid(`the catalogue of ${target} does not say how a file is written`);
  if (!/^[0-9a-f]{64}$/.test(source)) return invalid(`${JSON.stringify(source)} is not a SHA-256`);
  const size = await tools.bus.objects(objectStores.uploads).size(source);
  if (size === undefined) return invalid(`no content ${source} is stored: POST /v1/uploads stores it`);
  if (size === 0) return invalid('the content is empty');
  const listed = tools.files.file(target, file_id);
  const generation = listed === undefined ? 1 : (listed.generation ?? 0) + 1;
  if (!Number.isSafeInteger(generation))
    return invalid(`file ${file_id} of ${target} has no next generation`);
  const record = {
    target,
    file_id,
    generation,
    direction: 'upload' as const,
    size,
    priority: 0,
    source,
    ...(listed?.fileType !== undefined && { file_type: listed.fileType }),
    ...(by !== undefined && { by }),
  };
  return store({ record, at: tools.clock.now(), ...(run !== undefined && { run }) }, tools);
}

/** How files of the target come and go; refuses an unknown target, one without directory, and what is no identifier. */
function directoryOf(mission: Mission, name: string, file: string): Result<FilesConfiguration, Fault> {
  const target = mission.targets.get(name);
  if (target === undefined) return fault('api::unknown-target', `no target "${name}"`);
  const files = target.platform?.files;
  if (files === undefined)
    return fault('files::no-directory', `the catalogue of ${name} has no on-board directory`);
  if (!isFileId(file)) return invalid(`"${file}" is not the identifier of a file: decimal digits`);
  return accepted(files);
}

async function store(input: TransferInput, { bus, clock, over }: TransferTools): Promise<Made> {
  const wanted = createdTransfer(input);
  const key = transferKey(wanted);
  const bucket = bus.bucket(buckets.transfers);
  for (let round = 0; round < TRANSFER_WRITE_ROUNDS; round += 1) {
    const entry = await bucket.get(key);
    const standing = entry === undefined ? await over.find(wanted) : readStoredTransfer(key, entry.value);
    if (entry !== undefined && standing === undefined)
      return invalid(`the record ${key} in ${buckets.transfers.name} cannot be read`);
    const next = standing === undefined ? wanted : asWanted(standing, wanted);
    if (next === standing && !isOpenTransfer(next)) return accepted(next);
    const begun = clock.monotonic();
    await enterOpen(bus, key, next === standing);
    if (next === standing) return accepted(next);
    const written = await bucket.put(key, bytesOf(next), entry?.revision ?? 0);
    if (written.outcome === 'conflict') continue;
    // Whoever took so long may find its entry removed as one that nobody needs (W2).
    const isLate = clock.monotonic() - begun > TRANSFER_INDEX_MS / 2;
    if (standing !== undefined || isLate) await enterOpen(bus, key, false);
    return accepted(next);
  }
  throw new Outage(
    'bus.unavailable',
    `the record ${key} was written by others ${TRANSFER_WRITE_ROUNDS} times`,
  );
}

/** W1: what becomes of the transfer that is there; itself where it stays as it is. */
function asWanted(standing: StoredTransfer, wanted: StoredTransfer): StoredTransfer {
  if (standing.direction === 'download') return offeredAgain(standing);
  if (standing.source !== wanted.source) return wanted;
  const isUnderWay = standing.state === 'REQUESTED' || standing.state === 'PARTIAL';
  const { run } = wanted.actor;
  if (!isUnderWay || run === undefined || standing.actor.run === run) return standing;
  const by = wanted.by === undefined ? {} : { by: wanted.by };
  return { ...standing, ...by, updated_at: wanted.updated_at, actor: { ...standing.actor, run } };
}

/** Nobody decoded it, and too many others waited (`actors/transfer/decoding.E4`). */
function offeredAgain(standing: StoredTransfer): StoredTransfer {
  const { decoding } = standing.actor;
  if (decoding?.outcome !== 'left') return standing;
  const { reason: _, ...rest } = standing;
  return { ...rest, actor: { ...standing.actor, decoding: { outcome: 'awaited', failures: 0 } } };
}

/** W2. Written again, it is seen again by whoever manages transfers. */
async function enterOpen(bus: Bus, key: string, onlyWhereMissing: boolean): Promise<void> {
  const bucket = bus.bucket(buckets.openTransfers);
  const entry: Entry | undefined = onlyWhereMissing ? await bucket.get(key) : undefined;
  if (entry === undefined) await bucket.overwrite(key, Buffer.from('{}'));
}

function bytesOf(record: StoredTransfer): Buffer {
  return Buffer.from(JSON.stringify(record));
}

function invalid(message: string): { ok: false; faults: readonly [Fault, ...Fault[]] } {
  return fault('transfer::invalid', message);
}

function fault(code: ErrorCode, message: string): { ok: false; faults: readonly [Fault, ...Fault[]] } {
  return refused({ code, message });
}
