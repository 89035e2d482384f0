/**
 * Lists of transfers: those that this process holds, and where asked for those that are long over, which are read
 * (`messaging/transfers-over.ts`). Mission Control Service, section 4.7.
 *
 * Q1. A list that does not ask for what is long over reads nothing, and looks at no more than it gives.
 * Q2. What is long over comes behind the others, the latest day first: each list reads the days it shows.
 * Q3. Those at hand are looked at first: one that leaves them meanwhile is among the others already.
 */

import Type from 'typebox';
import { PATH_CHARACTERS } from '../contract/limits/request.ts';
import { TRANSFER_LIST_MOST } from '../contract/limits/transfer.ts';
import { type StoredTransfer, shownTransfer, type TransferList, transferKey } from '../contract/transfer.ts';
import { comparePlaces, placeOf, type TransferPlace } from '../messaging/transfer-book.ts';
import type { RoutePorts } from './ports.ts';
import type { QueryParameter } from './route.ts';

/** Where a list goes on: behind this transfer. */
interface TransferCursor {
  /** Of what is long over: its day. */
  readonly day: string | undefined;
  readonly place: TransferPlace;
}

export interface TransferQuery {
  readonly target?: string | undefined;
  readonly all?: boolean | undefined;
  readonly after?: TransferCursor | undefined;
}

const CURSOR = /^(\d{8}|0)\.(-?\d{1,10})\.(-?\d{1,16})\.([A-Za-z0-9_.-]{1,300})$/;

export const cursorInQuery: QueryParameter<TransferCursor> = {
  schema: Type.String({
    maxLength: PATH_CHARACTERS,
    description: 'Continue behind this transfer: the `next` of a list.',
  }),
  expected: 'the next of a list',
  parse(text) {
    const [, day, priority, created, key] = CURSOR.exec(text) ?? [];
    if (key === undefined) return undefined;
    const place = { priority: Number(priority), created: Number(created), key };
    return { day: day === '0' ? undefined : day, place };
  },
};

type Ports = Pick<RoutePorts, 'transfers' | 'transfersOver'>;

export async function listOfTransfers(query: TransferQuery, ports: Ports): Promise<TransferList> {
  const listed = new Listing();
  if (query.after?.day === undefined) listed.add('0', atHand(query, ports));
  if (query.all === true) await addOver(listed, query, ports);
  const { transfers, last, isFull } = listed;
  return {
    transfers: transfers.map(shownTransfer),
    ...(isFull && last !== undefined && { next: cursorOf(last) }),
  };
}

/** Q1 */
function atHand({ target, after }: TransferQuery, { transfers }: Ports): readonly StoredTransfer[] {
  const sorted = transfers.transfers(target);
  const first = after === undefined ? 0 : firstBehind(sorted, after.place);
  return sorted.slice(first, first + TRANSFER_LIST_MOST + 1);
}

/** Q2 */
async function addOver(
  listed: Listing,
  { target, after }: TransferQuery,
  { transfers, transfersOver }: Ports,
): Promise<void> {
  if (listed.isFull) return;
  for await (const { day, transfers: ofDay } of transfersOver.days(after?.day, target)) {
    const first = after?.day === day ? firstBehind(ofDay, after.place) : 0;
    listed.add(
      day,
      ofDay.slice(first).filter((each) => transfers.get(transferKey(each)) === undefined),
    );
    if (listed.isFull) return;
  }
}

/** What a list has so far. */
class Listing {
  readonly transfers: StoredTransfer[] = [];
  last: { readonly day: string; readonly transfer: StoredTransfer } | undefined;
  /** There are more than it may have. */
  isFull = false;

  add(day: string, transfers: readonly StoredTransfer[]): void {
    for (const transfer of transfers) {
      this.isFull = this.transfers.length === TRANSFER_LIST_MOST;
      if (this.isFull) return;
      this.transfers.push(transfer);
      this.last = { day, transfer };
    }
  }
}

/** Index of the first transfer behind that place, of those in order. */
function firstBehind(sorted: readonly StoredTransfer[], place: TransferPlace): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePlaces(placeOf(sorted[middle]!), place) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

function cursorOf({ day, transfer }: { readonly day: string; readonly transfer: StoredTransfer }): string {
  const { priority, created, key } = placeOf(transfer);
  return `${day}.${priority}.${created}.${key}`;
}
