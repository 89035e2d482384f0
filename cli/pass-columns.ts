/**
 * Stored passes as columns: what a list and a live table show of a pass. Pure but for the zone, as `pass-look.ts`.
 * Mission Control Service, sections 2.6 and 4.5.
 *
 * C1. Nothing is said by colour alone: a booked, a predicted and a cancelled pass have different words, and so have one
 *     under way, one without uplink and one that no gateway serves.
 * C2. A cancelled pass has no countdown.
 * C3. A narrow terminal leaves columns out (columns.C1), but never station, status, uplink and gateway, nor every time.
 */

import { readInstant } from '../contract/instant.ts';
import type { Pass, PassGateway, PassView } from '../contract/pass.ts';
import { readQuantity } from '../mission/quantity.ts';
import { Columns, cellsLine } from './columns.ts';
import { dayAndTime, lasting, remaining, type Tone } from './pass-look.ts';

export interface PassRow {
  readonly view: PassView;
  readonly aosMs: number;
  readonly losMs: number;
}

/** Of a line of its own, in its order; a list has the identifier before the gateway, which it may cut. */
const FIELDS = ['DAY', 'AOS', 'LOS', 'LASTS', 'TARGET', 'STATION', 'MAX', 'STATUS', 'UPLINK'] as const;
const LISTED = [...FIELDS, 'PASS', 'GATEWAY'] as const;
const LINE = [...FIELDS, 'GATEWAY', 'PASS'] as const;
const LIVE = ['NEXT', ...LISTED] as const;
type PassColumn = (typeof LIVE)[number];

/** C3; a list without a time says nothing. */
const SPARED = ['PASS', 'LASTS', 'LOS', 'MAX'] as const;
const SPARED_LIVE = [...SPARED, 'DAY', 'AOS'] as const;
/** `AOS in 23:59:59`, so that the columns behind stay where they are. */
const NEXT_CHARACTERS = 15;

export function passRow(view: PassView): PassRow {
  const { aos, los } = view.pass;
  return { view, aosMs: readInstant(aos) ?? Number.NaN, losMs: readInstant(los) ?? Number.NaN };
}

export type PassColumns = Columns<PassColumn, PassRow>;

/** With a countdown where it is `live`. */
export function passColumns({
  live,
  local,
}: {
  readonly live: boolean;
  readonly local: boolean;
}): PassColumns {
  return new Columns({
    columns: live ? LIVE : LISTED,
    cell: (column, row, now) => cellOf(column, row, { local, now }),
    tone: toneOf,
    right: ['NEXT', 'LASTS', 'MAX'],
    spared: live ? SPARED_LIVE : SPARED,
    fixed: { NEXT: NEXT_CHARACTERS },
  });
}

/** A pass as one line of its own, for a reader that is no terminal. */
export function passLine(row: PassRow, local: boolean): string {
  return cellsLine(LINE.map((column) => cellOf(column, row, { local, now: 0 })));
}

/** `AOS in 12:34`, while it is under way `LOS in 4:12`; C2. */
export function countdown({ view, aosMs, losMs }: PassRow, now: number): string {
  if (view.pass.status === 'cancelled') return '-';
  if (now >= losMs) return 'over';
  const [event, atMs] = now < aosMs ? ['AOS', aosMs] : ['LOS', losMs];
  return `${event} in ${remaining(atMs - now)}`;
}

/** The gateway, or why there is none; `-` while it is not checked. */
export function gatewayText(check: PassGateway | undefined): string {
  if (check === undefined) return '-';
  return check.gateway ?? `NONE: ${check.reason ?? 'no reason is recorded'}`;
}

/** `47.3°`, in whatever unit of angles it was written. */
export function elevationText({ max_elevation }: Pick<Pass, 'max_elevation'>): string {
  const read = readQuantity(max_elevation, 'deg');
  return read.ok ? `${read.value.toFixed(1)}°` : max_elevation;
}

/** In capitals what must not be taken for a pass that takes place. */
export function statusText({ status }: Pick<Pass, 'status'>): string {
  return status === 'cancelled' ? 'CANCELLED' : status;
}

function cellOf(
  column: PassColumn,
  row: PassRow,
  { local, now }: { readonly local: boolean; readonly now: number },
): string {
  const { view, aosMs, losMs } = row;
  switch (column) {
    case 'NEXT':
      return countdown(row, now);
    case 'DAY':
      return dayAndTime(aosMs, local)[0];
    case 'AOS':
      return dayAndTime(aosMs, local)[1];
    case 'LOS':
      return dayAndTime(losMs, local)[1];
    case 'LASTS':
      return lasting(losMs - aosMs);
    case 'TARGET':
      return view.pass.target;
    case 'STATION':
      return view.pass.station;
    case 'MAX':
      return elevationText(view.pass);
    case 'STATUS':
      return statusText(view.pass);
    case 'UPLINK':
      return view.pass.uplink === false ? 'RX only' : 'uplink';
    case 'PASS':
      return view.pass.id;
    case 'GATEWAY':
      return gatewayText(view.gateway);
  }
}

function toneOf({ view, aosMs, losMs }: PassRow, now: number): Tone | undefined {
  if (view.pass.status === 'cancelled' || losMs < now) return 'dim';
  if (view.gateway !== undefined && view.gateway.gateway === undefined) return 'red';
  return aosMs <= now ? 'bright' : undefined;
}
