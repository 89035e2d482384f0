/**
 * Creates transfers, the same for people and for runs. Mission Control Service, sections 2.8 and 4.7 rules 2, 8 and 9.
 *
 * W1. A generation is transferred once: whoever asks again gets the transfer that is there, as it stands. Only
 *     an upload of other content takes the place of one before under the same generation, a run that uploads the same
 *     content goes on with it, also where the run before is over and whatever is on board of it, and a file that waited
 *     in vain for a driver is offered again.
 * W2. The entry among the open transfers stands before the record does: what is recorded is found by whoever manages
 *     transfers, also where its creator died in between.
 * W3. Every write is conditional on what was read: of two that ask at once, both get the same transfer.
 * W4. One that is long over counts as well: it is looked for where the bucket has none.
 * W5. It begins behind the listing it goes by, behind what was last said of transfers of the file, and behind the
 *     upload whose place it takes, whatever the clocks of processes and gateways say: a state that is dated before
 *     those would not be shown (known-files.K3).
 * W6. An upload whose half was listed before another run takes it up goes on in the generation it was begun in, where
 *     the catalogue says the generation with each write: the spacecraft then knows which file is meant. Where it does
 *     not, the next generation begins.
 * W7. What a run asks for is written while the executor that asks holds it: all that the write goes by was read before.
 */

import { buckets, objectStores } from '../contract/bus/buckets.ts';
import type { ErrorCode, Fault } from '../contract/errors.ts';
import { isFileId } from '../contract/file-chunk.ts';
import { TRANSFER_INDEX_MS, TRANSFER_WRITE_ROUNDS } from '../contract/limits/transfer.ts';
import { Outage } from '../contract/outage.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import {
  isOpenTransfer,
  readStoredTransfer,
  type StoredTransfer,
  type TransferName,
  type TransferRequest,
  transferKey,
} from '../contract/transfer.ts';
import type { TransferInput } from '../machines/transfer/protocol.ts';
import { createdTransfer } from '../machines/transfer/step.ts';
import type { Mission } from '../mission/mission.ts';
import type { Bus, Entry } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileDirectory, ListedFile } from '../ports/file-directory.ts';
import type { TransfersOver } from './transfers-over.ts';

export interface TransferTools {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly files: Pick<FileDirectory, 'file'>;
  readonly over: Pick<TransfersOver, 'find'>;
  /** Throws `Outage` where whoever asks may have lost the run it asks for (W7). */
  readonly assertMayWrite?: () => void;
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

/** Of whom, and by which listing, a transfer is wanted. */
interface Wish {
  readonly record: TransferInput['record'];
  readonly listed: ListedFile | undefined;
  readonly requester: Requester;
}

/** The download, which may have been there before. Throws `Outage`. */
export async function createDownload(
  { target, file_id, priority = 0 }: TransferRequest,
  requester: Requester,
  mission: Mission,
  tools: TransferTools,
): Promise<Made> {
  const refusal = refusalOf(mission, target, file_id, 'read');
  if (refusal !== undefined) return refusal;
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
  };
  return store({ record, listed, requester }, tools);
}

/** The upload of a run, which may have been there before. Throws `Outage`. */
export async function createUpload(
  { target, file_id, source }: UploadRequest,
  requester: Requester,
  mission: Mission,
  tools: TransferTools,
): Promise<Made> {
  const refusal = refusalOf(mission, target, file_id, 'write');
  if (refusal !== undefined) return refusal;
  if (!/^[0-9a-f]{64}$/.test(source)) return invalid(`${JSON.stringify(source)} is not a SHA-256`);
  const size = await tools.bus.objects(objectStores.uploads).keep(source);
  if (size === undefined) return invalid(`no content ${source} is stored: POST /v1/uploads stores it`);
  if (size === 0) return invalid('the content is empty');
  const listed = tools.files.file(target, file_id);
  const generation = await generationOfUpload({ target, file_id, source }, listed, mission, tools);
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
  };
  return store({ record, listed, requester }, tools);
}

/** The one after the last listed (MC-UPL-010), but for one that is half written (W6). Throws `Outage`. */
async function generationOfUpload(
  { target, file_id, source }: UploadRequest,
  listed: ListedFile | undefined,
  mission: Mission,
  { bus, over }: TransferTools,
): Promise<number> {
  if (listed === undefined) return 1;
  const { generation = 0, size } = listed;
  if (generation === 0 || !saysGenerations(mission, target)) return generation + 1;
  const name = { target, file_id, generation, direction: 'upload' } as const;
  const key = transferKey(name);
  const entry = await bus.bucket(buckets.transfers).get(key);
  const half = entry === undefined ? await over.find(name) : readStoredTransfer(key, entry.value);
  const isHalf = half?.state === 'PARTIAL' && half.source === source && (size ?? 0) <= half.size;
  return isHalf ? generation : generation + 1;
}

