/**
 * The upload of some content to a file on board, as the service has it.
 *
 * S1. Lists leave out what has been over for a day: whether content is on board is asked of the generation that was
 *     listed last, however long ago it was uploaded.
 * S2. What could not be read is printed, and says neither that the content is on board nor that it is not.
 */

import { TRANSFER_LISTS_READ } from '../contract/limits/transfer.ts';
import type { OnboardDirectory } from '../contract/onboard-file.ts';
import type { Transfer, TransferList } from '../contract/transfer.ts';
import { readLists } from './read-lists.ts';
import { type Answered, ask, faultLine } from './request.ts';
import type { Service } from './service.ts';

interface Named {
  readonly service: Service;
  readonly target: string;
  readonly file: string;
}

interface Found {
  readonly transfer: Transfer | undefined;
}

/** The newest listed one of this content that fits; undefined after a refusal was printed. */
export async function uploadOf(
  { service, target, file }: Named,
  hash: string,
  fits: (transfer: Transfer) => boolean = () => true,
): Promise<Found | undefined> {
  const asked = { path: '/v1/transfers', query: new URLSearchParams({ target }), most: TRANSFER_LISTS_READ };
  const listed = await readLists(service, asked, ({ transfers }: TransferList) => transfers);
  const own = listed?.items.filter(
    (each) => each.direction === 'upload' && each.file_id === file && each.source === hash && fits(each),
  );
  return own && { transfer: own.sort((one, other) => one.generation - other.generation).at(-1) };
}

/**
 * The same upload; none where a later generation is listed than the one that it has written, which is not on board any
 * more. Undefined after a refusal was printed (S2).
 */
export async function unlessRewritten(
  named: Named,
  upload: Transfer | undefined,
): Promise<Found | undefined> {
  if (upload?.state !== 'COMPLETE') return { transfer: upload };
  const listed = await listedGeneration(named);
  if (listed === undefined) return undefined;
  const isLater = listed.generation !== undefined && listed.generation > upload.generation;
  return { transfer: isLater ? undefined : upload };
}

/**
 * The upload that has brought this content on board, verified or waiting for a listing; `newest` is what
 * `unlessRewritten` left. Undefined after a refusal was printed (S2).
 */
export async function uploadOnBoard(
  named: Named,
  hash: string,
  newest: Transfer | undefined,
): Promise<Found | undefined> {
  if (newest?.state === 'COMPLETE') return { transfer: newest };
  const listed = await listedGeneration(named);
  if (listed === undefined) return undefined;
  const { generation } = listed;
  const isListed = generation === undefined || generation === newest?.generation;
  if (newest?.state === 'VERIFIED' && isListed) return { transfer: newest };
  // Where listings say no generation, every upload is the first.
  const standing = await uploadOfGeneration(named, generation ?? 1);
  if (standing === undefined) return undefined;
  const { state, source } = standing.transfer ?? {};
  const isThere = source === hash && (state === 'VERIFIED' || state === 'COMPLETE');
  return isThere ? standing : { transfer: undefined };
}

async function listedGeneration({
  service,
  target,
  file,
}: Named): Promise<{ readonly generation: number | undefined } | undefined> {
  const path = `/v1/targets/${encodeURIComponent(target)}/files`;
  const read = await ask<OnboardDirectory>(service, 'GET', path);
  if (read.ok) return { generation: read.reply.files.find(({ id }) => id === file)?.generation };
  return isMissing(read, ['files::no-directory', 'api::no-catalogue'])
    ? { generation: undefined }
    : undefined;
}

/** S1 */
async function uploadOfGeneration(
  { service, target, file }: Named,
  generation: number,
): Promise<Found | undefined> {
  const path = `/v1/transfers/${encodeURIComponent(target)}/${file}/${generation}?direction=upload`;
  const read = await ask<Transfer>(service, 'GET', path);
  if (read.ok) return { transfer: read.reply };
  return isMissing(read, ['transfer::unknown']) ? { transfer: undefined } : undefined;
}

/** Whether a refusal says that there is none; any other is printed. */
function isMissing({ faults }: Extract<Answered<unknown>, { ok: false }>, codes: readonly string[]): boolean {
  if (faults.every(({ code }) => codes.includes(code))) return true;
  for (const fault of faults) process.stderr.write(`${faultLine(fault)}\n`);
  return false;
}
