/** Transfers as columns: what a list and a live table show of each. Pure but for the zone, as `pass-look.ts`. */

import type { Transfer } from '../contract/transfer.ts';
import { Columns } from './columns.ts';
import { momentText, type Tone } from './pass-look.ts';
import { bytesText, picture, receivedBytes, share } from './transfer-progress.ts';

const LISTED = [
  'STATE',
  'TARGET',
  'FILE',
  'GENERATION',
  'WAY',
  'SHARE',
  'THERE',
  'SIZE',
  'RATE',
  'PRIORITY',
  'BY',
  'CREATED',
  'REASON',
] as const;
type TransferColumn = (typeof LISTED)[number];
export type TransferColumns = Columns<TransferColumn, Transfer>;

const SPARED = ['BY', 'PRIORITY', 'CREATED', 'THERE', 'RATE', 'GENERATION', 'WAY'] as const;
const CELLS = 12;

/** `rateOf`: of a live table, how fast it comes. */
export function transferColumns(
  local: boolean,
  rateOf?: (transfer: Transfer, now: number) => string,
): TransferColumns {
  return new Columns<TransferColumn, Transfer>({
    columns: LISTED.filter((column) => column !== 'RATE' || rateOf !== undefined),
    cell: (column, transfer, now) =>
      column === 'RATE' ? (rateOf?.(transfer, now) ?? '') : cellOf(column, transfer, local),
    tone: toneOf,
    right: ['FILE', 'GENERATION', 'SHARE', 'SIZE', 'RATE', 'PRIORITY'],
    spared: SPARED,
    fixed: { RATE: '999.9 kB/s'.length, SHARE: '100 %'.length },
  });
}

/** One line, for a reader that is no terminal. */
export function transferLine(transfer: Transfer): string {
  const { target, file_id, generation, direction, state, size, reason } = transfer;
  const bytes = receivedBytes(transfer);
  const far = `${share(bytes, size)} % (${bytes} of ${size} B)`;
  const words = [`${target} file ${file_id} generation ${generation}`, direction, state, far];
  return [...words, ...(reason === undefined ? [] : [reason])].join('  ');
}

function cellOf(column: Exclude<TransferColumn, 'RATE'>, transfer: Transfer, local: boolean): string {
  const { received, size } = transfer;
  switch (column) {
    case 'STATE':
      return transfer.state;
    case 'TARGET':
      return transfer.target;
    case 'FILE':
      return transfer.file_id;
    case 'GENERATION':
      return `${transfer.generation}`;
    case 'WAY':
      return transfer.direction === 'upload' ? 'up' : 'down';
    case 'SHARE':
      return `${share(receivedBytes(transfer), size)} %`;
    case 'THERE':
      return picture({ size, ...(received !== undefined && { received }) }, CELLS);
    case 'SIZE':
      return bytesText(size);
    case 'PRIORITY':
      return `${transfer.priority}`;
    case 'BY':
      return transfer.by ?? '-';
    case 'CREATED':
      return momentText(transfer.created_at, local);
    case 'REASON':
      return transfer.reason ?? '';
  }
}

function toneOf({ state }: Transfer): Tone | undefined {
  if (state === 'CORRUPTED') return 'red';
  return ['VERIFIED', 'PROCESSED', 'SUPERSEDED'].includes(state) ? 'dim' : undefined;
}