/** Whether each write says which generation it is of. */
function saysGenerations(mission: Mission, target: string): boolean {
  const platform = mission.targets.get(target)?.platform;
  const { component = '', transfer } = platform?.files ?? {};
  const args = platform?.components.get(component)?.telecommands.get(transfer?.write ?? '')?.args ?? [];
  return args.some(({ name }) => name === 'generation');
}

function inputOf({ record, listed, requester: { by, run } }: Wish, clock: Clock): TransferInput {
  return {
    record: { ...record, ...(by !== undefined && { by }) },
    at: momentBehind(listed, clock),
    ...(run !== undefined && { run }),
  };
}

/** W5 */
function momentBehind(listed: ListedFile | undefined, clock: Clock): number {
  if (listed === undefined) return clock.now();
  const { listedAt, statedAt = listedAt } = listed;
  return Math.max(clock.now(), listedAt + 1, statedAt + 1);
}

/** An unknown target, one without directory or without a way for its files, and what is no identifier. */
function refusalOf(
  mission: Mission,
  name: string,
  file: string,
  way: 'read' | 'write',
): ReturnType<typeof fault> | undefined {
  const target = mission.targets.get(name);
  if (target === undefined) return fault('api::unknown-target', `no target "${name}"`);
  const files = target.platform?.files;
  if (files === undefined)
    return fault('files::no-directory', `the catalogue of ${name} has no on-board directory`);
  if (!isFileId(file)) return invalid(`"${file}" is not the identifier of a file: decimal digits`);
  const { protocol, [way]: telecommand } = files.transfer;
  if (telecommand !== undefined || protocol !== undefined) return undefined;
  return invalid(
    `the catalogue of ${name} does not say how a file is ${way === 'read' ? 'read' : 'written'}`,
  );
}

async function store(wish: Wish, { bus, clock, over, assertMayWrite }: TransferTools): Promise<Made> {
  const input = inputOf(wish, clock);
  const wanted = createdTransfer(input);
  const key = transferKey(wanted);
  const bucket = bus.bucket(buckets.transfers);
  for (let round = 0; round < TRANSFER_WRITE_ROUNDS; round += 1) {
    const entry = await bucket.get(key);
    const standing = entry === undefined ? await over.find(wanted) : readStoredTransfer(key, entry.value);
    if (entry !== undefined && standing === undefined)
      return invalid(`the record ${key} in ${buckets.transfers.name} cannot be read`);
    const next = standing === undefined ? wanted : asWanted(standing, createdBehind(standing, input));
    if (next === standing && !isOpenTransfer(next)) return accepted(next);
    assertMayWrite?.();
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

/** Offers a file again that was left since too many waited; nothing happens where it was not. Throws `Outage`. */
export async function offerAgain(
  name: TransferName,
  { bus, over }: Pick<TransferTools, 'bus' | 'over'>,
): Promise<void> {
  const key = transferKey(name);
  const bucket = bus.bucket(buckets.transfers);
  const entry = await bucket.get(key);
  const standing = entry === undefined ? await over.find(name) : readStoredTransfer(key, entry.value);
  const next = standing && offeredAgain(standing);
  if (next === undefined || next === standing) return;
  await enterOpen(bus, key, false);
  await bucket.put(key, bytesOf(next), entry?.revision ?? 0);
  await enterOpen(bus, key, false);
}

/** W1: what becomes of the transfer that is there; itself where it stays as it is. */
function asWanted(standing: StoredTransfer, wanted: StoredTransfer): StoredTransfer {
  if (standing.direction === 'download') return offeredAgain(standing);
  if (standing.source !== wanted.source) return wanted;
  const isUnderWay = standing.state === 'REQUESTED' || standing.state === 'PARTIAL';
  const { run } = wanted.actor;
  const { ended, hindrance: _, ...actor } = standing.actor;
  if (!isUnderWay || run === undefined || (actor.run === run && ended === undefined)) return standing;
  const by = wanted.by === undefined ? {} : { by: wanted.by };
  const { reason: __, ...rest } = standing;
  return { ...rest, ...by, updated_at: wanted.updated_at, actor: { ...actor, run } };
}

/** The same behind the last change of the one that stood there (machines/transfer/record.B3). */
function createdBehind({ actor }: StoredTransfer, input: TransferInput): StoredTransfer {
  const last = actor.changes.at(-1);
  return createdTransfer({
    ...input,
    at: last === undefined ? input.at : Math.max(input.at, Date.parse(last.at) + 1),
  });
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
