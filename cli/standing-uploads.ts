/** The upload of some content to a file on board, as the service lists it. */

import { TRANSFER_LISTS_READ } from '../contract/limits/transfer.ts';
import type { Transfer, TransferList } from '../contract/transfer.ts';
import { readLists } from './read-lists.ts';
import type { Service } from './service.ts';

interface Named {
  readonly service: Service;
  readonly target: string;
  readonly file: string;
}

/** The newest of this content that fits; undefined after a refusal was printed. */
export async function uploadOf(
  { service, target, file }: Named,
  hash: string,
  fits: (transfer: Transfer) => boolean = () => true,
): Promise<{ readonly transfer: Transfer | undefined } | undefined> {
  const asked = { path: '/v1/transfers', query: new URLSearchParams({ target }), most: TRANSFER_LISTS_READ };
  const listed = await readLists(service, asked, ({ transfers }: TransferList) => transfers);
  const own = listed?.items.filter(
    (each) => each.direction === 'upload' && each.file_id === file && each.source === hash && fits(each),
  );
  return own && { transfer: own.sort((one, other) => one.generation - other.generation).at(-1) };
}
