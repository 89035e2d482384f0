/** The rows of a directory: which, in which order, each with its transfers. Pure. */

import type { OnboardFile } from '../../../contract/onboard-file.ts';
import type { LiveTransfer } from './transfer-words.ts';

export interface FileRow {
  readonly file: OnboardFile;
  /** When the last listing with it was received, ms since 1970; undefined: never listed. */
  readonly listedAt: number | undefined;
  /** Download of its current generation. */
  readonly transfer: LiveTransfer | undefined;
}

export const FILE_ORDERS = ['identifier', 'largest first', 'listed last', 'listed longest ago'] as const;

/** `find`: part of the identifier, checksum, type or state of transfer. The directory is by identifier. */
export function fileRows(
  files: readonly OnboardFile[],
  transfers: readonly LiveTransfer[],
  find: string,
  order: string,
): FileRow[] {
  const downloads = new Map(
    transfers
      .filter(({ transfer }) => transfer.direction === 'download')
      .map((live) => [`${live.transfer.file_id}.${live.transfer.generation}`, live]),
  );
  const word = find.trim().toLowerCase();
  const rows = files
    .filter((file) => word === '' || textOf(file).includes(word))
    .map((file): FileRow => {
      const listedAt = file.listed_at === undefined ? undefined : Date.parse(file.listed_at);
      return {
        file,
        listedAt,
        transfer: downloads.get(`${file.id}.${file.generation ?? 0}`),
      };
    });
  if (order === 'largest first') return rows.sort((a, b) => (b.file.size ?? -1) - (a.file.size ?? -1));
  if (order === 'listed last') return rows.sort((a, b) => (b.listedAt ?? 0) - (a.listedAt ?? 0));
  if (order === 'listed longest ago') return rows.sort((a, b) => (a.listedAt ?? 0) - (b.listedAt ?? 0));
  return rows;
}

function textOf({ id, checksum = '', file_type, transfer = '' }: OnboardFile): string {
  return `${id} ${checksum} type ${file_type ?? ''} ${transfer}`.toLowerCase();
}

/** When the newest and the oldest of the listings were received, ms since 1970; undefined where nothing was listed. */
export function listedBetween(
  files: readonly OnboardFile[],
): { readonly newest: number; readonly oldest: number } | undefined {
  let [newest, oldest] = [0, Number.POSITIVE_INFINITY];
  for (const { listed_at } of files) {
    if (listed_at === undefined) continue;
    const at = Date.parse(listed_at);
    newest = Math.max(newest, at);
    oldest = Math.min(oldest, at);
  }
  return newest === 0 ? undefined : { newest, oldest };
}

/** `183,500 B`, `1.2 MB` behind it where that is easier to read. */
export function sizeText(bytes: number): string {
  const plain = `${bytes.toLocaleString('en')} B`;
  if (bytes < 1e4) return plain;
  const [value, unit] =
    bytes >= 1e9 ? [bytes / 1e9, 'GB'] : bytes >= 1e6 ? [bytes / 1e6, 'MB'] : [bytes / 1e3, 'kB'];
  return `${plain} (${value.toPrecision(3)} ${unit})`;
}
