/** Transfers as the pages have them: their names, their looks, what can be done with them. Pure. */

import type { Transfer, TransferState } from '../../../contract/transfer.ts';
import type { PacePoint } from './transfer-pace.ts';

export type { Transfer } from '../../../contract/transfer.ts';

/** As the inspector and the index of the service have it. */
export function transferKey({ target, file_id, generation, direction }: Transfer): string {
  return `${target}.${file_id}.${generation}${direction === 'upload' ? '.up' : ''}`;
}

export function contentPath({ target, file_id, generation, direction }: Transfer): string {
  const of = direction === 'upload' ? '?direction=upload' : '';
  return `/v1/transfers/${encodeURIComponent(target)}/${file_id}/${generation}/content${of}`;
}

/** Whether all of its bytes are here, or were stored here before. */
export function isSavable({ state, direction }: Transfer): boolean {
  return direction === 'upload' || ['COMPLETE', 'VERIFIED', 'PROCESSED', 'CORRUPTED'].includes(state);
}

export const TRANSFER_LOOK: Readonly<
  Record<TransferState, { readonly sign: string; readonly tone: string }>
> = {
  REQUESTED: { sign: '○', tone: '' },
  PARTIAL: { sign: '◐', tone: 'accent' },
  COMPLETE: { sign: '●', tone: 'ok' },
  VERIFIED: { sign: '✓', tone: 'ok' },
  PROCESSED: { sign: '✓', tone: 'ok' },
  CORRUPTED: { sign: '✗', tone: 'bad' },
  SUPERSEDED: { sign: '–', tone: 'warn' },
};

export interface LiveTransfer {
  readonly key: string;
  readonly transfer: Transfer;
  /** The oldest first. */
  readonly points: readonly PacePoint[];
}

export function isUnderWay({ state }: Pick<Transfer, 'state'>): boolean {
  return state === 'REQUESTED' || state === 'PARTIAL';
}
